#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "trainer/kernels/row.h"

// The operations of the forward pass and their hand-written backward passes. They keep only what
// the backward pass needs and do not depend on autograd of any LibTorch version. Internal to this
// area, because the interface uses LibTorch types. All operations work on every device and number
// type. A row has T tokens; there is no batch dimension.

namespace spindle::trainer {

/// The attention pattern of a row, prepared for a device. The spans must cover the row without
/// gaps.
struct AttentionPlan {
  AttentionPlan(const std::vector<Span>& row_spans, const at::Device& device);

  std::vector<Span> spans;
  std::int64_t longest_queries = 0;
  std::int64_t longest_keys = 0;
  at::Tensor query_bounds;  ///< cumulative query counts of the spans
  at::Tensor key_bounds;    ///< cumulative key counts of the spans
  at::Tensor key_rows;      ///< undefined if the keys are the tokens themselves
};

/// Cosines and sines of the RoPE angles of a row: [T, 1, head_width / 2].
struct Rotation {
  at::Tensor cosines;
  at::Tensor sines;
  at::Tensor exact_cosines = {};  ///< float32
  at::Tensor exact_sines = {};
};

struct HeadShape {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t width = 0;
  double norm_epsilon = 0;
};

/// A tensor of the model and its gradient. The gradient is float32; it is undefined if the tensor
/// is frozen.
struct Parameter {
  at::Tensor value;
  at::Tensor gradient;

  bool defined() const { return value.defined(); }
  void addGradient(const at::Tensor& more) const { gradient.add_(more); }
};

/// The LoRA matrices of weights that are multiplied together (for example q, k and v), concatenated
/// along the rows.
struct Lora {
  Parameter down;                             ///< [parts * rank, in]
  Parameter up;                               ///< [out of all parts, rank]
  std::vector<std::int64_t> part_sizes = {};  ///< output sizes of the parts
  double scale = 0;

  std::int64_t rank() const { return up.value.size(1); }
};

/// Returns true if row_loops.h supports the tensor: float32 on a CPU.
bool isForRowLoops(const at::Tensor& tensor);

/// Adds in place: x += more, both [T, width]. @return x
at::Tensor addInPlace(at::Tensor x, const at::Tensor& more);

/// The result of an RMS norm: x * rsqrt(mean(x^2) + epsilon) * weight, over the last dimension.
struct Normed {
  at::Tensor y;
  at::Tensor inverse;  ///< rsqrt(...), float32
};
Normed norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
/// @return the gradient of x, plus `more` if defined
at::Tensor normBackward(const at::Tensor& gradient,
                        const at::Tensor& x,
                        const at::Tensor& inverse,
                        const Parameter& weight,
                        const at::Tensor& more = {});

/// The result of a linear layer with LoRA: x W^T + bias + LoRA term.
struct Projected {
  at::Tensor y;
  at::Tensor narrow;  ///< x down^T * scale: [T, parts * rank]
};
struct Linear {
  Parameter weight;
  Parameter bias = {};

  Projected forward(const at::Tensor& x, const Lora* lora) const;
  /// @return the gradient of x; undefined unless `wanted`
  at::Tensor backward(const at::Tensor& gradient,
                      const at::Tensor& x,
                      const at::Tensor& narrow,
                      const Lora* lora,
                      bool wanted) const;
};

/// Returns silu(gate) * up of [T, 2 * inner]; the gates come first.
at::Tensor gated(const at::Tensor& gate_up);
at::Tensor gatedBackward(const at::Tensor& gradient, const at::Tensor& gate_up);

/// The result of attention over fused queries, keys and values, [T, (heads + 2 * kv_heads) *
/// width]. Queries and keys are normed if there is a norm ([heads + kv_heads, width]) and then
/// rotated.
struct Attended {
  at::Tensor y;        ///< [T, heads * width]
  at::Tensor rotated;  ///< queries and keys: [T, heads + kv_heads, width]
  at::Tensor inverse;  ///< of the norm
  at::Tensor sums;     ///< data that the device's implementation keeps for the backward pass
  at::Tensor seed;
  at::Tensor offset;
};
/// The parts of attention that all layers share. The parts must outlive this object.
struct AttentionContext {
  const Rotation& rotation;
  const HeadShape& shape;
  const AttentionPlan& plan;
};
Attended attend(const at::Tensor& fused, const at::Tensor& norm, const AttentionContext& context);
/// @return the gradient of `fused`
at::Tensor attendBackward(const at::Tensor& gradient,
                          const at::Tensor& fused,
                          const Attended& kept,
                          const Parameter& norm,
                          const AttentionContext& context);

struct Scores {
  at::Tensor logprobs;   ///< 32-bit
  at::Tensor entropies;  ///< undefined unless requested
};
/// Returns the logprobs of `targets` at the positions of `hidden`. At most `chunk` rows of logits
/// are in memory.
Scores scoresOf(const at::Tensor& hidden,
                const at::Tensor& head,
                const at::Tensor& targets,
                std::int64_t chunk,
                bool entropies);

/// Returns the gradient of a loss with respect to `hidden`, given the loss's derivative with
/// respect to each logprob.
at::Tensor hiddenGradient(const at::Tensor& hidden,
                          const Parameter& head,
                          const at::Tensor& targets,
                          const at::Tensor& slopes,
                          std::int64_t chunk);

struct WeightedLoss {
  double loss = 0;      ///< the sum of -weight * logprob
  at::Tensor gradient;  ///< with respect to hidden
};
/// Computes loss and gradient together for a loss that is linear in the logprobs; saves one matrix
/// product.
WeightedLoss weightedLoss(const at::Tensor& hidden,
                          const Parameter& head,
                          const at::Tensor& targets,
                          const at::Tensor& weights,
                          std::int64_t chunk);

}  // namespace spindle::trainer
