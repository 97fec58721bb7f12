#include "trainer/model/parameter_set.h"

#include <algorithm>
#include <cmath>

namespace spindle::trainer {

std::vector<Parameter> ParameterSet::set(const std::vector<at::Tensor>& initial,
                                         const at::Device& device,
                                         at::ScalarType type) {
  std::int64_t total = 0;
  for (const at::Tensor& tensor : initial) total += tensor.numel();
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat).device(device);
  values_ = at::empty({total}, options);
  gradients_ = at::zeros({total}, options);
  first_ = at::zeros({total}, options);
  second_ = at::zeros({total}, options);
  used_ = type == at::kFloat ? values_ : at::empty({total}, options.dtype(type));
  steps_ = 0;
  std::vector<Parameter> parameters;
  std::int64_t begin = 0;
  for (const at::Tensor& tensor : initial) {
    values_.narrow(0, begin, tensor.numel()).copy_(tensor.reshape({-1}));
    parameters.push_back({used_.narrow(0, begin, tensor.numel()).view(tensor.sizes()),
                          gradients_.narrow(0, begin, tensor.numel()).view(tensor.sizes())});
    begin += tensor.numel();
  }
  refresh();
  return parameters;
}

double ParameterSet::step(const AdamOptions& options) {
  const auto length = gradients_.norm().item<double>();
  if (!std::isfinite(length)) {
    dropGradient();
    return length;
  }
  if (options.clip > 0) gradients_.mul_(std::min(1.0, options.clip / (length + 1e-6)));
  ++steps_;
  const double first_share = 1 - std::pow(options.first_decay, static_cast<double>(steps_));
  const double second_share = 1 - std::pow(options.second_decay, static_cast<double>(steps_));
  first_.mul_(options.first_decay).add_(gradients_, 1 - options.first_decay);
  second_.mul_(options.second_decay).addcmul_(gradients_, gradients_, 1 - options.second_decay);
  // The gradient is no longer needed: its memory holds the divisor.
  at::sqrt_out(gradients_, second_);
  gradients_.mul_(1 / std::sqrt(second_share)).add_(options.epsilon);
  values_.mul_(1 - options.learning_rate * options.weight_decay)
      .addcdiv_(first_, gradients_, -options.learning_rate / first_share);
  dropGradient();
  refresh();
  return length;
}

void ParameterSet::dropGradient() { gradients_.zero_(); }

void ParameterSet::refresh() {
  if (!used_.is_same(values_)) used_.copy_(values_);
}

}  // namespace spindle::trainer
