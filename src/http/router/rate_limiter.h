#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/core/error.h"
#include "base/core/mutex.h"
#include "base/core/time.h"
#include "http/message/message.h"

namespace spindle::http {

/// Token bucket per key: limits the requests, or rows, per minute. Thread-safe.
class RateLimiter {
 public:
  struct Decision {
    bool allowed = true;
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::int64_t reset_seconds = 0;  ///< until the bucket is full; if refused: until the next token

    /// Sets the RateLimit-* fields, and Retry-After if refused.
    void describe(Headers& headers) const;
    /// Returns the kRateLimited error for a refused request.
    Error refusal(std::string_view message) const;
  };

  /// Takes tokens from a bucket that several processes share. Nothing if that is impossible at the
  /// moment. May block.
  using Shared = std::function<std::optional<Decision>(
      std::string_view key, std::int64_t limit, std::int64_t amount)>;

  /// `clock` must outlive the limiter. With `shared`, the buckets of this object are used only
  /// while the shared ones cannot be.
  RateLimiter(std::int64_t requests_per_minute, const Clock& clock, Shared shared = nullptr)
      : limit_(requests_per_minute), clock_(clock), shared_(std::move(shared)) {}

  bool enabled() const { return limit_ > 0; }
  /// Takes `amount` tokens. An amount above the limit per minute is allowed if the bucket is full;
  /// the bucket then becomes negative.
  Decision take(std::string_view key, std::int64_t amount = 1);

 private:
  struct Bucket {
    double tokens = 0;
    Timestamp filled;
  };

  void forgetFullBuckets(Timestamp now) SPINDLE_REQUIRES(mutex_);

  const std::int64_t limit_;
  const Clock& clock_;
  const Shared shared_;
  Mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
