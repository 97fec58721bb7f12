#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"

namespace spindle::http {

/// Threads that run jobs which may block, behind a queue with a bound. Thread-safe.
///
/// Waking a sleeping thread costs more than many a request. So a job wakes another thread only when
/// none is waking up already; whoever finds a job while more are waiting wakes the next, so
/// that no job waits while a thread sleeps.
class WorkerPool {
 public:
  /// Owned by whoever submits it, who keeps it alive until run() or drop() was entered: the pool
  /// does not touch it afterwards. Exactly one of the two is called.
  class Job {
   public:
    virtual ~Job() = default;
    virtual void run() noexcept = 0;
    /// The pool stopped before the job's turn came.
    virtual void drop() noexcept = 0;
  };

  /// @param capacity how many jobs may wait while every thread is busy
  /// @param queued   shows how many wait; outlives the pool
  WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False, without waiting, when the queue is full: the job was not taken.
  bool trySubmit(Job& job);
  /// Takes the job whatever the queue holds: for the next step of work admitted earlier.
  void submit(Job& job);

  /// Drops what waits, lets what runs finish, joins. Later jobs are dropped at once. Idempotent;
  /// one caller at a time.
  void stop();

 private:
  void work();
  bool enqueue(Job& job, bool bounded);
  /// Picks a sleeping thread to wake, unless one is waking up already. @return true to notify.
  bool summon() SPINDLE_REQUIRES(mutex_);
  /// Waits for a job. @param ran the thread comes from running one
  /// @return null when the pool stops.
  Job* take(bool ran);

  const std::size_t capacity_;
  const std::size_t size_;
  Gauge& queued_;

  Mutex mutex_;
  Condition summons_;
  std::deque<Job*> jobs_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t running_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< threads that run a job
  std::size_t sleeping_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::size_t summoned_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< told to wake, not yet awake
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;

  std::vector<std::thread> threads_;
};

}  // namespace spindle::http
