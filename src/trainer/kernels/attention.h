#pragma once

#include "trainer/kernels/kernels.h"

namespace spindle::trainer {

/// The gradients of attention: `of_y` is an input, the others are overwritten.
struct AttentionGradients {
  at::Tensor of_y;        ///< [T, heads, width]
  at::Tensor of_rotated;  ///< [T, heads + kv_heads, width]
  at::Tensor of_values;   ///< [T, kv_heads, width]
};

/// Computes attention of rotated queries and keys (`done.rotated`) with values [T, kv_heads,
/// width]. Fills in the rest of `done`.
void attendSpans(const at::Tensor& values, const AttentionContext& context, Attended& done);
void attendSpansBackward(const at::Tensor& values,
                         const AttentionContext& context,
                         const Attended& kept,
                         const AttentionGradients& gradients);

/// The float32 implementation on a CPU. Keeps the log-sum-exp of the scores in `done.sums`.
void attendOnCpu(const at::Tensor& values, const AttentionContext& context, Attended& done);
void attendOnCpuBackward(const at::Tensor& values,
                         const AttentionContext& context,
                         const Attended& kept,
                         const AttentionGradients& gradients);

}  // namespace spindle::trainer
