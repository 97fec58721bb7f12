#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/core/time.h"

namespace spindle {

/// The clock for schedules: leases, retries, back-offs, rate limits. Returns the time of its
/// construction plus the monotonic time since then, so an adjustment of the wall clock neither
/// delays nor repeats anything. Never goes back. Thread-safe.
class ScheduleClock final : public Clock {
 public:
  explicit ScheduleClock(const Clock& wall) : ScheduleClock(wall.now()) {}
  /// The time is now `start`; for machines whose schedules agree.
  explicit ScheduleClock(Timestamp start) : start_(start) {}

  Timestamp now() const override {
    return start_ + std::chrono::microseconds(added_.load(std::memory_order_relaxed)) +
           std::chrono::floor<std::chrono::microseconds>(Monotonic::now() - started_);
  }

  /// Moves the clock forward to `present` if it is more than a second behind: the monotonic clock
  /// stands still while a machine is suspended. Call it from one thread. @return true if it moved.
  bool catchUp(Timestamp present) {
    const std::chrono::microseconds behind = present - now();
    if (behind <= std::chrono::seconds(1)) return false;
    added_.fetch_add(behind.count(), std::memory_order_relaxed);
    return true;
  }

 private:
  using Monotonic = std::chrono::steady_clock;

  const Timestamp start_;
  const Monotonic::time_point started_ = Monotonic::now();
  std::atomic<std::int64_t> added_{0};  ///< microseconds
};

/// The clocks of an area that shows times to users and has schedules. Both must outlive this
/// object.
struct Clocks {
  /// Uses one clock for both, if it is never adjusted: in tests.
  Clocks(const Clock& clock)  // NOLINT(google-explicit-constructor): one clock converts to both
      : wall(clock), schedule(clock) {}
  Clocks(const Clock& wall_clock, const Clock& schedule_clock)
      : wall(wall_clock), schedule(schedule_clock) {}

  /// Converts between wall time and schedule time.
  Timestamp scheduled(Timestamp wall_time) const {
    return wall_time + (schedule.now() - wall.now());
  }
  Timestamp shown(Timestamp scheduled_time) const {
    return scheduled_time - (schedule.now() - wall.now());
  }

  /// Returns the earlier of both times. Ages computed with it are never too high, whatever the wall
  /// clock was set to.
  Timestamp earlier() const { return std::min(wall.now(), schedule.now()); }

  const Clock& wall;
  const Clock& schedule;
};

}  // namespace spindle
