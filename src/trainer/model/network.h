#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/kernels/kernels.h"
#include "trainer/model/model.h"
#include "trainer/model/parameter_set.h"

namespace spindle::trainer {

/// The transformer: forward and backward pass over one row. Internal to this area.
class Network {
 public:
  struct LayerWeights {
    Parameter attention_norm;
    Parameter query_norm;  ///< Qwen3
    Parameter key_norm;
    Linear qkv;
    Linear out;
    Parameter mlp_norm;
    Linear gate_up;
    Linear down;
  };
  struct LayerLora {
    Lora qkv;
    Lora out;
    Lora gate_up;
    Lora down;
  };
  struct Weights {
    Parameter embedding;
    std::vector<LayerWeights> layers;
    Parameter norm;
    Parameter head;
  };

  /// The activations of a layer that the backward pass needs.
  struct LayerActivations {
    at::Tensor x;
    Normed attention_in;
    Projected qkv;
    Attended attended;
    at::Tensor out_narrow;
    at::Tensor middle;
    Normed mlp_in;
    Projected gate_up;
    at::Tensor gated;
    at::Tensor down_narrow;
  };

  /// A forward pass over one row, kept until the backward pass.
  struct Pass {
    Pass(const Row& row, const at::Device& device) : plan(row.spans, device) {}

    AttentionPlan plan;
    Rotation rotation;
    const std::vector<LayerLora>* lora = nullptr;
    at::Tensor tokens;
    at::Tensor at;
    std::vector<LayerActivations> kept = {};
    std::int64_t rows = 0;
    at::Tensor last;  ///< output of the last layer at the positions `at`
    Normed normed;
  };

  Network(const ModelShape& shape,
          const Compute& compute,
          const Frequencies& frequencies,
          Weights weights);

  const ModelShape& shape() const { return shape_; }
  const at::Device& device() const { return device_; }
  at::ScalarType type() const { return type_; }
  std::int64_t chunk() const { return compute_.chunk; }
  void setChunk(std::int64_t rows) { compute_.chunk = rows; }
  const Weights& weights() const { return weights_; }
  const Parameter& head() const { return weights_.head; }

  /// Runs the forward pass; hidden() returns the normed output of the last layer at the positions
  /// `at`. `learning`: backward() will follow.
  std::unique_ptr<Pass> forward(const Row& row,
                                const std::vector<std::int64_t>& at,
                                const std::vector<LayerLora>* lora,
                                bool learning) const;
  static const at::Tensor& hidden(const Pass& pass) { return pass.normed.y; }
  /// Adds to the gradients of the trainable parameters, given the gradient of hidden().
  void backward(const Pass& pass, const at::Tensor& gradient) const;

  at::Tensor toDevice(const std::vector<std::int64_t>& numbers) const;
  at::Tensor toDevice(const std::vector<float>& numbers) const;

 private:
  at::Tensor forwardLayer(const LayerWeights& layer,
                          const LayerLora* lora,
                          const Pass& pass,
                          const at::Tensor& x,
                          LayerActivations& kept) const;
  at::Tensor backwardLayer(const LayerWeights& layer,
                           const LayerLora* lora,
                           const Pass& pass,
                           const LayerActivations& kept,
                           const at::Tensor& gradient,
                           bool wanted) const;
  /// Returns the norm weights of all heads, concatenated; undefined if the family has no head
  /// norms.
  Parameter headNorms(const LayerWeights& layer) const;
  void addHeadNorms(const LayerWeights& layer, const Parameter& norms) const;

  const ModelShape shape_;
  Compute compute_;
  const at::Device device_;
  const at::ScalarType type_;
  const HeadShape heads_;
  const Weights weights_;
  at::Tensor inverse_frequencies_;
  const double rope_scale_;
  const std::uint64_t keep_bytes_;
};

}  // namespace spindle::trainer
