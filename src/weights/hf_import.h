#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "weights/tensor.h"

namespace spindle::weights {

struct HfImport {
  std::string folder;  ///< config.json, tokenizer.json, *.safetensors
  std::string file;    ///< the GGUF file to write
  std::string name;    ///< what the file says it is
  /// Of matrices: kF32, kF16, kBf16 or kQ8_0; empty: as they are in the folder.
  std::optional<TensorType> type = {};
  /// Told now and then, with bytes of the folder's tensors.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// What the model is and its vocabulary alone; no tensors are looked at.
  bool without_tensors = false;
};

struct HfImported {
  std::uint64_t tensors = 0;
  std::uint64_t parameters = 0;
};

/// Makes a GGUF file of a Hugging Face folder of the Llama, Qwen2 or Qwen3 family, with flat
/// memory. The file appears when it is whole.
/// @return kNotFound and kUnavailable, naming the file; kInvalidArgument that says what is not
///     supported, missing, or of the wrong shape
Result<HfImported> importHfFolder(const HfImport& import);

}  // namespace spindle::weights
