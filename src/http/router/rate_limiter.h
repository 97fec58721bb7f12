#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

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

  /// `clock` must outlive the limiter.
  RateLimiter(std::int64_t requests_per_minute, const Clock& clock)
      : limit_(requests_per_minute), clock_(clock) {}

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
  Mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
