#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/hf_config_json.h"

namespace spindle::trainer {

/// What a model is: family, sizes, how positions are told apart.
using ModelShape = weights::HfConfig;

/// A matrix of every layer that can be adapted: [out, in].
struct Module {
  std::string_view name;  ///< as folders call it: `self_attn.q_proj`
  std::int64_t out = 0;
  std::int64_t in = 0;
};
/// All seven, in the order q, k, v, o, gate, up, down.
std::vector<Module> modulesOf(const ModelShape& shape);
/// `model.layers.3.self_attn.q_proj`
std::string moduleName(std::uint64_t layer, std::string_view module);

/// By how much positions turn the pairs of numbers of a head, and what is turned is scaled by.
struct Frequencies {
  std::vector<float> inverse;  ///< head_width / 2
  float scale = 1;
};
/// `divisors`: of each frequency, as files may say; empty: as the shape's scaling says.
Frequencies frequenciesOf(const ModelShape& shape, const std::vector<float>& divisors);

/// What is wrong with it; empty for a shape that a model can have.
std::string problemOf(const ModelShape& shape);

}  // namespace spindle::trainer
