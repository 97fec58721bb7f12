#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/manifest.h"

namespace spindle::transfer {

/// One file to import.
struct InputFile {
  std::string name;  ///< as messages show it
  std::string path;
  Format format = Format::kJsonLines;
  std::string sha256 = {};  ///< empty when nobody wrote it down
};

struct Input {
  std::vector<InputFile> files = {};
  std::optional<std::int64_t> calls = {};  ///< in all of them, when known
  bool unfinished = false;                 ///< the export has not come to its end yet
};

/// What is to be imported: the parts of an export; without a manifest, every .jsonl and .parquet
/// file of a folder by name; or one such file.
/// @return kInvalidArgument when there is nothing of that kind.
Result<Input> findInput(const std::string& folder_or_file);

}  // namespace spindle::transfer
