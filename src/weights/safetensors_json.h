#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "weights/mapped_file.h"
#include "weights/tensor.h"

namespace spindle::weights {

struct SafeTensor {
  TensorInfo info;
  std::string_view data;  ///< as long as the file
};

/// The tensors of a safetensors file, or of a folder with the pieces of a large model. Everything
/// is checked when it is opened. Immutable, hence thread-safe.
class SafeTensors {
 public:
  /// One file. @return kNotFound, kUnavailable, or kInvalidArgument that says what is wrong
  static Result<SafeTensors> open(const std::string& path);
  /// `model.safetensors` in the folder, or what `model.safetensors.index.json` names.
  static Result<SafeTensors> openFolder(const std::string& folder);

  const std::vector<SafeTensor>& tensors() const { return tensors_; }
  const SafeTensor* find(std::string_view name) const;

 private:
  Result<void> add(const std::string& path);

  std::vector<MappedFile> files_;
  std::vector<SafeTensor> tensors_;
  std::unordered_map<std::string, std::size_t> places_;  ///< of tensors, by name
};

}  // namespace spindle::weights
