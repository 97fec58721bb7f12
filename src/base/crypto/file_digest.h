#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"

namespace spindle {

struct FileDigest {
  std::int64_t bytes = 0;
  std::string sha256;  ///< in hexadecimal
};
/// Hashes a file. @return kUnavailable, with the file name
Result<FileDigest> digestOf(const std::string& path);

}  // namespace spindle
