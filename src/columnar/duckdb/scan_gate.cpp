#include "columnar/duckdb/scan_gate.h"

namespace spindle::columnar {

using std::chrono::steady_clock;

ScanGate::Pass::Pass(ScanGate& gate) : gate_(gate) {
  const MutexLock lock(gate_.mutex_);
  while (gate_.closed_) gate_.changed_.wait(gate_.mutex_);
  ++gate_.inside_;
}

ScanGate::Pass::~Pass() {
  const MutexLock lock(gate_.mutex_);
  --gate_.inside_;
  if (gate_.closed_) gate_.changed_.notifyAll();
}

bool ScanGate::close(std::chrono::milliseconds timeout) {
  const MutexLock lock(mutex_);
  closed_ = true;
  const auto until = steady_clock::now() + timeout;
  while (inside_ > 0) {
    const auto left = until - steady_clock::now();
    if (left.count() <= 0) {
      closed_ = false;
      changed_.notifyAll();
      return false;
    }
    changed_.waitFor(mutex_, left);
  }
  return true;
}

void ScanGate::open() {
  const MutexLock lock(mutex_);
  closed_ = false;
  changed_.notifyAll();
}

}  // namespace spindle::columnar
