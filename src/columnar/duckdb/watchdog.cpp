#include "columnar/duckdb/watchdog.h"

#include <algorithm>

namespace spindle::columnar {
namespace {

using std::chrono::steady_clock;

/// Interval after which a statement that ignored an interrupt is interrupted again.
constexpr std::chrono::milliseconds kAgain{100};
constexpr std::chrono::hours kNever{24};

}  // namespace

Watchdog::Watchdog() : thread_([this] { loop(); }) {}

Watchdog::~Watchdog() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  thread_.join();
}

Watchdog::Watch::Watch(Watchdog& watchdog, Connection& connection, Moment deadline)
    : watchdog_(watchdog), connection_(connection), deadline_(deadline) {
  const MutexLock lock(watchdog_.mutex_);
  place_ = watchdog_.watches_.insert(watchdog_.watches_.end(), this);
  if (deadline_ < watchdog_.next_look_) watchdog_.changed_.notifyAll();
}

Watchdog::Watch::~Watch() {
  const MutexLock lock(watchdog_.mutex_);
  watchdog_.watches_.erase(place_);
}

void Watchdog::loop() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    const Moment now = steady_clock::now();
    Moment next = now + kNever;
    for (Watch* watch : watches_) {
      if (watch->deadline_ <= now) watch->connection_.interrupt();
      next = std::min(next, std::max(watch->deadline_, now + kAgain));
    }
    next_look_ = next;
    changed_.waitFor(mutex_, next - now);
  }
}

}  // namespace spindle::columnar
