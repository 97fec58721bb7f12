#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spindle::weights {

struct AdapterImport {
  std::string folder;     ///< adapter_config.json, adapter_model.safetensors
  std::string base_file;  ///< the GGUF file of the model that it adapts
  std::string file;       ///< the GGUF adapter to write
  /// The largest that is taken; 0: any.
  std::uint64_t largest_rank = 0;
};

struct AdapterImported {
  std::uint64_t matrices = 0;  ///< of the base model, that it changes
  std::uint64_t rank = 0;      ///< the largest
  std::string base_model;      ///< what the folder says it was made for; may be empty
};

/// Makes a GGUF adapter, as llama.cpp loads it, of a PEFT folder with a LoRA adapter for a model of
/// the Llama, Qwen2 or Qwen3 family. The file appears when it is whole.
/// @return kNotFound and kUnavailable, naming the file; kInvalidArgument that says what is not
///     supported, missing, or does not fit the base model
Result<AdapterImported> importAdapter(const AdapterImport& import);

}  // namespace spindle::weights
