#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/mutex.h"

namespace spindle::http {

/// Thread pool for jobs that may block, with a bounded queue and fair sharing among classes of jobs
/// (teams, users, anonymous clients). Thread-safe.
///
/// Waiting classes are served round-robin. A class may use at most kShare times as many threads as
/// are free: a single class gets three quarters of a large pool, two classes get three sevenths
/// each. A class whose jobs all block therefore never uses the last threads, and another class
/// starts immediately. The same rule limits the part of the queue that one class may fill.
///
/// Waking a sleeping thread costs more than many requests. A job therefore wakes a thread only if
/// no other thread is waking up. A thread that takes a job while more jobs can run wakes the next
/// thread, so that no runnable job waits while a thread sleeps.
class WorkerPool {
 public:
  /// The submitter owns the job and keeps it alive until run() or drop() is entered; the pool does
  /// not access it afterwards. The pool calls exactly one of the two.
  class Job {
   public:
    virtual ~Job() = default;
    virtual void run() noexcept = 0;
    /// Called if the pool stops before it runs the job.
    virtual void drop() noexcept = 0;
  };

  enum class SubmitResult {
    kAccepted,
    kFull,       ///< the queue is full
    kClassFull,  ///< the class has used its part of the queue
  };

  /// @param capacity maximum number of waiting jobs while all threads are busy
  /// @param queued   shows the number of waiting jobs; must outlive the pool
  WorkerPool(std::size_t threads, std::size_t capacity, Gauge& queued);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Submits a job without blocking. The pool accepts the job only if the result is kAccepted.
  SubmitResult trySubmit(Job& job, std::string_view share_class = {});
  /// Submits a job even if the queue is full: for the next step of a request that was admitted.
  void submit(Job& job, std::string_view share_class = {});

  /// Drops waiting jobs, completes running jobs and joins the threads. Later jobs are dropped
  /// immediately. Idempotent; one caller at a time.
  void stop();

 private:
  static constexpr std::size_t kShare = 3;

  /// Above this number of classes, those without jobs are removed.
  static constexpr std::size_t kManyClasses = 1000;

  /// Jobs of one class.
  struct Share {
    std::deque<Job*> waiting;
    std::size_t running = 0;
  };

  void work();
  SubmitResult enqueue(Job& job, std::string_view share_class, bool bounded);
  /// Returns true if another job of the class may start now.
  bool mayRun(const Share& share) const SPINDLE_REQUIRES(mutex_);
  /// Returns the position in `turns_` of the next class with a runnable job, or the end.
  std::deque<Share*>::iterator nextTurn() SPINDLE_REQUIRES(mutex_);
  Share& shareOf(std::string_view name) SPINDLE_REQUIRES(mutex_);
  /// Reserves a sleeping thread to wake, unless one is already waking up. @return true to notify.
  bool reserveSleepingThread() SPINDLE_REQUIRES(mutex_);
  /// A running job and its class.
  struct Running {
    Job* job = nullptr;
    Share* share = nullptr;
  };
  /// Blocks until a job is available. @param ended the previous job of the thread, if any
  /// @return no job if the pool stops.
  Running take(const Running& ended);

  const std::size_t capacity_;
  const std::size_t size_;
  Gauge& queued_;

  Mutex mutex_;
  Condition wake_up_;
  std::map<std::string, Share, std::less<>> shares_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<Share*> turns_ SPINDLE_GUARDED_BY(mutex_);  ///< waiting classes, in round-robin order
  std::size_t waiting_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::size_t running_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< threads that run a job
  std::size_t sleeping_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::size_t waking_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< notified but not yet awake
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;

  std::vector<std::thread> threads_;
};

}  // namespace spindle::http
