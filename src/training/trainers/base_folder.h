#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::training {

/// A file of a Hugging Face folder.
struct FolderFile {
  std::string name;
  std::int64_t size = 0;  ///< bytes
};

/// The files of a Hugging Face folder that trainers need.
struct FolderListing {
  std::string revision;           ///< changes with the files
  std::vector<FolderFile> files;  ///< sorted by name
};

/// Lists the configuration, tokenizer and safetensors files directly in the folder. Omits
/// everything else, pickled weights in particular. Blocks on disk.
/// @return kInvalidArgument if the folder cannot be read or has no config.json
Result<FolderListing> listBaseFolder(const std::string& folder);

/// Returns true for a name that listBaseFolder() may return.
bool isBaseFolderFile(std::string_view name);

}  // namespace spindle::training
