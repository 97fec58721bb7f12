#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"

namespace spindle::weights {

struct AdapterImport {
  std::string folder;     ///< contains adapter_config.json and adapter_model.safetensors
  std::string base_file;  ///< the GGUF file of the base model
  std::string file;       ///< the GGUF adapter to write
  /// The largest accepted rank; 0: no limit.
  std::uint64_t largest_rank = 0;
};

struct AdapterImportResult {
  std::uint64_t matrices = 0;  ///< number of base model matrices that the adapter changes
  std::uint64_t rank = 0;      ///< the largest rank
  std::string base_model;      ///< base model name from adapter_config.json; may be empty
};

/// Converts a PEFT folder with a LoRA adapter to a GGUF adapter that llama.cpp can load. Supports
/// the Llama, Qwen2 and Qwen3 families. Writes a temporary file and renames it when it is complete.
/// @return kNotFound and kUnavailable with the file name; kInvalidArgument that names what is
///     unsupported, missing or incompatible with the base model
Result<AdapterImportResult> importAdapter(const AdapterImport& import);

}  // namespace spindle::weights
