#include "app/server/worker_name.h"

#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "base/crypto/crypto.h"

namespace spindle::app {
namespace {

constexpr std::string_view kIdFile = "node-id";

}  // namespace

std::string workerName(const storage::DataFolder& folder, bool shared) {
  std::string host(256, '\0');
  if (::gethostname(host.data(), host.size() - 1) != 0) host.clear();
  host.resize(std::strlen(host.c_str()));
  if (shared) {
    folder.create(kIdFile, randomAlphanumeric(12));  // keeps an existing file
    return host + ":" + folder.read(kIdFile).value_or("").substr(0, 12);
  }
  const std::string path = std::filesystem::absolute(folder.path()).lexically_normal().string();
  return host + ":" + toHex(sha256(path)).substr(0, 16);
}

}  // namespace spindle::app
