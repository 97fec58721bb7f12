#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"

namespace spindle::app {

/// Decides whether a load balancer should send requests to this node: `GET /health/ready`.
/// Thread-safe.
class Readiness {
 public:
  /// A store that requests need.
  struct Check {
    std::string name;  ///< such as `metadata database`, for the response
    /// Blocks on the store.
    std::function<Result<void>()> run;
    /// A success counts for this long.
    std::chrono::milliseconds valid{1'000};
  };

  explicit Readiness(std::vector<Check> checks);

  /// Ends the start of the node: check() fails before.
  void open();
  /// Makes check() fail from now on.
  void drain();

  /// Returns whether all stores can be reached and the node is not draining. The outcome is at most
  /// a second old, and one caller at a time runs the checks: many balancers cost no more than one.
  /// Blocks like the slowest check; other callers meanwhile get the last outcome, and kUnavailable
  /// when the checks take longer than 5 seconds.
  /// @return kUnavailable with the name of a store, without details.
  Result<void> check();

 private:
  using SteadyClock = std::chrono::steady_clock;

  struct Entry {
    Check check;
    std::optional<SteadyClock::time_point> succeeded_at = {};
  };

  Result<void> runChecks();

  std::vector<Entry> entries_;  ///< used by the caller that set running_
  mutable Mutex mutex_;
  enum class Phase { kStarting, kServing, kDraining };
  /// Returns why the node takes no requests in this phase.
  Result<void> acceptsRequests() const SPINDLE_REQUIRES(mutex_);

  Phase phase_ SPINDLE_GUARDED_BY(mutex_) = Phase::kStarting;
  bool running_ SPINDLE_GUARDED_BY(mutex_) = false;
  SteadyClock::time_point running_since_ SPINDLE_GUARDED_BY(mutex_);
  Result<void> outcome_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<SteadyClock::time_point> checked_at_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::app
