#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "weights/formats/gguf_file.h"

namespace spindle::weights {

/// Returns the paths of all files of a model: for `name-00001-of-00003.gguf` all three parts,
/// otherwise only `path`. At most 1,000 paths.
std::vector<std::string> modelFilesOf(const std::string& path);

/// The tensors of a GGUF model, which may be split into several files. Immutable, hence
/// thread-safe.
class ModelTensors {
 public:
  /// Opens all files of the model. @return errors of GgufFile::open()
  static Result<ModelTensors> open(const std::string& path);

  /// Returns the architecture, such as `llama` or `qwen2`; empty if the file does not name one.
  std::string_view architecture() const;
  /// Returns null if the model has no tensor of that name.
  const TensorInfo* find(std::string_view name) const;

 private:
  ModelTensors() = default;

  std::vector<GgufFile> files_;  ///< at least one
};

}  // namespace spindle::weights
