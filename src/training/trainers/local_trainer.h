#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/core/mutex.h"
#include "base/process/child_process.h"

namespace spindle::training {

/// The command that starts the server's own trainer.
struct LocalTrainerCommand {
  std::string executable;  ///< absolute
  std::vector<std::string> arguments;
  std::vector<std::string> variables = {};  ///< `NAME=value`
  /// Returns further arguments; called at every start on the supervisor thread. May be empty.
  std::function<std::vector<std::string>()> more_arguments = {};
};

/// Supervises a trainer on this machine as a child process. Starts it when there is work that no
/// other trainer takes. Restarts it after a crash, with a growing back-off. The trainer exits by
/// itself after some time without work. Thread-safe.
class LocalTrainer {
 public:
  using Milliseconds = std::chrono::milliseconds;
  struct Pauses {
    Milliseconds poll{1'000};           ///< interval of polls for work
    Milliseconds first_restart{1'000};  ///< back-off after a crash; doubles each time
    Milliseconds longest_restart{60'000};
    Milliseconds stable_after{30'000};  ///< resets the back-off after this running time
    Milliseconds stop{8'000};           ///< time to release its job
  };

  /// `is_wanted`: returns true if there is work that no trainer takes. Called on the supervisor
  /// thread; may block.
  LocalTrainer(LocalTrainerCommand command, std::function<bool()> is_wanted);
  LocalTrainer(LocalTrainerCommand command, std::function<bool()> is_wanted, Pauses pauses);
  ~LocalTrainer();
  LocalTrainer(const LocalTrainer&) = delete;
  LocalTrainer& operator=(const LocalTrainer&) = delete;

  void start();
  /// Polls for work now.
  void wake();
  /// Terminates the trainer after it has released its job.
  void stop();

  /// Returns the process id; 0 if the trainer is not running.
  int pid() const;

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void startChild();
  void endChild();
  /// Waits for a change or the next poll. @return false when stopping
  bool awaitChange();

  const LocalTrainerCommand command_;
  const std::function<bool()> is_wanted_;
  const Pauses pauses_;
  std::unique_ptr<ChildProcess> child_;  ///< used by the supervisor thread only
  Clock::time_point started_;            ///< used by the supervisor thread only
  Clock::time_point not_before_;         ///< used by the supervisor thread only
  Milliseconds restart_pause_;           ///< used by the supervisor thread only
  mutable Mutex mutex_;
  Condition changed_;
  int pid_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool ended_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< the child process has exited
  ChildExit exit_ SPINDLE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace spindle::training
