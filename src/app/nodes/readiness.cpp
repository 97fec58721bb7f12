#include "app/nodes/readiness.h"

#include <utility>

#include "base/core/log.h"

namespace spindle::app {
namespace {

constexpr Logger kLog("nodes");

constexpr std::chrono::seconds kOutcomeValid{1};
constexpr std::chrono::seconds kLongestCheck{5};

}  // namespace

Readiness::Readiness(std::vector<Check> checks) {
  for (Check& check : checks) entries_.push_back({std::move(check)});
}

void Readiness::open() {
  const MutexLock lock(mutex_);
  if (phase_ == Phase::kStarting) phase_ = Phase::kServing;
}

void Readiness::drain() {
  const MutexLock lock(mutex_);
  phase_ = Phase::kDraining;
}

Result<void> Readiness::acceptsRequests() const {
  if (phase_ == Phase::kStarting) return Error::unavailable("The node is starting.");
  if (phase_ == Phase::kDraining) return Error::unavailable("The node is draining.");
  return {};
}

Result<void> Readiness::check() {
  {
    const MutexLock lock(mutex_);
    TRY(acceptsRequests());
    const auto age = checked_at_ ? SteadyClock::now() - *checked_at_ : SteadyClock::duration::max();
    if (age < kOutcomeValid) return outcome_;
    if (running_) {
      const bool takes_long = SteadyClock::now() - running_since_ >= kLongestCheck;
      if (checked_at_ && !takes_long) return outcome_;
      return Error::unavailable("The checks of the node take too long.");
    }
    running_ = true;
    running_since_ = SteadyClock::now();
  }
  Result<void> outcome = runChecks();
  const MutexLock lock(mutex_);
  running_ = false;
  checked_at_ = SteadyClock::now();
  outcome_ = std::move(outcome);
  TRY(acceptsRequests());
  return outcome_;
}

Result<void> Readiness::runChecks() {
  for (Entry& entry : entries_) {
    const SteadyClock::time_point now = SteadyClock::now();
    if (entry.succeeded_at && now - *entry.succeeded_at < entry.check.valid) continue;
    if (const Result<void> reached = entry.check.run(); !reached) {
      entry.succeeded_at.reset();
      kLog.warning("not_ready", {{"store", entry.check.name}, {"why", reached.error().message()}});
      return Error::unavailable("The " + entry.check.name + " cannot be reached.");
    }
    entry.succeeded_at = now;
  }
  return {};
}

}  // namespace spindle::app
