#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "automation/rules/delivery.h"
#include "automation/webhooks/webhook_client.h"
#include "base/core/time.h"

namespace spindle::automation {

/// Settings of deliveries.
struct DeliveryPolicy {
  /// Delays between a failure and the next attempt. When they are used up, the delivery has failed.
  std::vector<std::chrono::milliseconds> retry_delays = {
      std::chrono::seconds(5), std::chrono::minutes(5), std::chrono::minutes(30),
      std::chrono::hours(2),   std::chrono::hours(5),   std::chrono::hours(10),
      std::chrono::hours(10)};
  double jitter = 0.2;           ///< fraction by which a delay varies, up and down
  std::int64_t per_minute = 60;  ///< deliveries of one automation; 0: no limit
};

/// The decision after an attempt.
struct RetryDecision {
  DeliveryStatus status = DeliveryStatus::kSucceeded;
  std::optional<Timestamp> next_attempt_at = {};
  std::optional<DeliveryError> error = {};
  bool request_sent =
      true;               ///< a request was made, so the outcome counts for the endpoint's health
  bool gone = false;      ///< the endpoint returned 410 Gone
  bool throttle = false;  ///< the endpoint is overloaded
};

/// Decides how to continue after attempt number `attempt`, counted since the delivery or its replay
/// started. `chance` is uniformly distributed over 0..1.
RetryDecision decideRetry(const DeliveryPolicy& policy,
                          std::int64_t attempt,
                          const Attempt& outcome,
                          Timestamp now,
                          double chance);

/// Parses a `Retry-After` header: seconds or a date. Returns nothing for an invalid value.
std::optional<Timestamp> retryAfter(std::string_view value, Timestamp now);

/// Token bucket that limits the deliveries of an automation: `per_minute` tokens that refill
/// evenly. Its only state is the time at which the bucket will be full again.
class RateBucket {
 public:
  RateBucket(std::int64_t per_minute, std::optional<Timestamp> full_at)
      : per_minute_(per_minute), full_at_(full_at) {}

  /// Takes a token and returns the time at which the delivery may be sent. Returns nothing if the
  /// delivery would wait more than ten minutes.
  std::optional<Timestamp> take(Timestamp now);
  std::optional<Timestamp> fullAt() const { return full_at_; }

 private:
  const std::int64_t per_minute_;
  std::optional<Timestamp> full_at_;
};

/// Failure history of an endpoint.
struct WebhookHealth {
  std::optional<Timestamp> first_failure_at = {};  ///< of the last 24 hours
  std::int64_t failures = 0;                       ///< since first_failure_at
  std::optional<Timestamp> failing_since = {};     ///< start of the period before disabling
};

/// Adds a failed attempt. @return true if the webhook must be disabled.
bool addFailure(WebhookHealth& health, Timestamp when);

}  // namespace spindle::automation
