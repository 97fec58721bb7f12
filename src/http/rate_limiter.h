#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/mutex.h"
#include "base/time.h"
#include "http/message.h"

namespace spindle::http {

/// So many requests, or rows, a minute for each key, as a bucket that fills evenly. Thread-safe.
class RateLimiter {
 public:
  struct Verdict {
    bool allowed = true;
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    std::int64_t reset_seconds = 0;  ///< until the bucket is full; of a refusal: until the next one

    void describe(Headers& headers) const;
    /// The kRateLimited for a handler to answer with when it was not allowed.
    Error refusal(std::string message) const;
  };

  /// `clock` must outlive the limiter.
  RateLimiter(std::int64_t requests_per_minute, const Clock& clock)
      : limit_(requests_per_minute), clock_(clock) {}

  bool enabled() const { return limit_ > 0; }
  /// `amount` of them at once. More than a minute's worth is let through when the bucket is full,
  /// and paid for afterwards.
  Verdict take(std::string_view key, std::int64_t amount = 1);

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
