#include "trainer/model/model_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace spindle::trainer {
namespace {

using weights::RopeScaling;

constexpr double kPi = 3.14159265358979323846;
constexpr double kFastTurns = 32;  // constants of YaRN
constexpr double kSlowTurns = 1;

double llama3(const RopeScaling& scaling, double inverse) {
  const double wave = 2 * kPi / inverse;
  if (wave < scaling.original_context / scaling.high) return inverse;
  if (wave > scaling.original_context / scaling.low) return inverse / scaling.factor;
  const double share =
      (scaling.original_context / wave - scaling.low) / (scaling.high - scaling.low);
  return (1 - share) * inverse / scaling.factor + share * inverse;
}

/// Returns the pair that makes this many turns within the original context length.
double pairTurning(const ModelShape& shape, double turns) {
  const auto width = static_cast<double>(shape.head_width);
  return width * std::log(shape.rope_scaling->original_context / (turns * 2 * kPi)) /
         (2 * std::log(shape.rope_base));
}

double yarn(const ModelShape& shape, double inverse, double pair) {
  const double low = std::max(0.0, std::floor(pairTurning(shape, kFastTurns)));
  const double high = std::min(static_cast<double>(shape.head_width) - 1,
                               std::ceil(pairTurning(shape, kSlowTurns)));
  const double kept = 1 - std::clamp((pair - low) / std::max(0.001, high - low), 0.0, 1.0);
  return inverse / shape.rope_scaling->factor * (1 - kept) + inverse * kept;
}

}  // namespace

std::vector<Module> modulesOf(const ModelShape& shape) {
  const auto width = static_cast<std::int64_t>(shape.width);
  const auto inner = static_cast<std::int64_t>(shape.inner_width);
  const auto queries = static_cast<std::int64_t>(shape.heads * shape.head_width);
  const auto keys = static_cast<std::int64_t>(shape.kv_heads * shape.head_width);
  return {{"self_attn.q_proj", queries, width}, {"self_attn.k_proj", keys, width},
          {"self_attn.v_proj", keys, width},    {"self_attn.o_proj", width, queries},
          {"mlp.gate_proj", inner, width},      {"mlp.up_proj", inner, width},
          {"mlp.down_proj", width, inner}};
}

std::string moduleName(std::uint64_t layer, std::string_view module) {
  return "model.layers." + std::to_string(layer) + "." + std::string(module);
}

Frequencies frequenciesOf(const ModelShape& shape, const std::vector<float>& divisors) {
  Frequencies frequencies;
  for (std::uint64_t i = 0; i < shape.head_width / 2; ++i) {
    double inverse = std::pow(shape.rope_base,
                              -2 * static_cast<double>(i) / static_cast<double>(shape.head_width));
    if (i < divisors.size()) {
      inverse /= static_cast<double>(divisors[i]);
    } else if (shape.rope_scaling) {
      switch (shape.rope_scaling->kind) {
        case RopeScaling::Kind::kLlama3:
          inverse = llama3(*shape.rope_scaling, inverse);
          break;
        case RopeScaling::Kind::kLinear:
          inverse /= shape.rope_scaling->factor;
          break;
        case RopeScaling::Kind::kYarn:
          inverse = yarn(shape, inverse, static_cast<double>(i));
          break;
      }
    }
    frequencies.inverse.push_back(static_cast<float>(inverse));
  }
  if (shape.rope_scaling && shape.rope_scaling->kind == RopeScaling::Kind::kYarn)
    frequencies.scale = static_cast<float>(0.1 * std::log(shape.rope_scaling->factor) + 1);
  return frequencies;
}

std::string problemOf(const ModelShape& shape) {
  if (shape.vocabulary == 0 || shape.width == 0 || shape.inner_width == 0 || shape.layers == 0 ||
      shape.heads == 0 || shape.kv_heads == 0 || shape.head_width == 0 || shape.context == 0)
    return "every size must be at least 1";
  if (shape.head_width % 2 != 0) return "the width of a head must be even";
  if (shape.heads % shape.kv_heads != 0)
    return "the heads must be a multiple of the key and value heads";
  if (shape.norm_epsilon <= 0 || shape.rope_base <= 1)
    return "the norm epsilon must be above 0, and the RoPE base above 1";
  return {};
}

}  // namespace spindle::trainer
