#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "weights/formats/mapped_file.h"
#include "weights/formats/tensor.h"

namespace spindle::weights {

/// The tensors of a safetensors file, or of a folder with several files (shards). open() checks all
/// sizes and offsets. Immutable, hence thread-safe.
class SafeTensors {
 public:
  /// Opens one file. @return kNotFound; kUnavailable; kInvalidArgument that says what is wrong
  static Result<SafeTensors> open(const std::string& path);
  /// Opens the files that `model.safetensors.index.json` in the folder names; without an index,
  /// `model.safetensors`.
  static Result<SafeTensors> openFolder(const std::string& folder);

  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;

 private:
  Result<void> add(const std::string& path);

  std::vector<MappedFile> files_;
  std::vector<StoredTensor> tensors_;
  std::unordered_map<std::string, std::size_t> places_;  ///< index into tensors_ by name
};

}  // namespace spindle::weights
