#include "inference/limits/usage_limiter.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;
using Admission = UsageLimiter::Admission;

constexpr Timestamp kLimiterStart{std::chrono::microseconds(1'700'000'000'000'000)};

UsageLimit limitOf(LimitScope scope, std::string subject_id) {
  UsageLimit limit;
  limit.id = subject_id + "-limit";
  limit.scope = scope;
  limit.subject_id = std::move(subject_id);
  return limit;
}

class AdmissionLimits : public ::testing::Test {
 protected:
  Result<Admission> admit(std::int64_t tokens = 0, NanoDollars cost = 0) {
    return limiter_.admit(
        {.of_key = &key_, .of_project = &project_, .tokens = tokens, .cost = cost});
  }
  void expectRefused(const Result<Admission>& result,
                     const std::string& message,
                     const std::string& retry_after) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kRateLimited);
    EXPECT_EQ(result.error().message(), message);
    EXPECT_EQ(result.error().reason(), "rate_limit_exceeded");
    ASSERT_EQ(result.error().members().size(), 1U);
    EXPECT_EQ(result.error().members()[0].first, "retry_after_seconds");
    EXPECT_EQ(result.error().members()[0].second, retry_after);
  }

  ManualClock clock_{kLimiterStart};
  BudgetLedger ledger_{[](LimitScope, const std::string&, Timestamp) -> Result<NanoDollars> {
                         return NanoDollars{0};
                       },
                       clock_};
  UsageLimiter limiter_{ledger_, clock_};
  UsageLimit key_ = limitOf(LimitScope::kKey, "k");
  UsageLimit project_ = limitOf(LimitScope::kProject, "p");
};

TEST_F(AdmissionLimits, NoLimitAdmitsEveryRequest) {
  std::vector<Admission> held;
  for (int i = 0; i < 1'000; ++i) {
    Result<Admission> admission = limiter_.admit({.tokens = 1'000'000, .cost = kMaxNanoDollars});
    ASSERT_TRUE(admission);
    held.push_back(*std::move(admission));
  }
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(admit(1'000'000, kMaxNanoDollars));
}

TEST_F(AdmissionLimits, LimitConcurrency) {
  key_.concurrency = 2;
  Result<Admission> a = admit();
  Result<Admission> b = admit();
  ASSERT_TRUE(a && b);
  expectRefused(admit(), "Concurrency limit reached for requests", "1");
  EXPECT_EQ(limiter_.runningRequests(key_), 2);
  a->settle(10, 0);
  EXPECT_TRUE(admit());
  b->drop();
  EXPECT_EQ(limiter_.runningRequests(key_), 0);
  EXPECT_EQ(limiter_.runningRequests(project_), 0);
}

TEST_F(AdmissionLimits, AnAdmissionEndsOnceAndInItsDestructor) {
  key_.concurrency = 1;
  {
    Result<Admission> a = admit();
    Admission moved = *std::move(a);
    EXPECT_FALSE(admit());
    Admission assigned;
    assigned = std::move(moved);
    EXPECT_FALSE(admit());
    assigned.drop();
    assigned.settle(5, 5);
    EXPECT_EQ(limiter_.runningRequests(key_), 0);
  }
  { const Result<Admission> dropped = admit(); }
  EXPECT_EQ(limiter_.runningRequests(key_), 0);
}

TEST_F(AdmissionLimits, LimitRequestsPerMinute) {
  project_.requests_per_minute = 6;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(admit()) << i;
  expectRefused(admit(), "Rate limit reached for requests per minute of this project", "10");
  clock_.advance(seconds(9));
  expectRefused(admit(), "Rate limit reached for requests per minute of this project", "1");
  clock_.advance(seconds(1));
  EXPECT_TRUE(admit());
  EXPECT_FALSE(admit());
  clock_.advance(std::chrono::hours(1));
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(admit()) << i;
  EXPECT_FALSE(admit());
}

TEST_F(AdmissionLimits, ADroppedRequestStillCounts) {
  key_.requests_per_minute = 1;
  admit()->drop();
  expectRefused(admit(), "Rate limit reached for requests per minute of this API key", "60");
}

TEST_F(AdmissionLimits, TokensAreReservedByEstimateAndSettledByCount) {
  key_.tokens_per_minute = 1'000;
  Result<Admission> a = admit(700);
  ASSERT_TRUE(a);
  expectRefused(admit(400), "Rate limit reached for tokens per minute of this API key", "6");
  a->settle(200, 0);
  Result<Admission> b = admit(800);
  ASSERT_TRUE(b);
  EXPECT_FALSE(admit(1));
  b->drop();
  EXPECT_TRUE(admit(800));
}

TEST_F(AdmissionLimits, TokensAboveTheEstimateReduceTheBucket) {
  key_.tokens_per_minute = 600;
  admit(100)->settle(900, 0);
  expectRefused(admit(10), "Rate limit reached for tokens per minute of this API key", "31");
  clock_.advance(seconds(31));
  EXPECT_TRUE(admit(10));
}

TEST_F(AdmissionLimits, ARequestAboveTheCapacityNeedsAFullBucket) {
  key_.tokens_per_minute = 600;
  ASSERT_TRUE(admit(1)) << "the request is dropped again";
  Result<Admission> large = admit(6'000);
  ASSERT_TRUE(large);
  EXPECT_FALSE(admit(1));
  large->settle(1'200, 0);
  clock_.advance(seconds(60));
  EXPECT_FALSE(admit(1));
  clock_.advance(seconds(1));
  EXPECT_TRUE(admit(1));
}

TEST_F(AdmissionLimits, ReleasesAtMostTheCapacity) {
  key_.tokens_per_minute = 600;
  Result<Admission> slow = admit(600);
  clock_.advance(std::chrono::hours(1));
  slow->drop();
  ASSERT_TRUE(admit(600)) << "full";
  Result<Admission> all = admit(600);
  ASSERT_TRUE(all);
  EXPECT_FALSE(admit(1));
}

TEST_F(AdmissionLimits, AreReservedAtomically) {
  key_.requests_per_minute = 10;
  key_.tokens_per_minute = 1'000;
  key_.concurrency = 10;
  key_.budget_usd = 1.0;
  project_.concurrency = 0;
  for (int i = 0; i < 50; ++i) ASSERT_FALSE(admit(500, 300'000'000)) << i;
  project_.concurrency = std::nullopt;
  project_.budget_usd = 0.0;
  for (int i = 0; i < 50; ++i) {
    const Result<Admission> refused = admit(500, 300'000'000);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kQuotaExceeded);
  }
  EXPECT_EQ(ledger_.state(key_).reserved, 0);
  EXPECT_EQ(limiter_.runningRequests(key_), 0);
  project_.budget_usd = std::nullopt;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(admit(1'000, 1'000'000'000)) << i;
  EXPECT_FALSE(admit());
}

TEST_F(AdmissionLimits, ABudgetIsReservedAndSettled) {
  project_.budget_usd = 1.0;
  Result<Admission> a = admit(0, 600'000'000);
  ASSERT_TRUE(a);
  const Result<Admission> refused = admit(0, 600'000'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(refused.error().reason(), "insufficient_quota");
  EXPECT_EQ(refused.error().message(),
            "You exceeded your current quota: the budget of this project.");
  a->settle(0, 100'000'000);
  EXPECT_TRUE(admit(0, 900'000'000));
}

TEST_F(AdmissionLimits, RejectRequestsWhenTheCostIsUnknown) {
  BudgetLedger broken([](LimitScope, const std::string&,
                         Timestamp) -> Result<NanoDollars> { return Error::unavailable("down"); },
                      clock_);
  UsageLimiter limiter(broken, clock_);
  project_.budget_usd = 1.0;
  const Result<Admission> refused = limiter.admit({.of_project = &project_, .cost = 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
}

TEST_F(AdmissionLimits, KeysAndProjectsWithTheSameIdAreSeparate) {
  UsageLimit key = limitOf(LimitScope::kKey, "x");
  UsageLimit project = limitOf(LimitScope::kProject, "x");
  key.concurrency = 1;
  project.concurrency = 1;
  const Result<Admission> a = limiter_.admit({.of_key = &key});
  EXPECT_TRUE(limiter_.admit({.of_project = &project}));
  EXPECT_FALSE(limiter_.admit({.of_key = &key}));
}

TEST_F(AdmissionLimits, CountsSurviveAChangeOfTheLimit) {
  key_.concurrency = 5;
  const Result<Admission> a = admit();
  const Result<Admission> b = admit();
  key_.concurrency = 2;
  key_.version = 2;
  EXPECT_FALSE(admit());
  key_.requests_per_minute = 1;
  key_.concurrency = 9;
  EXPECT_TRUE(admit());
  EXPECT_FALSE(admit());
}

TEST_F(AdmissionLimits, ASmallerBucketLosesItsExcess) {
  key_.tokens_per_minute = 1'000;
  ASSERT_TRUE(admit(0));
  key_.tokens_per_minute = 10;
  Result<Admission> a = admit(10);
  ASSERT_TRUE(a);
  EXPECT_FALSE(admit(1));
}

TEST_F(AdmissionLimits, HoldWithConcurrentThreads) {
  key_.concurrency = 3;
  project_.budget_usd = 1.0;
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3'000; ++i) {
        Result<Admission> admission = admit(10, 400'000'000);
        if (!admission) continue;
        const int now_inside = ++inside;
        int seen = most;
        while (seen < now_inside && !most.compare_exchange_weak(seen, now_inside)) {
        }
        --inside;
        admission->settle(10, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most.load(), 2) << "the budget allows two concurrent requests";
  EXPECT_EQ(limiter_.runningRequests(key_), 0);
  EXPECT_EQ(ledger_.state(project_).reserved, 0);
}

}  // namespace
}  // namespace spindle::inference
