#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace spindle::agents {

/// Numbers turns in the order in which their ends are stored, and knows which projects have some
/// that nobody has looked at. Thread-safe.
class EndedTurns {
 public:
  /// `epoch`: greater than at any earlier start, so that later numbers are greater too.
  explicit EndedTurns(std::int64_t epoch) : last_(epoch << kNumberBits) {}
  EndedTurns(const EndedTurns&) = delete;
  EndedTurns& operator=(const EndedTurns&) = delete;

  std::int64_t nextNumber() { return ++last_; }
  /// Later numbers are greater than this one, which was found stored: it is greater than expected
  /// when the metadata was restored from a backup and the spans were not.
  void raise(std::int64_t number);

  /// Turns of the project may have ended.
  void note(std::string_view project_id);
  /// The projects that were noted since this was last called.
  std::set<std::string> take();

  /// Waits until there are such projects. @return false when stop() was called.
  bool wait();
  /// Waits for so long. @return false when stop() was called.
  bool pause(std::chrono::milliseconds duration);
  /// Ends all waiting, for good.
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
