#include "jobs/job_runner.h"

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "jobs/jobs_for_test.h"

namespace spindle::jobs {
namespace {

using std::chrono::milliseconds;

/// A gate that opens once.
class Gate {
 public:
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.notifyAll();
  }
  void wait() {
    const MutexLock lock(mutex_);
    while (!open_) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool open_ SPINDLE_GUARDED_BY(mutex_) = false;
};

void waitForStop(const JobContext& context) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, context.stopToken(), [] { return false; });
}

class Runner : public JobContract {
 protected:
  static JobRunnerOptions options() {
    return {.kind = "test",
            .worker = "w1",
            .threads = 2,
            .heart_beat = milliseconds(5),
            .poll = milliseconds(5)};
  }
  /// Runs a job until its handler has returned and the outcome is stored.
  Job runOnce(const JobHandler& handler, const std::string& payload = "1") {
    const Job job = enqueue(payload);
    Gate ended;
    JobRunner runner(queue_, options(), [&](JobContext& context) {
      JobOutcome outcome = handler(context);
      ended.open();
      return outcome;
    });
    runner.start();
    ended.wait();
    runner.stop();
    return *queue_.find(job.id);
  }
};

TEST_P(Runner, RunsAJobAndStoresItsSuccess) {
  std::string payload;
  const Job job = runOnce(
      [&](JobContext& context) {
        payload = context.job().payload;
        EXPECT_TRUE(context.setProgress(R"({"half":true})"));
        return JobOutcome::done();
      },
      R"({"what":"this"})");
  EXPECT_EQ(payload, R"({"what":"this"})");
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.progress, R"({"half":true})");
}

TEST_P(Runner, StoresTheErrorOfAFailedJob) {
  const Job job = runOnce([](JobContext&) { return JobOutcome::failed("no such dataset"); });
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.error, "no such dataset");
}

TEST_P(Runner, QueuesAJobAgainForARetry) {
  const Timestamp later = clock_.now() + std::chrono::hours(1);
  const Job job = runOnce([&](JobContext&) { return JobOutcome::retry("busy", later); });
  EXPECT_EQ(job.state, JobState::kQueued);
  EXPECT_EQ(job.run_at, later);
  EXPECT_EQ(job.error, "busy");
}

TEST_P(Runner, FailsAJobWhoseHandlerThrows) {
  Gate thrown;
  const Job job = enqueue("1");
  configureLogging(LogLevel::kError, LogFormat::kText);
  setLogSinkForTest([&](std::string_view) { thrown.open(); });
  JobRunner runner(queue_, options(),
                   [](JobContext&) -> JobOutcome { throw std::runtime_error("a bug"); });
  runner.start();
  thrown.wait();
  runner.stop();
  setLogSinkForTest({});
  EXPECT_EQ(stateOf(job.id), JobState::kFailed);
  EXPECT_EQ(queue_.find(job.id)->error, "Internal server error.");
}

TEST_P(Runner, StopsTheHandlerOfACancelledJob) {
  const Job job = enqueue("1");
  Gate begun;
  Gate ended;
  JobRunner runner(queue_, options(), [&](JobContext& context) {
    begun.open();
    waitForStop(context);
    EXPECT_TRUE(context.cancelled());
    ended.open();
    return JobOutcome::cancelled();
  });
  runner.start();
  begun.wait();
  ASSERT_TRUE(queue_.cancel(job.id));
  runner.wake();
  ended.wait();
  runner.stop();
  EXPECT_EQ(stateOf(job.id), JobState::kCancelled);
}

TEST_P(Runner, ReleasesAJobWhenTheRunnerStops) {
  const Job job = enqueue("1");
  Gate begun;
  JobRunner runner(queue_, options(), [&](JobContext& context) {
    begun.open();
    waitForStop(context);
    EXPECT_FALSE(context.cancelled());
    return JobOutcome::released();
  });
  runner.start();
  begun.wait();
  runner.stop();
  EXPECT_EQ(stateOf(job.id), JobState::kQueued);
  EXPECT_EQ(queue_.find(job.id)->attempts, 0);
}

TEST_P(Runner, ReleasesAJobWhoseHandlerIgnoresTheStop) {
  const Job job = enqueue("1");
  Gate begun;
  Gate end;
  JobRunner runner(queue_, options(), [&](JobContext&) {
    begun.open();
    end.wait();
    return JobOutcome::done();
  });
  runner.start();
  begun.wait();
  std::jthread stopping([&] { runner.stop(milliseconds(1)); });
  while (stateOf(job.id) != JobState::kQueued) std::this_thread::yield();
  end.open();
  stopping.join();
  EXPECT_EQ(stateOf(job.id), JobState::kQueued) << "a result after the release is ignored";
}

TEST_P(Runner, StopsAHandlerWhoseLeaseIsLost) {
  const Job job = enqueue("1");
  Gate begun;
  Gate ended;
  JobRunner runner(queue_, options(), [&](JobContext& context) {
    if (context.job().attempts > 1) return JobOutcome::done();
    begun.open();
    waitForStop(context);
    ended.open();
    return JobOutcome::released();
  });
  runner.start();
  begun.wait();
  ASSERT_TRUE(queue_.releaseWorker("test", "w1"));
  ended.wait();
  while (stateOf(job.id) != JobState::kSucceeded) std::this_thread::yield();
  runner.stop();
}

TEST_P(Runner, ReleasesLeasesOfADeadProcessWithItsName) {
  const Job job = enqueue("1");
  ASSERT_TRUE(queue_.lease("test", "w1", std::chrono::hours(1)));
  Gate ended;
  JobRunner runner(queue_, options(), [&](JobContext& context) {
    EXPECT_EQ(context.job().attempts, 2);
    ended.open();
    return JobOutcome::done();
  });
  runner.start();
  ended.wait();
  runner.stop();
  EXPECT_EQ(stateOf(job.id), JobState::kSucceeded);
}

TEST_P(Runner, RunsOneJobPerThread) {
  enqueue("1");
  enqueue("2");
  Gate first;
  Gate second;
  JobRunner runner(queue_, options(), [&](JobContext& context) {
    const bool is_first = context.job().payload == "1";
    (is_first ? first : second).open();
    (is_first ? second : first).wait();
    return JobOutcome::done();
  });
  runner.start();
  first.wait();
  second.wait();
  runner.stop();
  const Result<std::vector<Job>> jobs = queue_.list({});
  for (const Job& job : *jobs) EXPECT_EQ(job.state, JobState::kSucceeded);
}

SPINDLE_JOBS_ON_BOTH_ENGINES(Runner);

}  // namespace
}  // namespace spindle::jobs
