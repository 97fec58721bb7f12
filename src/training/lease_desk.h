#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "training/trainer_service.h"

namespace spindle::training {

/// Trainers that wait for work, without a thread each: one thread of the desk asks for all of them,
/// when there may be something new and once in a while (what other servers do to a shared database
/// is seen then, and leases that ran out). Thread-safe.
class LeaseDesk {
 public:
  /// Called once, on the desk's thread: with a job, without one when the wait was in vain, or with
  /// what went wrong. @return false when nobody is there to take it.
  using Answer = std::function<bool(Result<std::optional<Offer>>)>;
  /// Asks for a job of a worker, and hands one back that nobody took.
  struct Source {
    std::function<Result<std::optional<Offer>>(const std::string& worker)> lease;
    std::function<void(const Offer& offer)> give_back;
  };

  explicit LeaseDesk(Source source, std::chrono::milliseconds poll = std::chrono::seconds(1));
  ~LeaseDesk();

  void start();
  /// Everybody who waits is sent away.
  void stop();

  /// In place of a wait that is under way under the same name.
  void wait(const std::string& worker, std::chrono::milliseconds patience, Answer answer);
  /// There may be something to do.
  void wake();
  /// Whether anybody waits.
  bool isAttended();

 private:
  struct Waiter {
    std::string worker;
    std::chrono::steady_clock::time_point until;
    Answer answer;
  };

  void run();
  bool leave(const std::shared_ptr<Waiter>& waiter);
  void serve(const std::shared_ptr<Waiter>& waiter);

  const Source source_;
  const std::chrono::milliseconds poll_;
  Mutex mutex_;
  Condition changed_;
  std::list<std::shared_ptr<Waiter>> waiters_ SPINDLE_GUARDED_BY(mutex_);
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace spindle::training
