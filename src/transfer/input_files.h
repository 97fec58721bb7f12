#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "transfer/manifest.h"

namespace spindle::transfer {

/// One file to import.
struct InputFile {
  std::string name;  ///< the name in messages
  std::string path;
  Format format = Format::kJsonLines;
  std::string sha256 = {};  ///< empty when it is not known
};

struct Input {
  std::vector<InputFile> files = {};
  std::optional<std::int64_t> calls = {};  ///< in all files, if known
  bool unfinished = false;                 ///< the export is not complete yet
};

/// Finds the files to import: the parts of an export; without a manifest, every .jsonl and .parquet
/// file of a folder, sorted by name; or one such file.
/// @return kInvalidArgument when there are none.
Result<Input> findInput(const std::string& folder_or_file);

}  // namespace spindle::transfer
