#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "weights/gguf_file.h"

namespace spindle::weights {

/// The paths of all files of a model: of `name-00001-of-00003.gguf` the three parts, else `path`
/// alone. At most 1,000.
std::vector<std::string> modelFilesOf(const std::string& path);

/// The tensors of a GGUF model, which may be split into several files. Immutable, hence
/// thread-safe.
class ModelTensors {
 public:
  /// @return as GgufFile::open()
  static Result<ModelTensors> open(const std::string& path);

  /// `llama`, `qwen2` and so on; empty when the file does not say.
  std::string_view architecture() const;
  /// Returns null when the model has no tensor of that name.
  const TensorInfo* find(std::string_view name) const;

 private:
  ModelTensors() = default;

  std::vector<GgufFile> files_;  ///< at least one
};

}  // namespace spindle::weights
