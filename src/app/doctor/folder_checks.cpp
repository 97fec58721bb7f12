#include "app/doctor/folder_checks.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/byte_units.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLittleSpace = 1024 * kMiB;
constexpr std::uintmax_t kNoSpace = 64 * kMiB;
constexpr const char* kCheck = "data folder";

std::string systemMessage(int error) { return std::generic_category().message(error); }

/// Returns the folder, or its nearest existing ancestor.
fs::path existingPart(const fs::path& folder) {
  std::error_code error;
  fs::path part = fs::absolute(folder, error).lexically_normal();
  while (!part.empty() && part != part.root_path() && !fs::exists(part, error)) {
    part = part.parent_path();
  }
  return part;
}

/// A temporary file that the destructor deletes.
class ProbeFile {
 public:
  explicit ProbeFile(const fs::path& folder) : name_((folder / ".doctor-XXXXXX").string()) {
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
    error_ = descriptor_ < 0 ? errno : 0;
  }
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;
  ~ProbeFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(name_.c_str());
  }

  int error() const { return error_; }

  /// Writes a byte, which sets the time stamp of the file. Returns nothing when writing fails.
  std::optional<struct stat> write() const {
    struct stat status {};
    const bool done = descriptor_ >= 0 && ::write(descriptor_, "x", 1) == 1 &&
                      ::fsync(descriptor_) == 0 && ::fstat(descriptor_, &status) == 0;
    if (!done) return std::nullopt;
    return status;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  int error_ = 0;
};

Finding checkAbsentFolder(const fs::path& folder) {
  const fs::path parent = existingPart(folder);
  if (::access(parent.c_str(), W_OK | X_OK) == 0) {
    return Finding::ok(kCheck,
                       fmt::format("{} will be created at the first start", folder.string()));
  }
  return Finding::failure(
      kCheck,
      fmt::format("cannot create {}: {}: {}", folder.string(), parent.string(),
                  systemMessage(errno)),
      fmt::format("create it with `install -d -m 0700 -o $USER {}`, or choose another --data-dir",
                  folder.string()));
}

}  // namespace

Findings checkDataFolder(const fs::path& folder) {
  struct stat status {};
  const std::string name = folder.string();
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return {checkAbsentFolder(folder)};
    return {Finding::failure(kCheck, fmt::format("{}: {}", name, systemMessage(errno)),
                             "make the path readable for this user, or choose another --data-dir")};
  }
  if (!S_ISDIR(status.st_mode)) {
    return {Finding::failure(kCheck, fmt::format("{} is not a folder", name),
                             "move that file away, or choose another --data-dir")};
  }
  Findings findings;
  const ProbeFile probe(folder);
  if (!probe.write()) {
    const int error = probe.error() != 0 ? probe.error() : errno;
    findings.push_back(Finding::failure(
        kCheck, fmt::format("{} is not writable: {}", name, systemMessage(error)),
        fmt::format("chown -R $USER {}, or run as its owner (user id {})", name, status.st_uid)));
  } else {
    findings.push_back(Finding::ok(kCheck, fmt::format("{} is writable", name)));
  }
  const unsigned mode = status.st_mode & 07777U;
  if ((mode & 077U) != 0) {
    findings.push_back(Finding::warning(
        "permissions", fmt::format("{} has mode {:04o}: other users can read it", name, mode),
        fmt::format("chmod 0700 {}", name)));
  } else {
    findings.push_back(Finding::ok("permissions", fmt::format("mode {:04o}", mode)));
  }
  return findings;
}

Finding checkDiskSpace(const fs::path& folder, std::uintmax_t available) {
  const std::string message =
      fmt::format("{} MiB free at {}", available / kMiB, existingPart(folder).string());
  const std::string advice = "free some space, or move the data folder to a larger disk";
  if (available < kNoSpace) return Finding::failure("disk space", message, advice);
  if (available < kLittleSpace) return Finding::warning("disk space", message, advice);
  return Finding::ok("disk space", message);
}

Finding checkLock(const std::optional<storage::FolderHolder>& holder) {
  if (!holder) return Finding::ok("lock", "no server uses the data folder");
  std::string message = "a server is running";
  if (holder->pid != 0) message += fmt::format(", process {}", holder->pid);
  if (!holder->url.empty()) message += fmt::format(", {}", holder->url);
  return Finding::ok("lock", std::move(message));
}

std::optional<storage::FolderHolder> holderOf(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return std::nullopt;
  return storage::DataFolderLock::holder(storage::DataFolder(folder.string()));
}

Findings checkTlsFiles(const config::ServerSettings& server) {
  Findings findings;
  for (const fs::path& file : {server.tls_certificate, server.tls_key}) {
    if (file.empty()) continue;
    if (::access(file.c_str(), R_OK) == 0) {
      findings.push_back(Finding::ok("tls", fmt::format("{} is readable", file.string())));
    } else {
      findings.push_back(Finding::failure(
          "tls", fmt::format("{}: {}", file.string(), systemMessage(errno)),
          "check server.tls_certificate, server.tls_key and the permissions of these files"));
    }
  }
  return findings;
}

std::optional<std::uintmax_t> availableSpace(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(existingPart(folder), error);
  if (error) return std::nullopt;
  return space.available;
}

std::optional<std::chrono::milliseconds> fileClockSkew(const fs::path& folder) {
  using std::chrono::nanoseconds;
  const ProbeFile probe(folder);
  const std::optional<struct stat> status = probe.write();
  if (!status) return std::nullopt;
  const nanoseconds file_time =
      std::chrono::seconds(status->st_mtim.tv_sec) + nanoseconds(status->st_mtim.tv_nsec);
  const nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(file_time - now);
}

}  // namespace spindle::app
