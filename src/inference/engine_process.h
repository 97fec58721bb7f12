#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "inference/engine_fleet.h"

namespace spindle::inference {

/// A program to run as an engine.
struct EngineCommand {
  std::string executable;              ///< absolute
  std::vector<std::string> arguments;  ///< behind the name of the program
  std::string model;                   ///< for the log
};

/// A child process: it has no descriptors of ours but its stderr, whose lines go to the log, and a
/// standard input that ends when this process does, however that comes; no signals of ours; and of
/// the environment only what an engine may need (no secrets). A thread of its own waits for it.
/// Thread-safe.
class EngineProcess {
 public:
  /// Called once, on the waiting thread, when the process is gone and has been waited for. Must not
  /// destroy the process object.
  using Exited = std::function<void(const EngineExit& exit)>;

  /// @return kUnavailable when the program cannot be started; then nobody is called.
  static Result<std::unique_ptr<EngineProcess>> start(const EngineCommand& command, Exited exited);
  /// Kills what still runs, and waits until `exited` has returned.
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  int pid() const { return pid_; }
  /// Asks it to end.
  void terminate();
  void kill();

 private:
  EngineProcess(int pid, int input, int output, std::string model, Exited exited);
  void watch(int output);
  void signal(int number);

  const int pid_;
  const int input_;  ///< our end
  const std::string model_;
  const Exited exited_;
  Mutex mutex_;
  bool reaped_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< the number may be another's by now
  std::thread watcher_;
};

/// The lines of a child's stderr, from pieces. Keeps a line to a length that a log can take.
class LineSplitter {
 public:
  static constexpr std::size_t kLongest = 2048;

  explicit LineSplitter(std::function<void(const std::string& line)> take)
      : take_(std::move(take)) {}

  void add(std::string_view bytes);
  /// What has no end yet is a line as well.
  void finish();
  /// The last line that was not empty.
  const std::string& last() const { return last_; }

 private:
  void endLine();

  const std::function<void(const std::string& line)> take_;
  std::string line_;
  std::string last_;
};

}  // namespace spindle::inference
