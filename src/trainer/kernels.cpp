#include "trainer/kernels.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

// Norms that the device computes in one go.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9)
#define SPINDLE_HAS_FUSED_NORM 1
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_backward.h>
#endif

#ifdef SPINDLE_HAS_CUDA_KERNELS
#include <c10/cuda/CUDAStream.h>

#include "trainer/cuda_kernels.h"
#endif

#include "trainer/attention.h"

namespace spindle::trainer {
namespace {

/// Fewer rows than these are not worth a thread.
constexpr std::int64_t kLeastRows = 16;

bool isForThreads(const at::Tensor& a) {
  return a.is_cpu() && at::get_num_threads() > 1 && a.size(0) >= 2 * kLeastRows;
}

/// Every thread gets as many rows as the others.
template <class Work>
void byRows(const at::Tensor& a, const Work& work) {
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t each = std::max(kLeastRows, (a.size(0) + threads - 1) / threads);
  at::parallel_for(0, a.size(0), each, [&](std::int64_t begin, std::int64_t end) {
    const c10::InferenceMode guard;  // a thread of its own knows of none
    work(begin, end - begin);
  });
}

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

/// Calls with where a part begins, its size, and where its rank begins.
template <class Work>
void forParts(const Lora& lora, const Work& work) {
  std::int64_t begin = 0;
  std::int64_t column = 0;
  for (const std::int64_t size : lora.part_sizes) {
    work(begin, size, column);
    begin += size;
    column += lora.rank();
  }
}

/// The parts' `up` beside one another, each where its rank stands: a GPU multiplies with the zeros
/// in between faster than with each part alone.
at::Tensor onDiagonal(const Lora& lora) {
  if (lora.part_sizes.size() == 1) return lora.up.value;
  at::Tensor wide =
      at::zeros({lora.up.value.size(0), lora.down.value.size(0)}, lora.up.value.options());
  forParts(lora, [&](std::int64_t begin, std::int64_t size, std::int64_t column) {
    wide.narrow(0, begin, size)
        .narrow(1, column, lora.rank())
        .copy_(lora.up.value.narrow(0, begin, size));
  });
  return wide;
}

#ifdef SPINDLE_HAS_CUDA_KERNELS
void* currentStream() { return c10::cuda::getCurrentCUDAStream().stream(); }

bool isForKernels(const at::Tensor& rows) {
  return rows.is_cuda() && rows.scalar_type() == at::kBFloat16 && rows.is_contiguous();
}

bool areForKernels(const at::Tensor& heads, const HeadShape& shape) {
  return isForKernels(heads) && shape.width % 4 == 0 && shape.width <= 256;
}

HeadRows headRows(const at::Tensor& heads,
                  const at::Tensor& weight,
                  const Rotation& rotation,
                  const HeadShape& shape) {
  return {.fused = heads.data_ptr(),
          .stride = heads.stride(0),
          .weights = weight.defined() ? weight.data_ptr() : nullptr,
          .cosines = rotation.exact_cosines.data_ptr<float>(),
          .sines = rotation.exact_sines.data_ptr<float>(),
          .tokens = heads.size(0),
          .heads = shape.heads + shape.kv_heads,
          .width = shape.width,
          .epsilon = static_cast<float>(shape.norm_epsilon)};
}
#endif

/// Queries and keys, normed and turned.
Attended turnedHeads(const at::Tensor& heads,
                     const at::Tensor& weight,
                     const Rotation& rotation,
                     const HeadShape& shape) {
  const std::int64_t turning = shape.heads + shape.kv_heads;
  Attended done;
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (areForKernels(heads, shape)) {
    done.turned = at::empty({heads.size(0), turning, shape.width}, heads.options());
    done.inverse = at::empty({heads.size(0), turning, 1}, heads.options().dtype(at::kFloat));
    turnHeads(headRows(heads, weight, rotation, shape), done.turned.data_ptr(),
              done.inverse.data_ptr<float>(), currentStream());
    return done;
  }
#endif
  at::Tensor straight = heads.narrow(1, 0, turning);
  if (weight.defined()) {
    Normed normed = norm(straight, weight, shape.norm_epsilon);
    straight = normed.y;
    done.inverse = normed.inverse;
  }
  done.turned = turn(straight, rotation, false);
  return done;
}

}  // namespace

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  if (!isForThreads(a)) return at::mm(a, b);
  at::Tensor made = at::empty({a.size(0), b.size(1)}, a.options());
  byRows(a, [&](std::int64_t begin, std::int64_t count) {
    at::Tensor place = made.narrow(0, begin, count);
    at::mm_out(place, a.narrow(0, begin, count), b);
  });
  return made;
}

void addProduct(at::Tensor sum, const at::Tensor& a, const at::Tensor& b) {
  if (!isForThreads(a)) {
    sum.addmm_(a, b);
    return;
  }
  byRows(a, [&](std::int64_t begin, std::int64_t count) {
    sum.narrow(0, begin, count).addmm_(a.narrow(0, begin, count), b);
  });
}

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
  Projected done{product(x, weight.value.t()), {}};
  if (bias.defined()) done.y.add_(bias.value);
  if (lora == nullptr) return done;
  done.narrow = product(x, lora->down.value.t()).mul_(lora->scale);
  if (x.is_cuda()) {
    done.y.addmm_(done.narrow, onDiagonal(*lora).t());
    return done;
  }
  forParts(*lora, [&](std::int64_t begin, std::int64_t size, std::int64_t column) {
    addProduct(done.y.narrow(1, begin, size), done.narrow.narrow(1, column, lora->rank()),
               lora->up.value.narrow(0, begin, size).t());
  });
  return done;
}

at::Tensor Linear::backward(const at::Tensor& gradient,
                            const at::Tensor& x,
                            const at::Tensor& narrow,
                            const Lora* lora,
                            bool wanted) const {
  if (weight.gradient.defined()) weight.addGradient(product(gradient.t(), x));
  if (bias.gradient.defined()) bias.addGradient(gradient.sum(0));
  at::Tensor changed = wanted ? product(gradient, weight.value) : at::Tensor();
  if (lora == nullptr) return changed;
  const std::int64_t rank = lora->rank();
  at::Tensor narrowed;
  if (gradient.is_cuda()) {
    const at::Tensor all = at::mm(gradient.t(), narrow);
    forParts(*lora, [&](std::int64_t begin, std::int64_t size, std::int64_t column) {
      lora->up.gradient.narrow(0, begin, size)
          .add_(all.narrow(0, begin, size).narrow(1, column, rank));
    });
    narrowed = at::mm(gradient, onDiagonal(*lora));
  } else {
    narrowed = at::empty(narrow.sizes(), narrow.options());
    forParts(*lora, [&](std::int64_t begin, std::int64_t size, std::int64_t column) {
      const at::Tensor piece = gradient.narrow(1, begin, size);
      lora->up.gradient.narrow(0, begin, size)
          .add_(product(piece.t(), narrow.narrow(1, column, rank)));
      narrowed.narrow(1, column, rank).copy_(product(piece, lora->up.value.narrow(0, begin, size)));
    });
  }
  narrowed.mul_(lora->scale);
  lora->down.addGradient(product(narrowed.t(), x));
  if (wanted) addProduct(changed, narrowed, lora->down.value);
  return changed;
}

at::Tensor gated(const at::Tensor& gate_up) {
  const std::int64_t inner = gate_up.size(1) / 2;
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (isForKernels(gate_up) && inner % 8 == 0) {
    at::Tensor y = at::empty({gate_up.size(0), inner}, gate_up.options());
    gateRows(gate_up.data_ptr(), y.data_ptr(), gate_up.size(0), inner, currentStream());
    return y;
  }
#endif
  return at::silu(gate_up.narrow(1, 0, inner)).mul_(gate_up.narrow(1, inner, inner));
}

at::Tensor gatedBackward(const at::Tensor& gradient, const at::Tensor& gate_up) {
  const std::int64_t inner = gate_up.size(1) / 2;
  at::Tensor changed = at::empty(gate_up.sizes(), gate_up.options());
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (isForKernels(gate_up) && inner % 8 == 0) {
    gateRowsBack(gradient.data_ptr(), gate_up.data_ptr(), changed.data_ptr(), gate_up.size(0),
                 inner, currentStream());
    return changed;
  }
#endif
  const at::Tensor gate = gate_up.narrow(1, 0, inner);
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
  Attended done = turnedHeads(all, weight, rotation, shape);
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
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (areForKernels(all, shape) && !weight.gradient.defined()) {
    turnHeadsBack(headRows(all, weight.value, rotation, shape), of_turned.data_ptr(),
                  weight.defined() ? kept.inverse.data_ptr<float>() : nullptr, changed.data_ptr(),
                  currentStream());
    return changed.view(fused.sizes());
  }
#endif
  at::Tensor straight = turn(of_turned, rotation, true);
  if (weight.defined())
    straight = normBackward(straight, all.narrow(1, 0, turning), kept.inverse, weight);
  changed.narrow(1, 0, turning).copy_(straight);
  return changed.view(fused.sizes());
}

}  // namespace spindle::trainer
