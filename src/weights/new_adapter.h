#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "weights/safetensors_writer.h"

namespace spindle::weights {

/// An adapter that training begins with.
struct NewAdapter {
  std::string base_file;   ///< GGUF
  std::string base_model;  ///< what the model is called, for adapter_config.json
  std::uint64_t rank = 8;
  double alpha = 32;
  std::uint64_t seed = 3407;
};

/// The two files of a PEFT folder.
struct AdapterFiles {
  std::string config;         ///< the text of adapter_config.json
  SafeTensorsWriter tensors;  ///< adapter_model.safetensors, made while it is written
};

/// A LoRA adapter of all projections of attention and MLP that changes nothing: A is drawn evenly
/// between -1/sqrt(in) and 1/sqrt(in), B is zero. The same seed gives the same files.
/// @return kNotFound, kUnavailable; kInvalidArgument for a model that adapters here do not fit
Result<AdapterFiles> newAdapter(const NewAdapter& wish);

}  // namespace spindle::weights
