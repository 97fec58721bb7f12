#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"

namespace spindle {

/// A program to run.
struct ChildCommand {
  std::string executable;                   ///< absolute
  std::vector<std::string> arguments;       ///< behind the name of the program
  std::vector<std::string> variables = {};  ///< `NAME=value`, beside what is passed on
  /// Takes what it writes to stderr, line by line, on the waiting thread.
  std::function<void(const std::string& line)> on_line;
};

/// How a process ended.
struct ChildExit {
  int code = 0;                 ///< when it ended by itself
  int signal = 0;               ///< when it did not
  std::string last_words = {};  ///< the last line that it wrote
};

/// A child process: it has no descriptors of ours but its stderr and a standard input that ends
/// when this process does, however that comes; no signals of ours; and of the environment only what
/// a program needs that computes (no secrets). A thread of its own waits for it. Thread-safe.
class ChildProcess {
 public:
  /// Called once, on the waiting thread, when the process is gone and has been waited for. Must not
  /// destroy the process object.
  using Exited = std::function<void(const ChildExit& exit)>;

  /// @return kUnavailable when the program cannot be started; then nobody is called.
  static Result<std::unique_ptr<ChildProcess>> start(ChildCommand command, Exited exited);
  /// Kills what still runs, and waits until `exited` has returned.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  /// Asks it to end.
  void terminate();
  void kill();

 private:
  ChildProcess(int pid, int input, int output, ChildCommand command, Exited exited);
  void watch(int output);
  void signal(int number);

  const int pid_;
  const int input_;  ///< our end
  const ChildCommand command_;
  const Exited exited_;
  Mutex mutex_;
  bool reaped_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< the number may be another's by now
  std::thread watcher_;
};

/// In a child: calls `ended` when standard input ends, and with it the process that holds the other
/// end. On a thread of its own.
void watchInput(std::function<void()> ended);

/// Passes on what a child wrote, as its `line`: children write log lines of ours, whose level is
/// kept, and what their libraries have to say.
void relayLogLine(const Logger& log,
                  std::string_view event,
                  LogFields fields,
                  const std::string& line);

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

}  // namespace spindle
