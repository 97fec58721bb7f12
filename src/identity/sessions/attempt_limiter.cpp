#include "identity/sessions/attempt_limiter.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace spindle::identity {
namespace {

/// The subject of all others when the memory is used up. Never an address or a user name.
constexpr std::string_view kOthers = " others";

}  // namespace

double AttemptLimiter::tokensIn(const Bucket& bucket, Timestamp now) const {
  const std::chrono::duration<double> passed = std::max(now, bucket.filled) - bucket.filled;
  return std::min(rate_.burst, bucket.tokens + passed / rate_.interval);
}

AttemptLimiter::Bucket& AttemptLimiter::bucketOf(std::string_view subject, Timestamp now) {
  auto found = buckets_.find(std::string(subject));
  if (found == buckets_.end() && buckets_.size() >= kMaxSubjects) {
    std::erase_if(buckets_, [&](const Buckets::value_type& entry) {
      return tokensIn(entry.second, now) >= rate_.burst;
    });
    if (buckets_.size() >= kMaxSubjects) subject = kOthers;
  }
  if (found == buckets_.end()) {
    found = buckets_.try_emplace(std::string(subject), Bucket{rate_.burst, now}).first;
  }
  Bucket& bucket = found->second;
  bucket.tokens = tokensIn(bucket, now);
  bucket.filled = std::max(now, bucket.filled);
  return bucket;
}

Result<void> AttemptLimiter::take(std::string_view subject) {
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  Bucket& bucket = bucketOf(subject, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {};
  }
  const std::chrono::duration<double> wait = (1 - bucket.tokens) * rate_.interval;
  constexpr double kRounding = 1e-6;  // of the sum of tokens
  return Error(ErrorCode::kRateLimited, "Too many failed attempts to sign in, try again later.")
      .with("retry_after_seconds",
            std::to_string(static_cast<long>(std::ceil(wait.count() - kRounding))));
}

void AttemptLimiter::giveBack(std::string_view subject) {
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  Bucket& bucket = bucketOf(subject, now);
  bucket.tokens = std::min(rate_.burst, bucket.tokens + 1);
}

}  // namespace spindle::identity
