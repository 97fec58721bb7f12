#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <c10/core/InferenceMode.h>

#include "trainer/model/failure.h"
#include "trainer/model/network.h"
#include "trainer/model/network_weights.h"

namespace spindle::trainer {

/// Numbers of modules of modulesOf() that are fused into one product: q, k, v; o; gate, up; down.
inline constexpr std::array kFusedCounts = {3, 1, 2, 1};

/// The network, its trainable parameters and the reference adapter.
class Model::State {
 public:
  State(const ModelShape& shape,
        const Compute& compute,
        const Frequencies& frequencies,
        Network::Weights weights,
        ParameterSet set)
      : parameters(std::move(set)), network(shape, compute, frequencies, std::move(weights)) {}

  const std::vector<Network::LayerLora>* loraOf(Policy policy) const {
    const auto* lora = policy == Policy::kLearner ? &learner : &reference;
    return policy == Policy::kBase || lora->empty() ? nullptr : lora;
  }

  /// Returns the adapter's matrices, concatenated like the fused weights of the network.
  std::vector<at::Tensor> tensorsOf(const Adapter& adapter) const {
    std::vector<at::Tensor> tensors;
    const std::vector<Module> modules = modulesOf(network.shape());
    const auto rank = static_cast<std::int64_t>(adapter.rank);
    for (std::uint64_t layer = 0; layer < network.shape().layers; ++layer) {
      auto module = modules.begin();
      for (const int count : kFusedCounts) {
        std::vector<at::Tensor> down;
        std::vector<at::Tensor> up;
        for (int i = 0; i < count; ++i, ++module) {
          // Modules without an adapter get zeros, which stay zero: their gradients are zero.
          const auto found = adapter.pairs.find(moduleName(layer, module->name));
          const bool none = found == adapter.pairs.end();
          down.push_back(none ? at::zeros({rank, module->in})
                              : tensorOf(found->second.down, {rank, module->in}));
          up.push_back(none ? at::zeros({module->out, rank})
                            : tensorOf(found->second.up, {module->out, rank}));
        }
        tensors.push_back(at::cat(down));
        tensors.push_back(at::cat(up));
      }
    }
    return tensors;
  }

  std::vector<Network::LayerLora> loraOf(const Adapter& adapter,
                                         const std::vector<Parameter>& tensors) const {
    const std::vector<Module> modules = modulesOf(network.shape());
    const double scale = adapter.alpha / static_cast<double>(adapter.rank);
    std::vector<Network::LayerLora> layers(network.shape().layers);
    auto next = tensors.begin();
    for (Network::LayerLora& layer : layers) {
      auto module = modules.begin();
      Lora* place[] = {&layer.qkv, &layer.out, &layer.gate_up, &layer.down};
      for (std::size_t group = 0; group < kFusedCounts.size(); ++group) {
        Lora& lora = *place[group];
        lora.down = *next++;
        lora.up = *next++;
        lora.scale = scale;
        for (int i = 0; i < kFusedCounts[group]; ++i, ++module)
          lora.part_sizes.push_back(module->out);
      }
    }
    return layers;
  }

  ParameterSet parameters;
  Network network;
  Adapter learner_template;  ///< the adapter as given; its numbers are outdated
  std::vector<Network::LayerLora> learner;
  std::vector<Network::LayerLora> reference;
};

/// Calls `work` and converts exceptions of LibTorch to errors.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
  const c10::InferenceMode guard;
  try {
    return work();
  } catch (const std::exception& problem) {
    return failureOf(problem);
  }
}

}  // namespace spindle::trainer
