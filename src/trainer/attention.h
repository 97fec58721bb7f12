#pragma once

#include "trainer/kernels.h"

namespace spindle::trainer {

/// Attention of turned queries and keys (`done.turned`) with values [T, kv_heads, width]; fills in
/// the rest of `done`.
void attendSpans(const at::Tensor& values,
                 const HeadShape& shape,
                 const AttentionPlan& plan,
                 Attended& done);

/// The same, in 32 bits on a CPU. Keeps `done.sums`: the logarithms of what shares were divided by.
void attendOnCpu(const at::Tensor& values,
                 const HeadShape& shape,
                 const AttentionPlan& plan,
                 Attended& done);
void attendOnCpuBackward(const at::Tensor& gradient,
                         const Attended& kept,
                         const at::Tensor& values,
                         const HeadShape& shape,
                         const AttentionPlan& plan,
                         at::Tensor& of_turned,
                         at::Tensor& of_values);

/// Writes the gradients in `of_turned` and `of_values`, whatever stands there.
void attendSpansBackward(const at::Tensor& gradient,
                         const Attended& kept,
                         const at::Tensor& values,
                         const HeadShape& shape,
                         const AttentionPlan& plan,
                         at::Tensor& of_turned,
                         at::Tensor& of_values);

}  // namespace spindle::trainer
