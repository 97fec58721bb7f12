#pragma once

#include <chrono>
#include <cstddef>

#include "base/core/mutex.h"

namespace spindle::columnar {

/// Separates statements, or snapshots, from work on the whole file. In DuckDB a checkpoint waits
/// for all running statements, and all other statements wait for the checkpoint, without a limit.
/// This gate adds a timeout. Thread-safe.
class ScanGate {
 public:
  /// Scope guard of one running statement.
  class Pass {
   public:
    /// Blocks while the gate is closed.
    explicit Pass(ScanGate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    ScanGate& gate_;
  };

  /// Blocks new statements until open() and waits for the running ones. @return false after the
  /// timeout; then the gate is open again.
  bool close(std::chrono::milliseconds timeout);
  void open();

 private:
  Mutex mutex_;
  Condition changed_;
  std::size_t inside_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool closed_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace spindle::columnar
