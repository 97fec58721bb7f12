#include "automation/webhooks/delivery_schedule.h"

#include <gtest/gtest.h>

namespace spindle::automation {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;

constexpr Timestamp kNow = Timestamp(seconds(1'700'000'000));

Attempt respondedWith(int status, const HeaderList& headers = {}) {
  Attempt attempt;
  attempt.response.emplace();
  attempt.response->status = status;
  attempt.response->headers = headers;
  return attempt;
}
Attempt failedBy(const std::string& code) {
  Attempt attempt;
  attempt.error_code = code;
  return attempt;
}
RetryDecision decisionFor(const Attempt& outcome, std::int64_t attempt = 1, double chance = 0.5) {
  return decideRetry(DeliveryPolicy(), attempt, outcome, kNow, chance);
}
std::string shown(const RetryDecision& decision) {
  std::string text(textOf(decision.status));
  if (decision.error) text += " " + decision.error->code;
  if (decision.next_attempt_at) {
    const auto wait = std::chrono::duration_cast<seconds>(*decision.next_attempt_at - kNow);
    text += " " + std::to_string(wait.count());
  }
  if (decision.gone) text += " gone";
  if (decision.throttle) text += " throttle";
  if (!decision.request_sent) text += " unsent";
  return text;
}

TEST(RetryDecision, DependsOnTheStatus) {
  for (const int status : {200, 201, 204, 299})
    EXPECT_EQ(shown(decisionFor(respondedWith(status))), "succeeded");
  for (const int status : {400, 401, 404, 500, 503}) {
    EXPECT_EQ(shown(decisionFor(respondedWith(status))), "retrying http_status 5");
  }
  for (const int status : {301, 302, 307}) {
    EXPECT_EQ(shown(decisionFor(respondedWith(status))), "retrying redirect 5");
  }
  for (const int status : {429, 502, 504}) {
    EXPECT_EQ(shown(decisionFor(respondedWith(status))), "retrying http_status 5 throttle");
  }
  EXPECT_EQ(shown(decisionFor(respondedWith(410))), "failed gone gone");
  EXPECT_EQ(shown(decisionFor(respondedWith(199))), "retrying http_status 5");
}

TEST(RetryDecision, RetriesErrorsUnlessTheyArePermanent) {
  for (const char* code :
       {"dns_error", "connect_error", "tls_error", "timeout", "blocked_address", "unavailable"}) {
    EXPECT_EQ(shown(decisionFor(failedBy(code))), "retrying " + std::string(code) + " 5");
  }
  for (const char* code : {"url_not_allowed", "bad_header"}) {
    EXPECT_EQ(shown(decisionFor(failedBy(code))), "failed " + std::string(code));
  }
  for (const char* code : {"render_error", "body_too_large", "secret_unavailable"}) {
    EXPECT_EQ(shown(decisionFor(failedBy(code))), "failed " + std::string(code) + " unsent");
  }
}

TEST(RetryDecision, FollowsTheRetryDelays) {
  std::vector<std::int64_t> waits;
  std::int64_t attempt = 1;
  for (RetryDecision decision = decisionFor(respondedWith(500)); decision.next_attempt_at;
       decision = decisionFor(respondedWith(500), ++attempt)) {
    waits.push_back(std::chrono::duration_cast<seconds>(*decision.next_attempt_at - kNow).count());
  }
  EXPECT_EQ(waits, (std::vector<std::int64_t>{5, 300, 1800, 7200, 18000, 36000, 36000}));
  EXPECT_EQ(attempt, 8);
  EXPECT_EQ(shown(decisionFor(respondedWith(500), 8)), "failed http_status");
}

TEST(RetryDecision, AppliesJitter) {
  EXPECT_EQ(shown(decisionFor(respondedWith(500), 2, 0)), "retrying http_status 240");
  EXPECT_EQ(shown(decisionFor(respondedWith(500), 2, 1)), "retrying http_status 360");
}

TEST(RetryAfter, AppliesToOverloadStatuses) {
  const HeaderList later = {{"Retry-After", "120"}};
  EXPECT_EQ(shown(decisionFor(respondedWith(429, later))), "retrying http_status 120 throttle");
  EXPECT_EQ(shown(decisionFor(respondedWith(503, {{"retry-after", "120"}}))),
            "retrying http_status 120");
  EXPECT_EQ(shown(decisionFor(respondedWith(500, later))), "retrying http_status 5");
  EXPECT_EQ(shown(decisionFor(respondedWith(503, {{"Retry-After", "1"}}))),
            "retrying http_status 5");
  EXPECT_EQ(shown(decisionFor(respondedWith(503, {{"Retry-After", "9999999"}}))),
            "retrying http_status 86400");
  EXPECT_EQ(shown(decisionFor(respondedWith(503, later), 8)), "failed http_status");
}

TEST(RetryAfter, MayBeADate) {
  EXPECT_EQ(retryAfter("Tue, 14 Nov 2023 22:14:20 GMT", kNow), kNow + seconds(60));
  for (const char* nonsense : {"", "soon", "-5", "14 Nov 2023", "Tue, 99 Nov 2023 22:14:20 GMT",
                               "Tue, 14 Xxx 2023 22:14:20 GMT", "1.5"}) {
    EXPECT_EQ(retryAfter(nonsense, kNow), std::nullopt) << nonsense;
  }
}

TEST(RateBucket, AllowsABurstAndThenAnEvenRate) {
  RateBucket bucket(60, std::nullopt);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(bucket.take(kNow), kNow);
  EXPECT_EQ(bucket.take(kNow), kNow + seconds(1));
  EXPECT_EQ(bucket.take(kNow), kNow + seconds(2));
  for (int i = 2; i < 600; ++i) EXPECT_TRUE(bucket.take(kNow));
  EXPECT_EQ(bucket.take(kNow), std::nullopt);
  EXPECT_EQ(bucket.take(kNow + seconds(1)), kNow + minutes(10) + seconds(1));
}

TEST(RateBucket, RefillsOverTime) {
  RateBucket bucket(60, std::nullopt);
  for (int i = 0; i < 60; ++i) bucket.take(kNow);
  RateBucket later(60, bucket.fullAt());
  EXPECT_EQ(later.take(kNow + seconds(30)), kNow + seconds(30));
  for (int i = 1; i < 30; ++i) later.take(kNow + seconds(30));
  EXPECT_EQ(later.take(kNow + seconds(30)), kNow + seconds(31));
}

TEST(RateBucket, AcceptsNoLimit) {
  RateBucket bucket(0, std::nullopt);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(bucket.take(kNow), kNow);
  EXPECT_EQ(bucket.fullAt(), std::nullopt);
}

TEST(WebhookHealth, DisablesAfterFiveDaysOfFailures) {
  WebhookHealth health;
  EXPECT_FALSE(addFailure(health, kNow));
  EXPECT_FALSE(addFailure(health, kNow + hours(1)));
  EXPECT_EQ(health.failing_since, std::nullopt);
  EXPECT_FALSE(addFailure(health, kNow + hours(12)));
  EXPECT_EQ(health.failing_since, kNow + hours(12));
  EXPECT_FALSE(addFailure(health, kNow + hours(131)));
  EXPECT_TRUE(addFailure(health, kNow + hours(132)));
}

TEST(WebhookHealth, IgnoresOneFailureADay) {
  WebhookHealth health;
  for (int day = 0; day < 10; ++day) {
    EXPECT_FALSE(addFailure(health, kNow + hours(25) * day));
    EXPECT_EQ(health.failing_since, std::nullopt);
  }
}

}  // namespace
}  // namespace spindle::automation
