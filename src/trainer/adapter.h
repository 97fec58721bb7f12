#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trainer/shape.h"

namespace spindle::trainer {

/// What a fresh LoRA adapter is to be.
struct LoraOptions {
  std::uint64_t rank = 8;
  double alpha = 32;
  std::uint64_t seed = 3407;
  /// The last parts of names, such as `q_proj`; empty: all seven.
  std::vector<std::string> targets = {};
};

/// A LoRA adapter: what modules' matrices are changed by, `up * down * alpha / rank`.
struct Adapter {
  struct Pair {
    std::vector<float> down;  ///< [rank, in]
    std::vector<float> up;    ///< [out, rank]
  };

  std::uint64_t rank = 0;
  double alpha = 0;
  std::string base_model = {};        ///< what it is for, in words; may be empty
  std::map<std::string, Pair> pairs;  ///< by module: `model.layers.3.self_attn.q_proj`
};

/// Changes nothing yet: `up` is zero, `down` even between ±1/sqrt(in). A seed gives one adapter, on
/// any machine.
Adapter freshAdapter(const ModelShape& shape, const LoraOptions& options);

/// Why the adapter cannot be used with such a model; empty when it can.
std::string problemOf(const Adapter& adapter, const ModelShape& shape);

}  // namespace spindle::trainer
