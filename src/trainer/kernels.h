#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "trainer/row.h"

// The pieces of a forward pass, and of the backward pass, which is written out by hand: nothing is
// kept that it does not need, and no version of the library has to agree with us about graphs.
// Inside this area only, because it shows the library's types. All of it holds for any device and
// type of number. T tokens stand in a row, one below the other: there are no batches.

namespace spindle::trainer {

/// Where tokens may look, made ready for a device. Of spans that cover a row without holes.
struct AttentionPlan {
  AttentionPlan(const std::vector<Span>& row_spans, const at::Device& device);

  std::vector<Span> spans;
  std::int64_t longest_queries = 0;
  std::int64_t longest_keys = 0;
  at::Tensor query_bounds;  ///< where the queries of a span begin and end, all of them
  at::Tensor key_bounds;
  at::Tensor key_rows;  ///< undefined: keys are the tokens themselves
};

/// The cosines and sines of a row's positions: [T, 1, head_width / 2].
struct Rotation {
  at::Tensor cosines;
  at::Tensor sines;
  at::Tensor exact_cosines = {};  ///< in 32 bits
  at::Tensor exact_sines = {};
};

struct HeadShape {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t width = 0;
  double norm_epsilon = 0;
};

/// What is learned, and what a loss changes by with it: undefined where it is frozen, else 32-bit.
struct Parameter {
  at::Tensor value;
  at::Tensor gradient;

  bool defined() const { return value.defined(); }
  void addGradient(const at::Tensor& more) const { gradient.add_(more); }
};

/// A LoRA adapter of matrices that are multiplied together: those of the parts stand one below the
/// other.
struct Lora {
  Parameter down;                             ///< [parts * rank, in]
  Parameter up;                               ///< [out of all parts, rank]
  std::vector<std::int64_t> part_sizes = {};  ///< their out
  double scale = 0;

  std::int64_t rank() const { return up.value.size(1); }
};

/// Whether row_loops.h is for it: 32-bit on a CPU.
bool isForRowLoops(const at::Tensor& tensor);

/// x += more, of [T, width]. @return x
at::Tensor added(at::Tensor x, const at::Tensor& more);

/// x * rsqrt(mean(x^2) + epsilon) * weight, over the last dimension.
struct Normed {
  at::Tensor y;
  at::Tensor inverse;  ///< rsqrt(...), 32-bit
};
Normed norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
/// @return the gradient in x, and what is added to it
at::Tensor normBackward(const at::Tensor& gradient,
                        const at::Tensor& x,
                        const at::Tensor& inverse,
                        const Parameter& weight,
                        const at::Tensor& more = {});

/// x W^T + bias, and what the adapter adds.
struct Projected {
  at::Tensor y;
  at::Tensor narrow;  ///< x down^T * scale: [T, parts * rank]
};
struct Linear {
  Parameter weight;
  Parameter bias = {};

  Projected forward(const at::Tensor& x, const Lora* lora) const;
  /// @return the gradient in x, unless it is not wanted
  at::Tensor backward(const at::Tensor& gradient,
                      const at::Tensor& x,
                      const at::Tensor& narrow,
                      const Lora* lora,
                      bool wanted) const;
};

/// silu(gate) * up of [T, 2 * inner], the gates first.
at::Tensor gated(const at::Tensor& gate_up);
at::Tensor gatedBackward(const at::Tensor& gradient, const at::Tensor& gate_up);

/// Attention of [T, (heads + 2 * kv_heads) * width]: queries, keys, values. Queries and keys are
/// normed where there is a norm ([heads + kv_heads, width]), then turned.
struct Attended {
  at::Tensor y;        ///< [T, heads * width]
  at::Tensor turned;   ///< queries and keys: [T, heads + kv_heads, width]
  at::Tensor inverse;  ///< of the norm
  at::Tensor sums;     ///< what the device's way of doing it keeps
  at::Tensor seed;
  at::Tensor offset;
};
Attended attend(const at::Tensor& fused,
                const at::Tensor& norm,
                const Rotation& rotation,
                const HeadShape& shape,
                const AttentionPlan& plan);
/// @return the gradient in `fused`
at::Tensor attendBackward(const at::Tensor& gradient,
                          const at::Tensor& fused,
                          const Attended& kept,
                          const Parameter& norm,
                          const Rotation& rotation,
                          const HeadShape& shape,
                          const AttentionPlan& plan);

struct Scores {
  at::Tensor logprobs;   ///< 32-bit
  at::Tensor entropies;  ///< undefined when not asked for
};
/// Of `targets` behind `hidden`. `chunk` rows of logits are in memory at a time.
Scores scoresOf(const at::Tensor& hidden,
                const at::Tensor& head,
                const at::Tensor& targets,
                std::int64_t chunk,
                bool entropies);

/// What a loss changes by with `hidden`, given its slope in each logprob.
at::Tensor hiddenGradient(const at::Tensor& hidden,
                          const Parameter& head,
                          const at::Tensor& targets,
                          const at::Tensor& slopes,
                          std::int64_t chunk);

struct Weighted {
  double loss = 0;      ///< the sum of -weight * logprob
  at::Tensor gradient;  ///< of it, in hidden
};
/// Both at once, for a loss that is linear in the logprobs: one product less.
Weighted weightedLoss(const at::Tensor& hidden,
                      const Parameter& head,
                      const at::Tensor& targets,
                      const at::Tensor& weights,
                      std::int64_t chunk);

}  // namespace spindle::trainer
