#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/store/ended_turn.h"
#include "base/core/mutex.h"

namespace spindle::agents {

/// Passes ended turns from the store of spans to the publisher of their events: for a store of one
/// process, numbers in the order in which the ends are stored, and the projects with unprocessed
/// ends; for a store of several servers, the turns that this process has stored. Thread-safe.
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

  /// Adds turns that this process has stored. Forgets the oldest beyond kMaxTurns: the log of
  /// stored turns has them too.
  void addTurns(std::vector<EndedTurn> turns);
  /// Returns and removes up to `limit` added turns, oldest first.
  std::vector<EndedTurn> takeTurns(std::size_t limit);
  /// Blocks until turns are added or the duration is over. @return false after stop().
  bool waitForTurns(std::chrono::milliseconds duration);
  static constexpr std::size_t kMaxTurns = 20'000;

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
  std::deque<EndedTurn> added_ SPINDLE_GUARDED_BY(mutex_);
  bool stopped_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace spindle::agents
