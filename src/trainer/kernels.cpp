#include "trainer/kernels.h"

#include <cstddef>
#include <optional>
#include <tuple>

#include <torch/version.h>

// Norms that the device computes in one go.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9)
#define SPINDLE_HAS_FUSED_NORM 1
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_backward.h>
#endif

#include "trainer/attention.h"

namespace spindle::trainer {
namespace {

/// Two numbers per token, head and half: a head's two halves turn together.
at::Tensor turn(const at::Tensor& x, const Rotation& rotation, bool back) {
  const std::int64_t half = x.size(-1) / 2;
  const at::Tensor a = x.narrow(-1, 0, half);
  const at::Tensor b = x.narrow(-1, half, half);
  at::Tensor y = at::empty(x.sizes(), x.options());
  at::Tensor first = y.narrow(-1, 0, half);
  at::Tensor second = y.narrow(-1, half, half);
  at::mul_out(first, a, rotation.cosines);
  first.addcmul_(b, rotation.sines, back ? 1 : -1);
  at::mul_out(second, b, rotation.cosines);
  second.addcmul_(a, rotation.sines, back ? -1 : 1);
  return y;
}

}  // namespace

Normed norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
#ifdef SPINDLE_HAS_FUSED_NORM
  if (x.is_cuda()) {
    // One weight for all rows is the device's business; heads have several.
    const bool one = weight.dim() == 1;
    auto [y, inverse] = at::_fused_rms_norm(
        x, {x.size(-1)}, one ? std::optional<at::Tensor>(weight) : std::nullopt, epsilon);
    if (!one) y.mul_(weight);
    return {y, inverse};
  }
#endif
  const at::Tensor length = at::linalg_vector_norm(x, 2, {-1}, true, at::kFloat);
  at::Tensor inverse = length.square().div_(static_cast<double>(x.size(-1))).add_(epsilon).rsqrt_();
  return {at::mul(x, inverse).to(x.scalar_type()).mul_(weight), inverse};
}

at::Tensor normBackward(const at::Tensor& gradient,
                        const at::Tensor& x,
                        const at::Tensor& inverse,
                        const Parameter& weight) {
  if (weight.gradient.defined()) {
    const at::Tensor each = at::mul(gradient, at::mul(x, inverse));
    std::vector<std::int64_t> summed;
    for (std::int64_t i = 0; i + weight.value.dim() < x.dim(); ++i) summed.push_back(i);
    weight.addGradient(each.sum(summed));
  }
#ifdef SPINDLE_HAS_FUSED_NORM
  if (x.is_cuda()) {
    const bool one = weight.value.dim() == 1;
    return std::get<0>(at::_fused_rms_norm_backward(
        one ? gradient : gradient * weight.value, x, {x.size(-1)}, inverse,
        one ? std::optional<at::Tensor>(weight.value) : std::nullopt, {true, false}));
  }
#endif
  const at::Tensor wide = x.to(at::kFloat);
  at::Tensor scaled = at::mul(gradient.to(at::kFloat), weight.value);
  const at::Tensor along = (scaled * wide)
                               .sum(-1, true)
                               .mul_(inverse)
                               .mul_(inverse)
                               .div_(-static_cast<double>(x.size(-1)));
  return scaled.addcmul_(wide, along).mul_(inverse).to(x.scalar_type());
}

Projected Linear::forward(const at::Tensor& x, const Lora* lora) const {
  Projected done{
      bias.defined() ? at::addmm(bias.value, x, weight.value.t()) : at::mm(x, weight.value.t()),
      {}};
  if (lora == nullptr) return done;
  done.narrow = at::mm(x, lora->down.value.t()).mul_(lora->scale);
  const std::int64_t rank = lora->up.value.size(1);
  std::int64_t begin = 0;
  for (std::size_t part = 0; part < lora->part_sizes.size(); ++part) {
    const std::int64_t size = lora->part_sizes[part];
    done.y.narrow(1, begin, size)
        .addmm_(done.narrow.narrow(1, static_cast<std::int64_t>(part) * rank, rank),
                lora->up.value.narrow(0, begin, size).t());
    begin += size;
  }
  return done;
}

at::Tensor Linear::backward(const at::Tensor& gradient,
                            const at::Tensor& x,
                            const at::Tensor& narrow,
                            const Lora* lora,
                            bool wanted) const {
  if (weight.gradient.defined()) weight.addGradient(at::mm(gradient.t(), x));
  if (bias.gradient.defined()) bias.addGradient(gradient.sum(0));
  at::Tensor changed = wanted ? at::mm(gradient, weight.value) : at::Tensor();
  if (lora == nullptr) return changed;
  const std::int64_t rank = lora->up.value.size(1);
  at::Tensor narrowed = at::empty(narrow.sizes(), narrow.options());
  std::int64_t begin = 0;
  for (std::size_t part = 0; part < lora->part_sizes.size(); ++part) {
    const std::int64_t size = lora->part_sizes[part];
    const std::int64_t column = static_cast<std::int64_t>(part) * rank;
    const at::Tensor piece = gradient.narrow(1, begin, size);
    if (lora->up.gradient.defined()) {
      lora->up.gradient.narrow(0, begin, size)
          .add_(at::mm(piece.t(), narrow.narrow(1, column, rank)));
    }
    narrowed.narrow(1, column, rank).copy_(at::mm(piece, lora->up.value.narrow(0, begin, size)));
    begin += size;
  }
  narrowed.mul_(lora->scale);
  if (lora->down.gradient.defined()) lora->down.addGradient(at::mm(narrowed.t(), x));
  if (wanted) changed.addmm_(narrowed, lora->down.value);
  return changed;
}

at::Tensor gated(const at::Tensor& gate_up) {
  const std::int64_t inner = gate_up.size(1) / 2;
  return at::silu(gate_up.narrow(1, 0, inner)).mul_(gate_up.narrow(1, inner, inner));
}

at::Tensor gatedBackward(const at::Tensor& gradient, const at::Tensor& gate_up) {
  const std::int64_t inner = gate_up.size(1) / 2;
  const at::Tensor gate = gate_up.narrow(1, 0, inner);
  at::Tensor changed = at::empty(gate_up.sizes(), gate_up.options());
  at::Tensor of_gate = changed.narrow(1, 0, inner);
  at::Tensor of_up = changed.narrow(1, inner, inner);
  at::silu_out(of_up, gate);
  of_up.mul_(gradient);
  at::silu_backward_out(of_gate, gradient * gate_up.narrow(1, inner, inner), gate);
  return changed;
}

Attended attend(const at::Tensor& fused,
                const at::Tensor& weight,
                const Rotation& rotation,
                const HeadShape& shape,
                const AttentionPlan& plan) {
  const std::int64_t tokens = fused.size(0);
  const std::int64_t turning = shape.heads + shape.kv_heads;
  const at::Tensor all = fused.view({tokens, turning + shape.kv_heads, shape.width});
  at::Tensor straight = all.narrow(1, 0, turning);
  Attended done;
  if (weight.defined()) {
    Normed normed = norm(straight, weight, shape.norm_epsilon);
    straight = normed.y;
    done.inverse = normed.inverse;
  }
  done.turned = turn(straight, rotation, false);
  attendSpans(all.narrow(1, turning, shape.kv_heads), shape, plan, done);
  return done;
}

at::Tensor attendBackward(const at::Tensor& gradient,
                          const at::Tensor& fused,
                          const Attended& kept,
                          const Parameter& weight,
                          const Rotation& rotation,
                          const HeadShape& shape,
                          const AttentionPlan& plan) {
  const std::int64_t tokens = fused.size(0);
  const std::int64_t turning = shape.heads + shape.kv_heads;
  const std::vector<std::int64_t> sizes = {tokens, turning + shape.kv_heads, shape.width};
  const at::Tensor all = fused.view(sizes);
  at::Tensor changed = at::empty(sizes, fused.options());
  at::Tensor of_turned = at::empty(kept.turned.sizes(), fused.options());
  at::Tensor of_values = changed.narrow(1, turning, shape.kv_heads);
  attendSpansBackward(gradient.view({tokens, shape.heads, shape.width}), kept,
                      all.narrow(1, turning, shape.kv_heads), shape, plan, of_turned, of_values);
  at::Tensor straight = turn(of_turned, rotation, true);
  if (weight.defined())
    straight = normBackward(straight, all.narrow(1, 0, turning), kept.inverse, weight);
  changed.narrow(1, 0, turning).copy_(straight);
  return changed.view(fused.sizes());
}

}  // namespace spindle::trainer
