#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/core/mutex.h"

namespace spindle::agents {

/// Numbers turns in the order in which their ends are stored, and records which projects have
/// unprocessed ends of turns. Thread-safe.
class EndedTurnTracker {
 public:
  /// `epoch` is greater than at any earlier start, so that later numbers are greater too.
  explicit EndedTurnTracker(std::int64_t epoch) : last_(epoch << kNumberBits) {}
  EndedTurnTracker(const EndedTurnTracker&) = delete;
  EndedTurnTracker& operator=(const EndedTurnTracker&) = delete;

  std::int64_t nextNumber() { return ++last_; }
  /// Makes later numbers greater than a stored one. A stored number is greater than expected when
  /// the metadata was restored from a backup and the spans were not.
  void raiseTo(std::int64_t number);

  /// Records that turns of the project may have ended.
  void addProject(std::string_view project_id);
  /// Returns and clears the recorded projects.
  std::set<std::string> takeProjects();

  /// Blocks until a project is recorded. @return false after stop().
  bool wait();
  /// Blocks for the duration. @return false after stop().
  bool waitFor(std::chrono::milliseconds duration);
  /// Ends all waits permanently.
  void stop();

 private:
  static constexpr int kNumberBits = 40;

  std::atomic<std::int64_t> last_;
  Mutex mutex_;
  Condition changed_;
  std::set<std::string> projects_ SPINDLE_GUARDED_BY(mutex_);
  bool stopped_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace spindle::agents
