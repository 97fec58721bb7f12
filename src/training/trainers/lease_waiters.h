#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "training/trainers/trainer_service.h"

namespace spindle::training {

/// Parks long-polling trainers and answers them when a job becomes available. One thread polls the
/// queue for all of them: when wake() is called, and periodically, to see changes by other servers
/// on a shared database and expired leases. Thread-safe.
class LeaseWaiters {
 public:
  /// Called once, on the polling thread: with a job, without one after a timeout, or with an error.
  /// @return false if the trainer has disconnected
  using Answer = std::function<bool(Result<std::optional<Offer>>)>;
  /// Leases a job for a worker, and returns a job whose trainer has disconnected.
  struct Source {
    std::function<Result<std::optional<Offer>>(const TrainerRequest& trainer)> lease;
    std::function<void(const Offer& offer)> give_back;
  };

  explicit LeaseWaiters(Source source, std::chrono::milliseconds poll = std::chrono::seconds(1));
  ~LeaseWaiters();

  void start();
  /// Stops the thread and answers all waiting trainers without a job.
  void stop();

  /// Parks a trainer. Replaces an earlier wait of the same worker.
  void wait(const TrainerRequest& trainer, std::chrono::milliseconds timeout, Answer answer);
  /// Polls for jobs now.
  void wake();
  /// Returns true if a trainer is waiting that reads GGUF files, as the server's own trainer does.
  bool hasGgufWaiters();

 private:
  struct Waiter {
    TrainerRequest trainer;
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
