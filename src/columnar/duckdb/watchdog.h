#pragma once

#include <chrono>
#include <list>
#include <thread>

#include "base/core/mutex.h"
#include "columnar/duckdb/connection.h"

namespace spindle::columnar {

/// Interrupts statements that exceed their deadline. Thread-safe; must outlive its watches.
class Watchdog {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Interrupts the running statement of the connection at the deadline, unless this object was
  /// destroyed before.
  class Watch {
   public:
    Watch(Watchdog& watchdog, Connection& connection, Moment deadline);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class Watchdog;
    Watchdog& watchdog_;
    Connection& connection_;
    const Moment deadline_;
    std::list<Watch*>::iterator place_;
  };

 private:
  void loop();

  Mutex mutex_;
  Condition changed_;
  std::list<Watch*> watches_ SPINDLE_GUARDED_BY(mutex_);
  Moment next_look_ SPINDLE_GUARDED_BY(mutex_) = Moment::max();
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace spindle::columnar
