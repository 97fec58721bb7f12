#include "http/router/rate_limiter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spindle::http {
namespace {

/// Above this number of keys, those that were not used for a minute are removed.
constexpr std::size_t kManyBuckets = 10000;

double secondsBetween(Timestamp from, Timestamp to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void RateLimiter::Decision::describe(Headers& headers) const {
  headers.set("RateLimit-Limit", std::to_string(limit));
  headers.set("RateLimit-Remaining", std::to_string(remaining));
  headers.set("RateLimit-Reset", std::to_string(reset_seconds));
  if (!allowed)
    headers.set("Retry-After", std::to_string(std::max<std::int64_t>(1, reset_seconds)));
}

Error RateLimiter::Decision::refusal(std::string_view message) const {
  return Error(ErrorCode::kRateLimited, message)
      .with("limit", std::to_string(limit))
      .with("remaining", std::to_string(remaining))
      .with("retry_after_seconds", std::to_string(std::max<std::int64_t>(1, reset_seconds)));
}

RateLimiter::Decision RateLimiter::take(std::string_view key, std::int64_t amount) {
  if (shared_) {
    if (std::optional<Decision> decision = shared_(key, limit_, amount)) return *decision;
  }
  const MutexLock lock(mutex_);
  const Timestamp now = clock_.now();
  if (buckets_.size() > kManyBuckets) forgetFullBuckets(now);
  const double capacity = static_cast<double>(limit_);
  const double per_second = capacity / 60.0;
  const auto [found, fresh] = buckets_.try_emplace(std::string(key), Bucket{capacity, now});
  Bucket& bucket = found->second;
  bucket.tokens =
      std::min(capacity, bucket.tokens + secondsBetween(bucket.filled, now) * per_second);
  bucket.filled = now;

  Decision decision;
  decision.limit = limit_;
  const double needed = std::min(static_cast<double>(amount), capacity);
  decision.allowed = bucket.tokens >= needed;
  if (decision.allowed) bucket.tokens -= static_cast<double>(amount);
  decision.remaining = std::max<std::int64_t>(0, static_cast<std::int64_t>(bucket.tokens));
  const double missing = decision.allowed ? capacity - bucket.tokens : needed - bucket.tokens;
  decision.reset_seconds = static_cast<std::int64_t>(std::ceil(missing / per_second));
  return decision;
}

void RateLimiter::forgetFullBuckets(Timestamp now) {
  for (auto at = buckets_.begin(); at != buckets_.end();) {
    at = secondsBetween(at->second.filled, now) > 60 ? buckets_.erase(at) : std::next(at);
  }
}

}  // namespace spindle::http
