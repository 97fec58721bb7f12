#pragma once

#include <cstdint>
#include <vector>

#include "trainer/kernels/kernels.h"
#include "trainer/model/model.h"

namespace spindle::trainer {

/// All trainable parameters as one vector, so that clipping and AdamW are a few operations on it.
/// Values and gradients are float32; a model that computes in bfloat16 gets a copy. Internal to
/// this area.
class ParameterSet {
 public:
  /// Resets the set to these tensors. @return views of the values, in the same order
  std::vector<Parameter> set(const std::vector<at::Tensor>& initial,
                             const at::Device& device,
                             at::ScalarType type);

  bool empty() const { return !values_.defined(); }
  /// See Model::step().
  double step(const AdamOptions& options);
  void dropGradient();
  /// Updates the bfloat16 copy after the values were changed.
  void refresh();

  const at::Tensor& values() const { return values_; }
  const at::Tensor& gradients() const { return gradients_; }
  const at::Tensor& first() const { return first_; }
  const at::Tensor& second() const { return second_; }
  std::int64_t steps() const { return steps_; }
  void setSteps(std::int64_t steps) { steps_ = steps; }

 private:
  at::Tensor values_;
  at::Tensor used_;  ///< values_ itself if the model computes in float32
  at::Tensor gradients_;
  at::Tensor first_;
  at::Tensor second_;
  std::int64_t steps_ = 0;
};

}  // namespace spindle::trainer
