#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "base/mutex.h"

namespace spindle::training {

/// How a trainer of the server's own is started.
struct LocalTrainerCommand {
  std::string executable;  ///< absolute
  std::vector<std::string> arguments;
  std::vector<std::string> variables = {};  ///< `NAME=value`
  /// Further arguments, asked for at every start on the trainer's own thread; may be empty.
  std::function<std::vector<std::string>()> more_arguments = {};
};

/// A trainer on this machine, as a child process: started when there is work that nobody takes,
/// again when it dies, with pauses that grow when it keeps dying. It ends by itself when there was
/// nothing to do for a while. Thread-safe.
class LocalTrainer {
 public:
  using Milliseconds = std::chrono::milliseconds;
  struct Pauses {
    Milliseconds poll{1'000};           ///< between two looks for work
    Milliseconds first_restart{1'000};  ///< after it died; twice that after the next time
    Milliseconds longest_restart{60'000};
    Milliseconds good_life{30'000};  ///< after that the pauses begin anew
    Milliseconds stop{8'000};        ///< to hand back its job
  };

  /// `is_wanted`: whether there is work that nobody takes. Asked on the trainer's own thread, may
  /// block.
  LocalTrainer(LocalTrainerCommand command, std::function<bool()> is_wanted);
  LocalTrainer(LocalTrainerCommand command, std::function<bool()> is_wanted, Pauses pauses);
  ~LocalTrainer();
  LocalTrainer(const LocalTrainer&) = delete;
  LocalTrainer& operator=(const LocalTrainer&) = delete;

  void start();
  /// There may be work.
  void wake();
  /// Lets it hand back what it works at, then ends it.
  void stop();

  /// 0: there is none.
  int pid() const;

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void startChild();
  void endChild();
  /// Until something happens, or the poll is due. @return false when all is over.
  bool awaitChange();

  const LocalTrainerCommand command_;
  const std::function<bool()> is_wanted_;
  const Pauses pauses_;
  std::unique_ptr<ChildProcess> child_;  ///< of the thread alone
  Clock::time_point started_;            ///< likewise
  Clock::time_point not_before_;         ///< likewise
  Milliseconds restart_pause_;           ///< likewise
  mutable Mutex mutex_;
  Condition changed_;
  int pid_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool ended_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< the child did
  ChildExit exit_ SPINDLE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace spindle::training
