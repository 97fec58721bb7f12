#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "weights/adapters/adapter_training.h"
#include "weights/formats/safetensors_writer.h"

namespace spindle::weights {

/// Parameters of newAdapter().
struct NewAdapterOptions {
  std::string base_file;   ///< the GGUF file of the base model
  std::string base_model;  ///< base_model_name_or_path in adapter_config.json
  std::uint64_t rank = AdapterTraining().lora_rank;
  double alpha = AdapterTraining().lora_alpha;
  std::uint64_t seed = AdapterTraining().seed;
};

/// The two files of a PEFT folder with a LoRA adapter.
struct AdapterFiles {
  std::string config;         ///< content of adapter_config.json
  SafeTensorsWriter tensors;  ///< adapter_model.safetensors; numbers are generated on write
};

/// Creates the adapter that a training starts with: a LoRA pair for every attention and MLP
/// projection. A is uniform in ±1/sqrt(in) and B is zero, so the adapter changes nothing. The same
/// seed gives the same files.
/// @return kNotFound; kUnavailable; kInvalidArgument if the model's architecture is not supported
Result<AdapterFiles> newAdapter(const NewAdapterOptions& options);

}  // namespace spindle::weights
