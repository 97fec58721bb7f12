#pragma once

#include <condition_variable>
#include <mutex>

// Clang's thread-safety attributes; empty under GCC. `make lint` checks them.
#if defined(__clang__)
#define SPINDLE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define SPINDLE_THREAD_ATTRIBUTE(x)
#endif
#define SPINDLE_GUARDED_BY(mutex) SPINDLE_THREAD_ATTRIBUTE(guarded_by(mutex))
#define SPINDLE_REQUIRES(mutex) SPINDLE_THREAD_ATTRIBUTE(requires_capability(mutex))

namespace spindle {

/// A std::mutex with thread-safety annotations, which libstdc++'s own lacks.
class SPINDLE_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() SPINDLE_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  /// Returns false instead of waiting.
  bool tryLock() SPINDLE_THREAD_ATTRIBUTE(try_acquire_capability(true)) {
    return mutex_.try_lock();
  }
  void unlock() SPINDLE_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class SPINDLE_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SPINDLE_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  /// Unlocks a mutex that the caller has locked.
  MutexLock(Mutex& mutex, std::adopt_lock_t /*locked*/)
      SPINDLE_THREAD_ATTRIBUTE(requires_capability(mutex))
      : mutex_(mutex) {}
  ~MutexLock() SPINDLE_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable for Mutex. Callers loop over their own condition, so that the analysis sees
/// what the condition reads:  while (!ready_) changed_.wait(mutex_);
class Condition {
 public:
  void wait(Mutex& mutex) SPINDLE_REQUIRES(mutex) { condition_.wait(mutex); }
  template <class Rep, class Period>
  std::cv_status waitFor(Mutex& mutex, std::chrono::duration<Rep, Period> limit)
      SPINDLE_REQUIRES(mutex) {
    return condition_.wait_for(mutex, limit);
  }
  void notifyOne() { condition_.notify_one(); }
  void notifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

}  // namespace spindle
