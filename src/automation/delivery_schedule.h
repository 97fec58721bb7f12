#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "automation/delivery.h"
#include "automation/webhook_client.h"
#include "base/time.h"

namespace spindle::automation {

/// What an operator can decide about deliveries.
struct DeliveryPolicy {
  /// From one failure to the next attempt; when they are used up the delivery has failed.
  std::vector<std::chrono::milliseconds> retry_delays = {
      std::chrono::seconds(5), std::chrono::minutes(5), std::chrono::minutes(30),
      std::chrono::hours(2),   std::chrono::hours(5),   std::chrono::hours(10),
      std::chrono::hours(10)};
  double jitter = 0.2;           ///< part of a delay by which it varies, up and down
  std::int64_t per_minute = 60;  ///< deliveries of one automation; 0: as many as come
};

/// How a delivery goes on after an attempt.
struct Verdict {
  DeliveryStatus status = DeliveryStatus::kSucceeded;
  std::optional<Timestamp> next_attempt_at = {};
  std::optional<DeliveryError> error = {};
  bool reached_out = true;  ///< a request was made: the endpoint's health is judged by it
  bool gone = false;        ///< the endpoint wants no more
  bool throttle = false;    ///< the endpoint is overloaded
};

/// Judges an attempt, the `attempt`th since the delivery (or its replay) began. `chance` is evenly
/// spread over 0..1.
Verdict judge(const DeliveryPolicy& policy,
              std::int64_t attempt,
              const Attempt& outcome,
              Timestamp now,
              double chance);

/// The `Retry-After` of an answer: seconds or a date. Nothing when it says nothing.
std::optional<Timestamp> retryAfter(std::string_view value, Timestamp now);

/// How many deliveries an automation may make: a bucket of `per_minute` that fills evenly, kept as
/// the one moment at which it will be full again.
class RateBucket {
 public:
  RateBucket(std::int64_t per_minute, std::optional<Timestamp> full_at)
      : per_minute_(per_minute), full_at_(full_at) {}

  /// When one more may go, and takes its place. Nothing when it would wait more than ten minutes.
  std::optional<Timestamp> take(Timestamp now);
  std::optional<Timestamp> fullAt() const { return full_at_; }

 private:
  const std::int64_t per_minute_;
  std::optional<Timestamp> full_at_;
};

/// For how long an endpoint has been failing.
struct WebhookHealth {
  std::optional<Timestamp> first_failure_at = {};  ///< of the last day
  std::int64_t failures = 0;                       ///< since then
  std::optional<Timestamp> failing_since = {};     ///< the clock that ends in disabling it
};

/// Adds a failed attempt. @return true when the endpoint is to be disabled.
bool addFailure(WebhookHealth& health, Timestamp when);

}  // namespace spindle::automation
