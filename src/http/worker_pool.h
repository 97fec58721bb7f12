#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"

namespace spindle::http {

/// Threads that run jobs which may block, behind a queue with a bound, shared out fairly among
/// classes of jobs (teams, users, anonymous clients). Thread-safe.
///
/// Classes that wait are served in turn. A class may hold at most kShare times as many threads as
/// are free: one class alone gets three quarters of a large pool, two get three sevenths each. So a
/// class whose jobs all block never takes the last threads, and another class is served at once.
/// The same rule bounds the part of the queue that one class may fill.
///
/// Waking a sleeping thread costs more than many a request. So a job wakes another thread only when
/// none is waking up already; whoever finds a job while more can run wakes the next, so
/// that no job that may run waits while a thread sleeps.
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

  enum class Admittance {
    kTaken,
    kFull,       ///< the queue is full
    kClassFull,  ///< the class fills its part of the queue
  };

  /// @param capacity how many jobs may wait while every thread is busy
  /// @param queued   shows how many wait; outlives the pool
  WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Returns at once; unless kTaken, the job was not taken.
  Admittance trySubmit(Job& job, std::string_view share_class = {});
  /// Takes the job whatever the queue holds: for the next step of work admitted earlier.
  void submit(Job& job, std::string_view share_class = {});

  /// Drops what waits, lets what runs finish, joins. Later jobs are dropped at once. Idempotent;
  /// one caller at a time.
  void stop();

 private:
  static constexpr std::size_t kShare = 3;

  /// Past this many classes, those without jobs are forgotten.
  static constexpr std::size_t kManyClasses = 1000;

  /// Jobs of one class.
  struct Share {
    std::deque<Job*> waiting;
    std::size_t running = 0;
  };

  void work();
  Admittance enqueue(Job& job, std::string_view share_class, bool bounded);
  /// Returns true if another job of the class may start now.
  bool mayRun(const Share& share) const SPINDLE_REQUIRES(mutex_);
  /// Position in `turns_` of the next class with a job that may start; its end when there is none.
  std::deque<Share*>::iterator nextTurn() SPINDLE_REQUIRES(mutex_);
  Share& shareOf(std::string_view name) SPINDLE_REQUIRES(mutex_);
  /// Picks a sleeping thread to wake, unless one is waking up already. @return true to notify.
  bool summon() SPINDLE_REQUIRES(mutex_);
  /// A job that runs, and the class whose thread it holds.
  struct Running {
    Job* job = nullptr;
    Share* share = nullptr;
  };
  /// Waits for a job. @param ended the one that the thread comes from, if any
  /// @return no job when the pool stops.
  Running take(const Running& ended);

  const std::size_t capacity_;
  const std::size_t size_;
  Gauge& queued_;

  Mutex mutex_;
  Condition summons_;
  std::map<std::string, Share, std::less<>> shares_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<Share*> turns_ SPINDLE_GUARDED_BY(mutex_);  ///< classes that wait, in their turn
  std::size_t waiting_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::size_t running_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< threads that run a job
  std::size_t sleeping_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::size_t summoned_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< told to wake, not yet awake
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;

  std::vector<std::thread> threads_;
};

}  // namespace spindle::http
