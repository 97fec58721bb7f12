#pragma once

#include <chrono>
#include <cstddef>

#include "base/mutex.h"

namespace spindle::columnar {

/// Keeps statements and checkpoints apart. DuckDB lets a checkpoint wait for every statement that
/// is under way and lets all others wait for the checkpoint, without end; this gate puts a bound on
/// it. Thread-safe.
class ScanGate {
 public:
  /// One statement under way.
  class Pass {
   public:
    /// Waits while the gate is closed.
    explicit Pass(ScanGate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    ScanGate& gate_;
  };

  /// Lets nobody in until open(), and waits for those inside. @return false when they took too
  /// long: then the gate is open again.
  bool close(std::chrono::milliseconds patience);
  void open();

 private:
  Mutex mutex_;
  Condition changed_;
  std::size_t inside_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool closed_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace spindle::columnar
