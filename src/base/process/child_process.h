#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "base/core/result.h"

namespace spindle {

/// A program to run.
struct ChildCommand {
  std::string executable;                   ///< absolute path
  std::vector<std::string> arguments;       ///< without the program name
  std::vector<std::string> variables = {};  ///< `NAME=value`, in addition to the inherited ones
  /// Receives each line that the program writes to stderr, on the waiting thread.
  std::function<void(const std::string& line)> on_line;
};

/// How a process ended.
struct ChildExit {
  int code = 0;                 ///< exit code, if it exited
  int signal = 0;               ///< signal number, if a signal ended it
  std::string last_words = {};  ///< last line that it wrote
};

/// A child process. It inherits only a stderr pipe, a standard input that closes when this process
/// ends for any reason, and the environment variables that a computing program needs (no secrets).
/// It inherits no other descriptors and no signal settings, and it has its own process group. A
/// separate thread waits for it. Thread-safe.
class ChildProcess {
 public:
  /// Called once, on the waiting thread, after the process has ended and was reaped. Must not
  /// destroy the ChildProcess object.
  using Exited = std::function<void(const ChildExit& exit)>;

  /// Starts the program. @return kUnavailable when it cannot be started; then `exited` is not
  /// called.
  static Result<std::unique_ptr<ChildProcess>> start(ChildCommand command, Exited exited);
  /// Kills the process if it runs, and blocks until `exited` has returned.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  /// Sends SIGTERM.
  void terminate();
  void kill();

 private:
  ChildProcess(int pid, int input, int output, ChildCommand command, Exited exited);
  void watch(int output);
  void signal(int number);

  const int pid_;
  const int input_;  ///< write end of the child's standard input
  const ChildCommand command_;
  const Exited exited_;
  Mutex mutex_;
  bool reaped_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< the pid may be reused after this
  std::thread watcher_;
};

/// In a child process: calls `ended` on a separate thread when standard input closes, which means
/// that the parent has ended.
void watchInput(std::function<void()> ended);

/// Logs a line that a child wrote, in the field `line`. Keeps the level of Spindle log lines; other
/// output comes from libraries and is logged as info.
void relayLogLine(const Logger& log,
                  std::string_view event,
                  LogFields fields,
                  const std::string& line);

/// Splits the stderr bytes of a child into lines. Truncates each line to kLongest characters.
class LineSplitter {
 public:
  static constexpr std::size_t kLongest = 2048;

  explicit LineSplitter(std::function<void(const std::string& line)> take)
      : take_(std::move(take)) {}

  void add(std::string_view bytes);
  /// Ends the last line, even without a line break.
  void finish();
  /// Returns the last line that was not empty.
  const std::string& last() const { return last_; }

 private:
  void endLine();

  const std::function<void(const std::string& line)> take_;
  std::string line_;
  std::string last_;
};

}  // namespace spindle
