#include "inference/engines/socket_folder.h"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/crypto.h"

namespace spindle::inference {
namespace {

constexpr std::string_view kEnding = ".sock";
/// The maximum length of `/engine-<number>.sock` for any number.
constexpr std::size_t kLongestName = 33;
constexpr mode_t kOwnerOnly = 0700;

bool canHoldSockets(const std::string& folder) {
  // `:/` ends the path in the URL of a socket.
  return folder.size() + kLongestName <= SocketFolder::kLongestPath &&
         folder.find(":/") == std::string::npos;
}

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::runtime_error("cannot use " + path + " for the sockets of engines: " + why);
}

void makeFolder(const std::string& path) {
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    fail(path, std::generic_category().message(errno));
  }
  // Do not follow a link: another user may have created it in the temporary folder.
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) fail(path, std::generic_category().message(errno));
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid()) {
    fail(path, "it is not a folder that belongs to this user");
  }
  if ((facts.st_mode & 0777) != kOwnerOnly && ::chmod(path.c_str(), kOwnerOnly) != 0) {
    fail(path, std::generic_category().message(errno));
  }
}

}  // namespace

SocketFolder::SocketFolder(const std::string& data_folder, const std::string& temporary_folder) {
  const std::string whole = std::filesystem::absolute(data_folder).lexically_normal().string();
  path_ = whole + (whole.ends_with('/') ? "run" : "/run");
  if (!canHoldSockets(path_)) {
    path_ = temporary_folder + "/spindle-" + toHex(sha256(whole)).substr(0, 16);
  }
  if (!canHoldSockets(path_)) fail(path_, "the path is too long");
  makeFolder(path_);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored)) {
    if (entry.path().extension() == kEnding) std::filesystem::remove(entry.path(), ignored);
  }
}

std::string SocketFolder::socketOf(std::uint64_t run) const {
  return path_ + "/engine-" + std::to_string(run) + std::string(kEnding);
}

}  // namespace spindle::inference
