#pragma once

#include "trainer/kernels/kernels.h"

namespace spindle::trainer {

/// Computes attention of rotated queries and keys (`done.rotated`) with values [T, kv_heads,
/// width]. Fills in the rest of `done`.
void attendSpans(const at::Tensor& values,
                 const HeadShape& shape,
                 const AttentionPlan& plan,
                 Attended& done);

/// The float32 implementation on a CPU. Keeps the log-sum-exp of the scores in `done.sums`.
void attendOnCpu(const at::Tensor& values,
                 const HeadShape& shape,
                 const AttentionPlan& plan,
                 Attended& done);
void attendOnCpuBackward(const at::Tensor& gradient,
                         const Attended& kept,
                         const at::Tensor& values,
                         const HeadShape& shape,
                         const AttentionPlan& plan,
                         at::Tensor& of_rotated,
                         at::Tensor& of_values);

/// Computes the gradients and overwrites `of_rotated` and `of_values`.
void attendSpansBackward(const at::Tensor& gradient,
                         const Attended& kept,
                         const at::Tensor& values,
                         const HeadShape& shape,
                         const AttentionPlan& plan,
                         at::Tensor& of_rotated,
                         at::Tensor& of_values);

}  // namespace spindle::trainer
