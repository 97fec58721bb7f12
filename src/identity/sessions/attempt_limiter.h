#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::cluster {
class SharedRates;
}

namespace spindle::identity {

/// Limits failed attempts per subject, such as an address or an account: a burst, then one attempt
/// per interval. Uses a bounded amount of memory: subjects beyond kMaxSubjects share one limit.
/// With cluster::SharedRates, the attempts of all nodes of a deployment count. Thread-safe; blocks
/// on the database only with shared rates.
class AttemptLimiter {
 public:
  static constexpr std::size_t kMaxSubjects = 10'000;

  struct Rate {
    double burst = 10;
    std::chrono::seconds interval{30};
  };

  /// `clock` and `shared` must outlive the limiter. `shared` is null when no other process counts
  /// attempts; `kind` distinguishes the limiters of a deployment.
  AttemptLimiter(Rate rate,
                 const Clock& clock,
                 cluster::SharedRates* shared = nullptr,
                 std::string_view kind = {})
      : rate_(rate), clock_(clock), shared_(shared), kind_(kind) {}

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

  Result<void> takeHere(std::string_view subject);
  /// Returns the name of the shared bucket. It does not reveal the subject.
  std::string sharedName(std::string_view subject) const;

  const Rate rate_;
  const Clock& clock_;
  cluster::SharedRates* const shared_;
  const std::string kind_;
  Mutex mutex_;
  Buckets buckets_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::identity
