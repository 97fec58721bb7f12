#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::identity {

/// Limits failed attempts per subject, such as an address or an account: a burst, then one attempt
/// per interval. Uses a bounded amount of memory: subjects beyond kMaxSubjects share one limit.
/// Thread-safe.
class AttemptLimiter {
 public:
  static constexpr std::size_t kMaxSubjects = 10'000;

  struct Rate {
    double burst = 10;
    std::chrono::seconds interval{30};
  };

  /// `clock` must outlive the limiter.
  AttemptLimiter(Rate rate, const Clock& clock) : rate_(rate), clock_(clock) {}

  /// Counts an attempt. @return kRateLimited, with the seconds to wait.
  Result<void> take(std::string_view subject);
  /// Takes the attempt back, because it succeeded.
  void giveBack(std::string_view subject);

 private:
  struct Bucket {
    double tokens = 0;
    Timestamp filled;
  };
  using Buckets = std::unordered_map<std::string, Bucket>;

  double tokensIn(const Bucket& bucket, Timestamp now) const;
  /// Returns the bucket of a subject, filled up to `now`.
  Bucket& bucketOf(std::string_view subject, Timestamp now) SPINDLE_REQUIRES(mutex_);

  const Rate rate_;
  const Clock& clock_;
  Mutex mutex_;
  Buckets buckets_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::identity
