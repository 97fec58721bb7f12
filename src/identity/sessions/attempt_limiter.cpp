#include "identity/sessions/attempt_limiter.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/crypto/crypto.h"
#include "cluster/shared_rates.h"

namespace spindle::identity {
namespace {

/// The subject of all others when the memory is used up. Never an address or a user name.
constexpr std::string_view kOthers = " others";

Error tooManyAttempts(double wait_seconds) {
  constexpr double kRounding = 1e-6;  // of the sum of tokens
  return Error(ErrorCode::kRateLimited, "Too many failed attempts to sign in, try again later.")
      .with("retry_after_seconds",
            std::to_string(static_cast<long>(std::ceil(wait_seconds - kRounding))));
}

cluster::Rate sharedRate(const AttemptLimiter::Rate& rate) {
  return {rate.burst, 60 / std::chrono::duration<double>(rate.interval).count()};
}

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

std::string AttemptLimiter::sharedName(std::string_view subject) const {
  return "attempts/" + kind_ + "/" + toHex(sha256(subject)).substr(0, 32);
}

Result<void> AttemptLimiter::take(std::string_view subject) {
  TRY(takeHere(subject));
  if (shared_ == nullptr) return {};
  const Result<cluster::SharedRates::Outcome> outcome =
      shared_->take(sharedName(subject), sharedRate(rate_), 1);
  // Without the database, the limit of this process is all there is.
  if (!outcome || outcome->allowed) return {};
  return tooManyAttempts(outcome->wait_seconds);
}

Result<void> AttemptLimiter::takeHere(std::string_view subject) {
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  Bucket& bucket = bucketOf(subject, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {};
  }
  const std::chrono::duration<double> wait = (1 - bucket.tokens) * rate_.interval;
  return tooManyAttempts(wait.count());
}

void AttemptLimiter::giveBack(std::string_view subject) {
  if (shared_ != nullptr) shared_->give(sharedName(subject), sharedRate(rate_), 1);
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  Bucket& bucket = bucketOf(subject, now);
  bucket.tokens = std::min(rate_.burst, bucket.tokens + 1);
}

}  // namespace spindle::identity
