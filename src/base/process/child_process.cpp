#include "base/process/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spindle {
namespace {

/// Environment variables that a computing program needs. Keys and passwords of the server are not
/// included.
constexpr std::array kInheritedVariables = {"PATH",
                                            "HOME",
                                            "LANG",
                                            "LC_ALL",
                                            "TMPDIR",
                                            "LD_LIBRARY_PATH",
                                            "CUDA_VISIBLE_DEVICES",
                                            "OMP_NUM_THREADS",
                                            "ASAN_OPTIONS",
                                            "LSAN_OPTIONS",
                                            "TSAN_OPTIONS",
                                            "UBSAN_OPTIONS"};

std::vector<std::string> environment(std::vector<std::string> chosen) {
  for (const char* const name : kInheritedVariables) {
    // The environment does not change while the server runs.
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) chosen.push_back(std::string(name) + "=" + value);
  }
  return chosen;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Error cannotStart(int reason) {
  return Error::unavailable(std::string("The program cannot be started: ") +
                            std::strerror(reason));  // NOLINT(concurrency-mt-unsafe)
}

struct Pipe {
  Pipe() = default;
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }

  std::array<int, 2> ends = {-1, -1};  ///< read end, write end
};

/// Arguments of posix_spawn(), freed in the destructor.
class SpawnSettings {
 public:
  SpawnSettings(int input, int error_output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, error_output, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    // A separate process group: Ctrl-C in a terminal ends the server, which then ends its children.
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(const ChildCommand& command, pid_t& pid) const {
    std::vector<std::string> arguments = command.arguments;
    arguments.insert(arguments.begin(), command.executable);
    std::vector<std::string> variables = environment(command.variables);
    return posix_spawn(&pid, command.executable.c_str(), &actions_, &attributes_,
                       pointersTo(arguments).data(), pointersTo(variables).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// Reads available bytes. @return false at the end of the input
bool readOnce(int descriptor, LineSplitter& lines) {
  std::array<char, 4096> bytes{};
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  if (count > 0) lines.add({bytes.data(), static_cast<std::size_t>(count)});
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

void watchInput(std::function<void()> ended) {
  std::thread([ended = std::move(ended)] {
    std::array<char, 256> bytes{};
    ssize_t count = 1;
    while (count > 0 || (count < 0 && errno == EINTR))
      count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    ended();
  }).detach();
}

void relayLogLine(const Logger& log,
                  std::string_view event,
                  LogFields fields,
                  const std::string& line) {
  fields.emplace_back("line", line);
  if (line.find(R"("level":"error")") != std::string::npos) {
    log.error(event, fields);
  } else if (line.find(R"("level":"warning")") != std::string::npos) {
    log.warning(event, fields);
  } else {
    log.info(event, fields);
  }
}

void LineSplitter::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') {
      endLine();
    } else if (line_.size() < kLongest) {
      line_ += c;
    }
  }
}

void LineSplitter::finish() {
  if (!line_.empty()) endLine();
}

void LineSplitter::endLine() {
  std::string line = std::exchange(line_, {});
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty()) return;
  take_(line);
  last_ = std::move(line);
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(ChildCommand command, Exited exited) {
  Pipe input;
  Pipe output;
  if (!input.open() || !output.open()) return cannotStart(errno);
  pid_t pid = 0;
  const int failed = SpawnSettings(input.ends[0], output.ends[1]).spawn(command, pid);
  if (failed != 0) return cannotStart(failed);
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, std::exchange(input.ends[1], -1),
                                                        std::exchange(output.ends[0], -1),
                                                        std::move(command), std::move(exited)));
}

ChildProcess::ChildProcess(int pid, int input, int output, ChildCommand command, Exited exited)
    : pid_(pid), input_(input), command_(std::move(command)), exited_(std::move(exited)) {
  watcher_ = std::thread([this, output] { watch(output); });
}

ChildProcess::~ChildProcess() {
  kill();
  watcher_.join();
  ::close(input_);
}

void ChildProcess::watch(int output) {
  LineSplitter lines(command_.on_line);
  // Without pidfd support (an old kernel), the end of the output indicates the end of the process.
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  std::array<pollfd, 2> events = {pollfd{output, POLLIN, 0}, pollfd{process, POLLIN, 0}};
  while (true) {
    const int count = ::poll(events.data(), events.size(), -1);
    if (count < 0 && errno == EINTR) continue;
    if (events[0].revents != 0 && !readOnce(output, lines)) break;
    if (events[0].revents == 0 && events[1].revents != 0) break;
  }
  if (process >= 0) ::close(process);
  ::close(output);
  lines.finish();

  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  {
    const MutexLock lock(mutex_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
  }
  const bool by_itself = end.si_code == CLD_EXITED;
  exited_({by_itself ? end.si_status : 0, by_itself ? 0 : end.si_status, lines.last()});
}

void ChildProcess::signal(int number) {
  const MutexLock lock(mutex_);
  if (!reaped_) ::kill(pid_, number);
}

void ChildProcess::terminate() { signal(SIGTERM); }

void ChildProcess::kill() { signal(SIGKILL); }

}  // namespace spindle
