#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "weights/huggingface/module_names.h"

namespace spindle::weights {

/// RoPE scaling: extends the context beyond the length that the model was first trained for.
struct RopeScaling {
  enum class Kind { kLlama3, kLinear, kYarn };
  Kind kind = Kind::kLinear;
  double factor = 1;
  double low = 1;
  double high = 4;
  double original_context = 8192;
};

/// The architecture of a model, read from its `config.json`.
struct HfConfig {
  Family family = Family::kLlama;
  std::uint64_t vocabulary = 0;
  std::uint64_t width = 0;
  std::uint64_t inner_width = 0;
  std::uint64_t layers = 0;
  std::uint64_t heads = 0;
  std::uint64_t kv_heads = 0;
  std::uint64_t head_width = 0;
  std::uint64_t context = 0;
  double norm_epsilon = 0;
  double rope_base = 0;
  std::optional<RopeScaling> rope_scaling = {};
  bool tied = false;  ///< the output matrix is the embedding matrix
  std::vector<std::int64_t> end_tokens = {};
  std::optional<std::int64_t> begin_token = {};
};

/// Reads `config.json` of a folder, and `generation_config.json` if it exists.
/// @return kInvalidArgument if a field is missing, or if the family or an option is not supported
Result<HfConfig> readHfConfig(const std::string& folder);

}  // namespace spindle::weights
