#include "base/process/sandbox.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/instrumentation.h"

namespace spindle {
namespace {

namespace fs = std::filesystem;

/// Runs a function in a child process. @return its result; -1 if a signal ended the process
int inChild(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool holds(const SandboxReport& report, const std::string& measure) {
  return (" " + report.active).find(" " + measure) != std::string::npos;
}

bool canRead(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char byte = 0;
  const bool read = ::read(file, &byte, 1) == 1;
  ::close(file);
  return read;
}

bool canWrite(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, "x", 1) == 1;
  ::close(file);
  return written;
}

/// @return 0, or the errno of a call
int errorOf(long result) { return result >= 0 ? 0 : errno; }

class SandboxTest : public ::testing::Test {
 public:
  ~SandboxTest() override { fs::remove_all(folder_); }

 protected:
  SandboxTest() {
    std::string pattern = (fs::temp_directory_path() / "spindle-sandbox-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    for (const char* name : {"models", "work", "run"}) fs::create_directory(folder_ / name);
    for (const char* name : {"secret.key", "models/a.gguf"})
      std::ofstream(folder_ / name) << "something";
    policy_.read = {at("models/a.gguf")};
    policy_.write = {at("work")};
    policy_.sockets = {at("run")};
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  /// Runs a function in a child process in the sandbox.
  int sandboxed(const std::function<int(const SandboxReport& report)>& work) const {
    return inChild([&] { return work(enterSandbox(policy_)); });
  }
  /// Asserts that a condition holds in the sandbox if the kernel supports a restriction.
  void expectWith(const std::string& measure, const std::function<bool()>& condition) const {
    constexpr int kMissing = 77;
    const int result = sandboxed([&](const SandboxReport& report) {
      if (!holds(report, measure)) return kMissing;
      return condition() ? 0 : 1;
    });
    if (result == kMissing) GTEST_SKIP() << "this kernel or container has no " << measure;
    EXPECT_EQ(result, 0);
  }

  fs::path folder_;
  SandboxPolicy policy_;
};

TEST_F(SandboxTest, ReportsEveryRestrictionOnce) {
  EXPECT_EQ(sandboxed([](const SandboxReport& report) {
              const std::string all = " " + report.active + " " + report.missing;
              for (const char* measure : {"network_namespace", "capabilities", "rlimits",
                                          "no_new_privs", "landlock", "seccomp"}) {
                const std::size_t first = all.find(std::string(" ") + measure);
                if (first == std::string::npos) return 1;
                if (all.find(measure, first + 2) != std::string::npos) return 2;
              }
              return 0;
            }),
            0);
}

TEST_F(SandboxTest, ReadsOnlyTheFilesOfThePolicy) {
  expectWith("landlock", [this] {
    return canRead(at("models/a.gguf")) && !canRead(at("secret.key")) && !canRead("/etc/passwd") &&
           !canRead("/etc/shadow") && !canRead("/proc/" + std::to_string(::getppid()) + "/environ");
  });
}

TEST_F(SandboxTest, WritesOnlyInItsOwnFolder) {
  expectWith("landlock", [this] {
    return canWrite(at("work/state")) && canRead(at("work/state")) &&
           ::rename(at("work/state").c_str(), at("work/done").c_str()) == 0 &&
           !canWrite(at("new")) && !canWrite(at("models/a.gguf")) && !canWrite("/tmp/spindle-x") &&
           ::unlink(at("models/a.gguf").c_str()) != 0;
  });
}

TEST_F(SandboxTest, ReadsWhatLibrariesNeed) {
  expectWith("landlock", [] {
    return canRead("/proc/cpuinfo") && canRead("/proc/self/maps") && canRead("/dev/urandom") &&
           canWrite("/dev/null");
  });
}

TEST_F(SandboxTest, HasOnlyUnixSockets) {
  expectWith("seccomp", [] {
    return errorOf(::socket(AF_INET, SOCK_STREAM, 0)) == EAFNOSUPPORT &&
           errorOf(::socket(AF_INET6, SOCK_DGRAM, 0)) == EAFNOSUPPORT &&
           errorOf(::socket(AF_NETLINK, SOCK_RAW, 0)) == EAFNOSUPPORT &&
           errorOf(::socket(AF_PACKET, SOCK_RAW, 0)) == EAFNOSUPPORT &&
           ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
  });
}

TEST_F(SandboxTest, AllowsInternetSocketsIfConfigured) {
  policy_.network = SandboxPolicy::Network::kInternet;
  expectWith("seccomp", [] {
    return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 && ::socket(AF_INET6, SOCK_STREAM, 0) >= 0 &&
           errorOf(::socket(AF_PACKET, SOCK_RAW, 0)) == EAFNOSUPPORT;
  });
}

TEST_F(SandboxTest, HasASeparateNetworkNamespace) {
  // An existing socket continues to work; the new network has nothing to connect to.
  expectWith("network_namespace", [] {
    std::ifstream devices("/proc/self/net/dev");
    int interfaces = 0;
    for (std::string line; std::getline(devices, line);)
      interfaces += line.find(':') != std::string::npos;
    return interfaces <= 1;
  });
}

TEST_F(SandboxTest, DenyNewSocketsAppliesToAllThreads) {
  expectWith("seccomp", [this] {
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    at("run/s").copy(address.sun_path, sizeof address.sun_path - 1);
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return false;
    std::atomic<bool> denied{false};
    int error = 0;
    std::thread other([&] {
      while (!denied) std::this_thread::yield();
      error = errorOf(::socket(AF_UNIX, SOCK_STREAM, 0));
    });
    const bool done = denyNewSockets();
    denied = true;
    other.join();
    return done && error == EPERM && errorOf(::socket(AF_UNIX, SOCK_STREAM, 0)) == EPERM &&
           ::listen(listener, 1) != 0;
  });
}

TEST_F(SandboxTest, StartsNoPrograms) {
  expectWith("seccomp", [] {
    char name[] = "/bin/true";
    char* const arguments[] = {name, nullptr};
    return ::execv(name, arguments) != 0 && errno == EPERM;
  });
}

TEST_F(SandboxTest, StartsThreadsAndNoProcesses) {
  expectWith("seccomp", [] {
    bool ran = false;
    std::thread([&ran] { ran = true; }).join();
    if (kInstrumented) return ran;  // the run-time libraries of sanitizers need processes
    return ran && ::fork() == -1 && errno == EPERM;
  });
}

TEST_F(SandboxTest, RefusesDangerousCalls) {
  expectWith("seccomp", [] {
    const auto refused = [](long number) {
      return ::syscall(number, 0, 0, 0, 0, 0) == -1 && errno == EPERM;
    };
    for (const long number : std::initializer_list<long>{SYS_mount,
                                                         SYS_umount2,
                                                         SYS_unshare,
                                                         SYS_setns,
                                                         SYS_chroot,
                                                         SYS_bpf,
                                                         SYS_keyctl,
                                                         SYS_add_key,
                                                         SYS_perf_event_open,
                                                         SYS_init_module,
                                                         SYS_kexec_load,
                                                         SYS_reboot,
                                                         SYS_swapon,
                                                         SYS_userfaultfd,
                                                         SYS_process_vm_readv,
                                                         SYS_process_vm_writev,
                                                         SYS_execveat,
                                                         SYS_open_by_handle_at,
                                                         425L /* io_uring_setup */,
                                                         438L /* pidfd_getfd */}) {
      if (!refused(number)) return false;
    }
    return true;
  });
}

TEST_F(SandboxTest, SignalsOnlyItself) {
  const pid_t parent = ::getpid();
  expectWith("seccomp", [parent] {
    return ::kill(::getpid(), 0) == 0 && ::kill(parent, 0) != 0 && ::kill(-1, 0) != 0 &&
           ::kill(0, 0) != 0;
  });
  EXPECT_EQ(sandboxed([](const SandboxReport&) -> int { std::abort(); }), -1) << "abort() works";
}

TEST_F(SandboxTest, LeavesNoCoreDumps) {
  expectWith("rlimits", [] {
    rlimit core{};
    rlimit files{};
    return ::getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0 &&
           ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max <= 4096;
  });
}

TEST_F(SandboxTest, WorksForAnUnprivilegedUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "the other tests run as one";
  constexpr uid_t kNobody = 65534;
  for (const char* name : {"", "models", "models/a.gguf", "work", "run", "secret.key"})
    ASSERT_EQ(::chown((folder_ / name).c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(inChild([this] {
              if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return 2;
              const SandboxReport report = enterSandbox(policy_);
              if (!canRead(at("models/a.gguf")) || !canWrite(at("work/state"))) return 3;
              if (holds(report, "landlock") && canRead(at("secret.key"))) return 4;
              if (holds(report, "seccomp") && ::socket(AF_INET, SOCK_STREAM, 0) >= 0) return 5;
              return 0;
            }),
            0);
}

TEST_F(SandboxTest, WorksWhereFilesHaveAnotherOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  for (const char* name : {"models/a.gguf", "work"})
    ASSERT_EQ(::chown((folder_ / name).c_str(), 12345, 12345), 0);
  fs::permissions(folder_ / "models/a.gguf", fs::perms::owner_read);
  fs::permissions(folder_ / "work", fs::perms::owner_all);
  EXPECT_EQ(sandboxed([this](const SandboxReport&) {
              return canRead(at("models/a.gguf")) && canWrite(at("work/state")) ? 0 : 1;
            }),
            0);
}

TEST_F(SandboxTest, WorksInAContainerWithoutNamespaces) {
  // As the filter of a container refuses them.
  EXPECT_EQ(inChild([this] {
              SandboxPolicy outer = policy_;
              outer.write = {folder_.string()};
              enterSandbox(outer);
              const SandboxReport report = enterSandbox(policy_);
              const bool says_so = report.missing.find("network_namespace") != std::string::npos;
              return says_so && canRead(at("models/a.gguf")) && canWrite(at("work/state")) ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace spindle
