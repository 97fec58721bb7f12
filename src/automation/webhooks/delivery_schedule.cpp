#include "automation/webhooks/delivery_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/core/ascii.h"

namespace spindle::automation {
namespace {

using std::chrono::duration_cast, std::chrono::hours, std::chrono::microseconds,
    std::chrono::minutes;

constexpr hours kLongestRetryAfter{24};
constexpr minutes kLongestWait{10};
constexpr hours kFailureWindow{24};
constexpr hours kFailureSpan{12};
constexpr std::int64_t kSeveral = 2;
constexpr hours kFailingLimit{120};

/// Permanent errors, which a retry cannot fix.
constexpr std::array<std::string_view, 5> kPermanent = {
    "render_error", "body_too_large", "secret_unavailable", "url_not_allowed", "bad_header"};
/// Errors that occur before a request is made.
constexpr std::array<std::string_view, 3> kUnsent = {"render_error", "body_too_large",
                                                     "secret_unavailable"};

template <std::size_t N>
bool isOneOf(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<int> numberIn(std::string_view text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only date format that is still generated (RFC 9110).
std::optional<Timestamp> httpDate(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto* const month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  const std::optional<int> day = numberIn(text.substr(5, 2));
  const std::optional<int> year = numberIn(text.substr(12, 4));
  const std::optional<int> hour = numberIn(text.substr(17, 2));
  const std::optional<int> minute = numberIn(text.substr(20, 2));
  const std::optional<int> second = numberIn(text.substr(23, 2));
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(*year),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return Timestamp(std::chrono::sys_days(date)) + hours(*hour) + minutes(*minute) +
         std::chrono::seconds(*second);
}

std::string_view headerOf(const EndpointResponse& response, std::string_view name) {
  for (const auto& [known, value] : response.headers) {
    if (lowerCase(known) == name) return value;
  }
  return {};
}

DeliveryError errorOf(const Attempt& outcome) {
  if (!outcome.response) return {outcome.error_code, outcome.error_message};
  const int status = outcome.response->status;
  const std::string message = "The endpoint responded with " + std::to_string(status) + ".";
  if (status == 410) return {"gone", message};
  if (status >= 300 && status < 400) return {"redirect", message + " Redirects are not followed."};
  return {"http_status", message};
}

}  // namespace

std::optional<Timestamp> retryAfter(std::string_view value, Timestamp now) {
  if (value.empty()) return std::nullopt;
  const std::optional<int> seconds = numberIn(value);
  if (seconds)
    return *seconds < 0 ? std::nullopt : std::optional(now + std::chrono::seconds(*seconds));
  return httpDate(value);
}

RetryDecision decideRetry(const DeliveryPolicy& policy,
                          std::int64_t attempt,
                          const Attempt& outcome,
                          Timestamp now,
                          double chance) {
  RetryDecision decision;
  if (outcome.succeeded()) return decision;
  decision.status = DeliveryStatus::kFailed;
  decision.error = errorOf(outcome);
  decision.request_sent = outcome.response.has_value() || !isOneOf(kUnsent, outcome.error_code);
  const int status = outcome.response ? outcome.response->status : 0;
  decision.throttle = status == 429 || status == 502 || status == 504;
  if (status == 410) {
    decision.gone = true;
    return decision;
  }
  if (isOneOf(kPermanent, decision.error->code)) return decision;
  if (attempt < 1 || static_cast<std::size_t>(attempt) > policy.retry_delays.size())
    return decision;
  const microseconds delay = policy.retry_delays[static_cast<std::size_t>(attempt) - 1];
  const double factor = 1 + policy.jitter * (2 * chance - 1);
  decision.status = DeliveryStatus::kRetrying;
  Timestamp next = now + duration_cast<microseconds>(delay * factor);
  if (status == 429 || status == 503) {
    const std::optional<Timestamp> wanted =
        retryAfter(headerOf(*outcome.response, "retry-after"), now);
    if (wanted) next = std::max(next, std::min(*wanted, now + kLongestRetryAfter));
  }
  decision.next_attempt_at = next;
  return decision;
}

std::optional<Timestamp> RateBucket::take(Timestamp now) {
  if (per_minute_ <= 0) return now;
  const microseconds each = duration_cast<microseconds>(minutes(1)) / per_minute_;
  // A bucket is never full later than this, unless the clock was ahead when it was stored.
  const Timestamp latest = now + kLongestWait + minutes(1);
  const Timestamp kept = full_at_.value_or(now);
  const Timestamp full_at = kept > latest ? now : std::max(kept, now);
  // A full bucket allows a minute's worth of deliveries at once.
  const Timestamp send_at = std::max(now, full_at + each - minutes(1));
  if (send_at - now > kLongestWait) return std::nullopt;
  full_at_ = full_at + each;
  return send_at;
}

bool addFailure(WebhookHealth& health, Timestamp when) {
  if (health.failing_since) return when - *health.failing_since >= kFailingLimit;
  if (!health.first_failure_at || when - *health.first_failure_at > kFailureWindow) {
    health.first_failure_at = when;
    health.failures = 0;
  }
  ++health.failures;
  if (health.failures >= kSeveral && when - *health.first_failure_at >= kFailureSpan) {
    health.failing_since = when;
  }
  return false;
}

}  // namespace spindle::automation
