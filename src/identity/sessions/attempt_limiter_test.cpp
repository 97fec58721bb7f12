#include "identity/sessions/attempt_limiter.h"

#include <chrono>

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

using std::chrono::seconds;

class AttemptLimiterTest : public ::testing::Test {
 protected:
  int taken(std::string_view subject, int wanted) {
    int allowed = 0;
    for (int i = 0; i < wanted; ++i) allowed += limiter_.take(subject) ? 1 : 0;
    return allowed;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  AttemptLimiter limiter_{{.burst = 3, .interval = seconds(30)}, clock_};
};

TEST_F(AttemptLimiterTest, AllowsABurstAndThenOneAttemptPerInterval) {
  EXPECT_EQ(taken("ada", 5), 3);
  EXPECT_EQ(taken("bob", 1), 1) << "another subject";
  clock_.advance(seconds(29));
  EXPECT_EQ(taken("ada", 1), 0);
  clock_.advance(seconds(1));
  EXPECT_EQ(taken("ada", 2), 1);
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(taken("ada", 9), 3) << "never more than the burst";
}

TEST_F(AttemptLimiterTest, SaysHowLongToWait) {
  taken("ada", 3);
  clock_.advance(seconds(10));
  const Result<void> refused = limiter_.take("ada");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kRateLimited);
  ASSERT_EQ(refused.error().members().size(), 1U);
  EXPECT_EQ(refused.error().members().front().second, "20");
}

TEST_F(AttemptLimiterTest, DoesNotCountSuccesses) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(limiter_.take("ada"));
    limiter_.giveBack("ada");
  }
  limiter_.giveBack("ada");
  EXPECT_EQ(taken("ada", 5), 3);
}

TEST_F(AttemptLimiterTest, IgnoresAClockThatIsSetBack) {
  EXPECT_EQ(taken("ada", 3), 3);
  clock_.advance(-seconds(3600));
  EXPECT_EQ(taken("ada", 1), 0);
}

TEST_F(AttemptLimiterTest, BoundsItsMemory) {
  for (std::size_t i = 0; i < AttemptLimiter::kMaxSubjects; ++i) {
    ASSERT_TRUE(limiter_.take("subject-" + std::to_string(i)));
  }
  int allowed = 0;
  for (int i = 0; i < 100; ++i) allowed += limiter_.take("more-" + std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(allowed, 3) << "all further subjects share one limit";
  clock_.advance(seconds(60));
  EXPECT_EQ(taken("later", 3), 3) << "subjects without failed attempts are forgotten";
}

}  // namespace
}  // namespace spindle::identity
