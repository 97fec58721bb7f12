#include "base/process/sandbox_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spindle {
namespace {

namespace fs = std::filesystem;

// Rights of versions that are newer than the headers of Debian 12.
constexpr std::uint64_t kRefer = 1ULL << 13;     // version 2
constexpr std::uint64_t kTruncate = 1ULL << 14;  // version 3
constexpr std::uint64_t kIoctl = 1ULL << 15;     // version 5
constexpr std::uint64_t kTcp = 0b11;             // version 4: bind, connect
constexpr std::uint64_t kScopes = 0b11;          // version 6: abstract Unix sockets, signals

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kFileRights =
    kReadFile | kWriteFile | LANDLOCK_ACCESS_FS_EXECUTE | kTruncate | kIoctl;
/// All rights of version 1.
constexpr std::uint64_t kFirst = (1ULL << 13) - 1;

/// System programs and libraries, with their data.
constexpr std::array kSystemFolders = {"/usr", "/lib", "/lib64", "/lib32", "/opt", "/sys"};
/// System files that libraries read; none is secret.
constexpr std::array kSystemFiles = {
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone",
    "/proc/self",       "/proc/cpuinfo",   "/proc/meminfo",     "/proc/stat",     "/proc/loadavg",
    "/proc/uptime",     "/proc/version",   "/proc/filesystems", "/proc/devices",  "/proc/modules",
    "/proc/sys",        "/proc/driver",    "/etc/OpenCL",       "/etc/vulkan"};
constexpr std::array kNetworkFiles = {"/etc/resolv.conf",
                                      "/etc/hosts",
                                      "/etc/nsswitch.conf",
                                      "/etc/host.conf",
                                      "/etc/gai.conf",
                                      "/etc/ssl",
                                      "/etc/pki",
                                      "/etc/services",
                                      "/etc/protocols",
                                      "/etc/crypto-policies",
                                      "/run/systemd/resolve",
                                      "/etc/ca-certificates"};
constexpr std::array kDevices = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                 "/dev/urandom"};
/// Prefixes of the names of GPU devices.
constexpr std::array kGpuDevices = {"nvidia", "kfd", "dri", "dxg"};

/// `struct landlock_ruleset_attr` of version 6. Older kernels accept it if the fields that they do
/// not know are zero.
struct Rules {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

std::uint64_t rightsOf(int version) {
  std::uint64_t rights = kFirst;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctl;
  return rights;
}

class Ruleset {
 public:
  Ruleset(int version, const Rules& rules)
      : rights_(rightsOf(version)),
        descriptor_(
            static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0))) {}
  ~Ruleset() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Ruleset(const Ruleset&) = delete;
  Ruleset& operator=(const Ruleset&) = delete;

  bool isMade() const { return descriptor_ >= 0; }

  /// Allows access to a path; ignores missing paths.
  void allow(const std::string& path, std::uint64_t access) const {
    const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (opened < 0) return;
    struct stat facts {};
    if (::fstat(opened, &facts) == 0) {
      if (!S_ISDIR(facts.st_mode)) access &= kFileRights;
      landlock_path_beneath_attr rule{};
      rule.allowed_access = access & rights_;
      rule.parent_fd = opened;
      ::syscall(SYS_landlock_add_rule, descriptor_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    ::close(opened);
  }

  bool enforce() const { return ::syscall(SYS_landlock_restrict_self, descriptor_, 0) == 0; }

 private:
  const std::uint64_t rights_;
  const int descriptor_;
};

bool isSystemFolder(const fs::path& folder) {
  return std::any_of(kSystemFolders.begin(), kSystemFolders.end(), [&](std::string_view system) {
    return (folder.string() + "/").starts_with(std::string(system) + "/");
  });
}

bool isLibrary(const fs::path& file) {
  return file.filename().string().find(".so") != std::string::npos;
}

/// Allows the shared libraries beside those that the program has loaded, because libraries load
/// others at run time. Allows only the library files and the folder listing, because the folder may
/// contain data.
void allowLibraries(const Ruleset& rules) {
  std::set<fs::path> folders;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos) continue;
    const fs::path file = line.substr(path);
    if (isLibrary(file) && !isSystemFolder(file.parent_path())) folders.insert(file.parent_path());
  }
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    rules.allow(folder.string(), LANDLOCK_ACCESS_FS_READ_DIR);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (isLibrary(entry.path())) rules.allow(entry.path().string(), kReadFile);
    }
  }
}

void allowDevices(const Ruleset& rules) {
  constexpr std::uint64_t kUse = kReadFile | kWriteFile | kIoctl;
  for (const char* device : kDevices) rules.allow(device, kUse);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_gpu = std::any_of(kGpuDevices.begin(), kGpuDevices.end(),
                                    [&](const char* known) { return name.starts_with(known); });
    if (is_gpu) rules.allow(entry.path().string(), kUse | LANDLOCK_ACCESS_FS_READ_DIR);
  }
}

}  // namespace

int restrictFiles(const SandboxPolicy& policy) {
  const int version = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  if (version < 1) return 0;
  const bool is_local = policy.network == SandboxPolicy::Network::kUnixSockets;
  Rules rules;
  rules.files = rightsOf(version);
  if (version >= 4 && is_local) rules.network = kTcp;
  if (version >= 6) rules.scopes = kScopes;
  const Ruleset all(version, rules);
  if (!all.isMade()) return 0;
  for (const char* path : kSystemFolders) all.allow(path, kRead);
  for (const char* path : kSystemFiles) all.allow(path, kRead);
  // Thread names: CUDA does not start without them.
  all.allow("/proc/self/task", kRead | kWriteFile | kTruncate);
  if (!is_local) {
    for (const char* path : kNetworkFiles) all.allow(path, kRead);
  }
  allowLibraries(all);
  allowDevices(all);
  for (const std::string& path : policy.read) all.allow(path, kRead);
  constexpr std::uint64_t kNever =
      LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
  for (const std::string& path : policy.write)
    all.allow(path, rightsOf(version) & ~kNever & ~kIoctl);
  for (const std::string& path : policy.sockets) all.allow(path, LANDLOCK_ACCESS_FS_MAKE_SOCK);
  return all.enforce() ? version : 0;
}

}  // namespace spindle
