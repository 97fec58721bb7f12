#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spindle {

struct FileDigest {
  std::int64_t bytes = 0;
  std::string sha256;  ///< in hexadecimal
};
/// @return kUnavailable, naming the file
Result<FileDigest> digestOf(const std::string& path);

}  // namespace spindle
