#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "weights/formats/tensor.h"

namespace spindle::weights {

struct HfImport {
  std::string folder;  ///< contains config.json, tokenizer.json and *.safetensors
  std::string file;    ///< the GGUF file to write
  std::string name;    ///< general.name of the GGUF file
  /// Type of the matrices: kF32, kF16, kBf16 or kQ8_0; empty: the type in the folder.
  std::optional<TensorType> type = {};
  /// Called from time to time with the number of tensor bytes read so far and in total.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Writes only the metadata and the vocabulary; reads no tensors.
  bool without_tensors = false;
};

struct HfImportResult {
  std::uint64_t tensors = 0;
  std::uint64_t parameters = 0;
};

/// Converts a Hugging Face folder of the Llama, Qwen2 or Qwen3 family to a GGUF file, with constant
/// memory use. Writes a temporary file and renames it when it is complete.
/// @return kNotFound and kUnavailable with the file name; kInvalidArgument that names what is
///     unsupported, missing or of the wrong shape
Result<HfImportResult> importHfFolder(const HfImport& import);

}  // namespace spindle::weights
