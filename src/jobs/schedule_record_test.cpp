#include "jobs/schedule_record.h"

#include "jobs/jobs_for_test.h"

namespace spindle::jobs {
namespace {

using std::chrono::hours, std::chrono::microseconds, std::chrono::minutes, std::chrono::seconds;

class ScheduleRecords : public JobContract {
 protected:
  microseconds align(Timestamp now) {
    const Result<microseconds> by = record_.align(now, [](storage::Session& session, auto shift) {
      return JobQueue::shiftSchedule(session, shift);
    });
    EXPECT_TRUE(by);
    return by ? *by : microseconds(0);
  }

  ScheduleRecord record_{*database_};
};

TEST_P(ScheduleRecords, ShiftNothingAtTheFirstStart) { EXPECT_EQ(align(clock_.now()).count(), 0); }

TEST_P(ScheduleRecords, ShiftSchedulesWhenTheClockWasSetBackBetweenTwoStarts) {
  const Result<Job> later = queue_.enqueue({.kind = "test", .run_at = clock_.now() + minutes(10)});
  ASSERT_TRUE(later);
  ASSERT_TRUE(record_.record(clock_.now()));
  ASSERT_TRUE(record_.record(clock_.now() - seconds(1))) << "an earlier time is ignored";
  clock_.advance(-hours(6));
  EXPECT_EQ(align(clock_.now()), -hours(6));
  EXPECT_FALSE(*queue_.hasReady("test"));
  clock_.advance(minutes(10));
  EXPECT_TRUE(*queue_.hasReady("test"));
  EXPECT_EQ(align(clock_.now()).count(), 0) << "once";
}

TEST_P(ScheduleRecords, IgnoreAClockThatIsAheadAndSmallDifferences) {
  ASSERT_TRUE(record_.record(clock_.now()));
  EXPECT_EQ(align(clock_.now() + hours(100)).count(), 0);
  EXPECT_EQ(align(clock_.now() - seconds(4)).count(), 0);
}

SPINDLE_JOBS_ON_BOTH_ENGINES(ScheduleRecords);

}  // namespace
}  // namespace spindle::jobs
