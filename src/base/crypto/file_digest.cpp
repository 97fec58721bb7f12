#include "base/crypto/file_digest.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/crypto/crypto.h"

namespace spindle {
namespace {

constexpr std::size_t kBlockBytes = 1UL << 20;

}  // namespace

Result<FileDigest> digestOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open())
    return Error::unavailable(path + ": " + std::generic_category().message(errno));
  Sha256Stream hash;
  FileDigest digest;
  std::vector<char> block(kBlockBytes);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    hash.add({block.data(), count});
    digest.bytes += static_cast<std::int64_t>(count);
  }
  if (file.bad()) return Error::unavailable(path + ": cannot be read");
  digest.sha256 = toHex(hash.finish());
  return digest;
}

}  // namespace spindle
