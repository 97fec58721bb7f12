#include "app/server/worker_name.h"

#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "base/crypto/crypto.h"

namespace spindle::app {

std::string workerName(const storage::DataFolder& folder) {
  std::string host(256, '\0');
  if (::gethostname(host.data(), host.size() - 1) != 0) host.clear();
  host.resize(std::strlen(host.c_str()));
  const std::string path = std::filesystem::absolute(folder.path()).lexically_normal().string();
  return host + ":" + toHex(sha256(path)).substr(0, 16);
}

}  // namespace spindle::app
