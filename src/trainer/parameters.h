#pragma once

#include <cstdint>
#include <vector>

#include "trainer/kernels.h"
#include "trainer/model.h"

namespace spindle::trainer {

/// What learns, as one long vector: clipping and AdamW are a few passes over it, however many
/// matrices there are. Values and gradients are 32-bit; where a model computes with halves it gets
/// a copy. Inside this area only.
class ParameterSet {
 public:
  /// Begins anew with these numbers. @return views of them, in their order
  std::vector<Parameter> set(const std::vector<at::Tensor>& initial,
                             const at::Device& device,
                             at::ScalarType type);

  bool empty() const { return !values_.defined(); }
  /// See Model::step().
  double step(const AdamOptions& options);
  void dropGradient();
  /// After the values were changed from outside.
  void refresh();

  const at::Tensor& values() const { return values_; }
  const at::Tensor& gradients() const { return gradients_; }
  const at::Tensor& first() const { return first_; }
  const at::Tensor& second() const { return second_; }
  std::int64_t steps() const { return steps_; }
  void setSteps(std::int64_t steps) { steps_ = steps; }

 private:
  at::Tensor values_;
  at::Tensor used_;  ///< the same tensor where nothing is rounded
  at::Tensor gradients_;
  at::Tensor first_;
  at::Tensor second_;
  std::int64_t steps_ = 0;
};

}  // namespace spindle::trainer
