#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trainer/model/model_shape.h"

namespace spindle::trainer {

/// The parameters of a new LoRA adapter.
struct LoraOptions {
  std::uint64_t rank = 8;
  double alpha = 32;
  std::uint64_t seed = 3407;
  /// Last parts of module names, such as `q_proj`; empty: all seven.
  std::vector<std::string> targets = {};
};

/// A LoRA adapter. It adds `up * down * alpha / rank` to the matrices of modules.
struct Adapter {
  struct Pair {
    std::vector<float> down;  ///< [rank, in]
    std::vector<float> up;    ///< [out, rank]
  };

  std::uint64_t rank = 0;
  double alpha = 0;
  std::string base_model = {};        ///< name of the base model; may be empty
  std::map<std::string, Pair> pairs;  ///< by module: `model.layers.3.self_attn.q_proj`
};

/// Creates an adapter that changes nothing: `up` is zero, `down` is uniform in ±1/sqrt(in). The
/// same seed gives the same adapter on every machine.
Adapter createAdapter(const ModelShape& shape, const LoraOptions& options);

/// Returns why the adapter does not fit the model; empty if it does.
std::string problemOf(const Adapter& adapter, const ModelShape& shape);

}  // namespace spindle::trainer
