#include "base/process/sandbox.h"

#include <cerrno>
#include <cstdint>
#include <fstream>

#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/core/byte_units.h"
#include "base/core/instrumentation.h"
#include "base/process/sandbox_files.h"
#include "base/process/sandbox_filter.h"

#if defined(__SANITIZE_ADDRESS__)
namespace {
bool is_sandboxed = false;
}

/// LeakSanitizer asks this at the end of the program. It cannot stop the threads of a sandboxed
/// process, so it would report memory that they use, or wait forever.
extern "C" int __lsan_is_turned_off() { return is_sandboxed ? 1 : 0; }  // NOLINT: the given name
#endif

namespace spindle {
namespace {

constexpr rlim_t kMostFiles = 4096;

/// Lowers a limit; never raises it.
bool lower(__rlimit_resource_t resource, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return false;
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most) limit.rlim_max = most;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max)
    limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(resource, &limit) == 0;
}

/// Limits the resources of the process. GPU drivers reserve far more addresses than memory.
bool limitResources() {
  bool done = lower(RLIMIT_CORE, 0) && lower(RLIMIT_NOFILE, kMostFiles);
  const bool has_gpu = ::access("/dev/nvidiactl", F_OK) == 0 || ::access("/dev/kfd", F_OK) == 0;
  if (has_gpu || kInstrumented) return done;
  const auto memory =
      static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  return lower(RLIMIT_AS, 4 * memory + 64 * kGiB) && done;
}

bool writeFile(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  return file.good();
}

/// Enters a separate network namespace without any network. Root can do this directly; other users
/// need a user namespace, in which they keep their id.
bool isolateNetwork() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user == 0) return ::unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0) return false;
  const auto same = [](unsigned id) {
    return std::to_string(id) + " " + std::to_string(id) + " 1";
  };
  // Without the maps files keep their owners; only the user names are unknown.
  writeFile("/proc/self/setgroups", "deny");
  writeFile("/proc/self/uid_map", same(user));
  writeFile("/proc/self/gid_map", same(group));
  return true;
}

/// Drops all capabilities except those for files of other users, because models and data of a
/// server that runs as root may belong to another user. @return false if capabilities could not be
/// dropped
bool dropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, held) != 0) return false;
  constexpr std::uint32_t kKept = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);
  __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = {};
  left[0].effective = held[0].effective & kKept;
  left[0].permitted = held[0].permitted & kKept;
  return ::syscall(SYS_capset, &header, left) == 0;
}

}  // namespace

SandboxReport enterSandbox(const SandboxPolicy& policy) {
#if defined(__SANITIZE_ADDRESS__)
  is_sandboxed = true;
#endif
  SandboxReport report;
  const auto note = [&report](const std::string& measure, bool holds) {
    std::string& words = holds ? report.active : report.missing;
    words += (words.empty() ? "" : " ") + measure;
  };
  const bool is_local = policy.network == SandboxPolicy::Network::kUnixSockets;
  if (is_local) note("network_namespace", isolateNetwork());
  note("capabilities", dropCapabilities());
  note("rlimits", limitResources());
  note("no_new_privs", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  const int landlock = restrictFiles(policy);
  note(landlock == 0 ? "landlock" : "landlock:" + std::to_string(landlock), landlock != 0);
  const SocketFamilies families = is_local ? SocketFamilies::kUnix : SocketFamilies::kInternet;
  note("seccomp", installFilter(sandboxFilter(families, ::getpid()), false));
  return report;
}

bool denyNewSockets() { return installFilter(socketFilter(), true); }

}  // namespace spindle
