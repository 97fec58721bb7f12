#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/huggingface/hf_config.h"

namespace spindle::trainer {

/// The architecture of a model: family, sizes and RoPE settings.
using ModelShape = weights::HfConfig;

/// A matrix in every layer that can have a LoRA adapter: [out, in].
struct Module {
  std::string_view name;  ///< Hugging Face name: `self_attn.q_proj`
  std::int64_t out = 0;
  std::int64_t in = 0;
};
/// Returns all seven modules, in the order q, k, v, o, gate, up, down.
std::vector<Module> modulesOf(const ModelShape& shape);
/// Returns the full module name: `model.layers.3.self_attn.q_proj`.
std::string moduleName(std::uint64_t layer, std::string_view module);

/// The RoPE frequencies and the scale of the rotated vectors (YaRN).
struct Frequencies {
  std::vector<float> inverse;  ///< head_width / 2
  float scale = 1;
};
/// Computes the frequencies. `divisors`: per frequency, as in GGUF files; empty: from the shape's
/// scaling.
Frequencies frequenciesOf(const ModelShape& shape, const std::vector<float>& divisors);

/// Returns what is wrong with a shape; empty if it is valid.
std::string problemOf(const ModelShape& shape);

}  // namespace spindle::trainer
