#include "trainer/kernels/kernels.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include <torch/version.h>

// Fused norms of the device.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 9)
#define SPINDLE_HAS_FUSED_NORM 1
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_backward.h>
#endif

#ifdef SPINDLE_HAS_CUDA_KERNELS
#include <c10/cuda/CUDAStream.h>

#include "trainer/kernels/cuda_kernels.h"
#endif

#include "trainer/kernels/attention.h"
#include "trainer/kernels/matrix_product.h"
#include "trainer/kernels/parallel.h"
#include "trainer/kernels/row_loops.h"

namespace spindle::trainer {
namespace {

/// Minimum number of rows per thread.
constexpr std::int64_t kLeastRows = 16;

/// Returns the numbers of a row.
float* rowOf(const at::Tensor& rows, std::int64_t row) {
  return rows.data_ptr<float>() + row * rows.stride(0);
}

template <class Work>
void forRows(std::int64_t rows, const Work& work) {
  inParallel(rows, kLeastRows, [&work](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) work(row);
  });
}

/// Applies RoPE: rotates pairs of numbers from the two halves of a head.
at::Tensor rotate(const at::Tensor& x, const Rotation& rotation, bool back) {
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

/// Calls `work` with the first row, the size and the first rank column of every part.
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

/// Returns the parts' `up` as a block-diagonal matrix: on a GPU one product with the zeros is
/// faster than one product per part.
at::Tensor blockDiagonal(const Lora& lora) {
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

HeadRotation headRotation(const at::Tensor& weight,
                          const Rotation& rotation,
                          const HeadShape& shape,
                          std::int64_t token) {
  return {.weights = weight.defined() ? weight.data_ptr<float>() : nullptr,
          .cosines = rowOf(rotation.cosines, token),
          .sines = rowOf(rotation.sines, token),
          .heads = shape.heads + shape.kv_heads,
          .half = shape.width / 2,
          .epsilon = static_cast<float>(shape.norm_epsilon)};
}

/// Returns queries and keys, normed and rotated.
Attended rotatedHeads(const at::Tensor& heads,
                      const at::Tensor& weight,
                      const Rotation& rotation,
                      const HeadShape& shape) {
  const std::int64_t rotating = shape.heads + shape.kv_heads;
  Attended done;
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (areForKernels(heads, shape)) {
    done.rotated = at::empty({heads.size(0), rotating, shape.width}, heads.options());
    done.inverse = at::empty({heads.size(0), rotating, 1}, heads.options().dtype(at::kFloat));
    rotateHeads(headRows(heads, weight, rotation, shape), done.rotated.data_ptr(),
                done.inverse.data_ptr<float>(), currentStream());
    return done;
  }
#endif
  if (isForRowLoops(heads)) {
    done.rotated = emptyRows(heads.size(0), rotating * shape.width, heads.options())
                       .view({heads.size(0), rotating, shape.width});
    if (weight.defined()) done.inverse = at::empty({heads.size(0), rotating, 1}, heads.options());
    forRows(heads.size(0), [&](std::int64_t token) {
      rotateRow(headRotation(weight, rotation, shape, token), rowOf(heads, token),
                rowOf(done.rotated, token),
                weight.defined() ? rowOf(done.inverse, token) : nullptr);
    });
    return done;
  }
  at::Tensor straight = heads.narrow(1, 0, rotating);
  if (weight.defined()) {
    Normed normed = norm(straight, weight, shape.norm_epsilon);
    straight = normed.y;
    done.inverse = normed.inverse;
  }
  done.rotated = rotate(straight, rotation, false);
  return done;
}

}  // namespace

bool isForRowLoops(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
}

at::Tensor addInPlace(at::Tensor x, const at::Tensor& more) {
  if (!isForRowLoops(x)) return x.add_(more);
  forRows(x.size(0), [&](std::int64_t row) { addRow(rowOf(more, row), x.size(1), rowOf(x, row)); });
  return x;
}

Normed norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
#ifdef SPINDLE_HAS_FUSED_NORM
  if (x.is_cuda()) {
    // The device supports one weight for all rows; heads have several.
    const bool one = weight.dim() == 1;
    auto [y, inverse] = at::_fused_rms_norm(
        x, {x.size(-1)}, one ? std::optional<at::Tensor>(weight) : std::nullopt, epsilon);
    if (!one) y.mul_(weight);
    return {y, inverse};
  }
#endif
  if (isForRowLoops(x)) {
    Normed done{emptyRows(x.size(0), x.size(1), x.options()),
                at::empty({x.size(0), 1}, x.options())};
    forRows(x.size(0), [&](std::int64_t row) {
      *rowOf(done.inverse, row) = normRow(rowOf(x, row), weight.data_ptr<float>(), x.size(1),
                                          static_cast<float>(epsilon), rowOf(done.y, row));
    });
    return done;
  }
  const at::Tensor length = at::linalg_vector_norm(x, 2, {-1}, true, at::kFloat);
  at::Tensor inverse = length.square().div_(static_cast<double>(x.size(-1))).add_(epsilon).rsqrt_();
  return {at::mul(x, inverse).to(x.scalar_type()).mul_(weight), inverse};
}

at::Tensor normBackward(const at::Tensor& gradient,
                        const at::Tensor& x,
                        const at::Tensor& inverse,
                        const Parameter& weight,
                        const at::Tensor& more) {
  if (weight.gradient.defined()) {
    const at::Tensor each = at::mul(gradient, at::mul(x, inverse));
    std::vector<std::int64_t> summed;
    for (std::int64_t i = 0; i + weight.value.dim() < x.dim(); ++i) summed.push_back(i);
    weight.addGradient(each.sum(summed));
  }
#ifdef SPINDLE_HAS_FUSED_NORM
  if (x.is_cuda()) {
    const bool one = weight.value.dim() == 1;
    const at::Tensor changed = std::get<0>(at::_fused_rms_norm_backward(
        one ? gradient : gradient * weight.value, x, {x.size(-1)}, inverse,
        one ? std::optional<at::Tensor>(weight.value) : std::nullopt, {true, false}));
    return more.defined() ? changed.add_(more) : changed;
  }
#endif
  if (isForRowLoops(x)) {
    at::Tensor changed = emptyRows(x.size(0), x.size(1), x.options());
    forRows(x.size(0), [&](std::int64_t row) {
      normRowBackward(
          {rowOf(x, row), weight.value.data_ptr<float>(), x.size(1), *rowOf(inverse, row)},
          rowOf(gradient, row), more.defined() ? rowOf(more, row) : nullptr, rowOf(changed, row));
    });
    return changed;
  }
  const at::Tensor wide = x.to(at::kFloat);
  at::Tensor scaled = at::mul(gradient.to(at::kFloat), weight.value);
  const at::Tensor along = (scaled * wide)
                               .sum(-1, true)
                               .mul_(inverse)
                               .mul_(inverse)
                               .div_(-static_cast<double>(x.size(-1)));
  const at::Tensor changed = scaled.addcmul_(wide, along).mul_(inverse).to(x.scalar_type());
  return more.defined() ? changed.add_(more) : changed;
}

Projected Linear::forward(const at::Tensor& x, const Lora* lora) const {
  Projected done{product(x, weight.value.t()), {}};
  if (bias.defined()) done.y.add_(bias.value);
  if (lora == nullptr) return done;
  done.narrow = product(x, lora->down.value.t(), lora->scale);
  if (x.is_cuda()) {
    done.y.addmm_(done.narrow, blockDiagonal(*lora).t());
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
    narrowed = at::mm(gradient, blockDiagonal(*lora)).mul_(lora->scale);
    lora->down.addGradient(at::mm(narrowed.t(), x));
  } else {
    narrowed = at::empty(narrow.sizes(), narrow.options());
    forParts(*lora, [&](std::int64_t begin, std::int64_t size, std::int64_t column) {
      const at::Tensor piece = gradient.narrow(1, begin, size);
      addProduct(lora->up.gradient.narrow(0, begin, size), piece.t(),
                 narrow.narrow(1, column, rank));
      narrowed.narrow(1, column, rank)
          .copy_(product(piece, lora->up.value.narrow(0, begin, size), lora->scale));
    });
    addProduct(lora->down.gradient, narrowed.t(), x);
  }
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
  if (isForRowLoops(gate_up)) {
    at::Tensor y = emptyRows(gate_up.size(0), inner, gate_up.options());
    forRows(gate_up.size(0), [&](std::int64_t row) {
      const float* gates = rowOf(gate_up, row);
      gateRow(gates, gates + inner, inner, rowOf(y, row));
    });
    return y;
  }
  return at::silu(gate_up.narrow(1, 0, inner)).mul_(gate_up.narrow(1, inner, inner));
}

at::Tensor gatedBackward(const at::Tensor& gradient, const at::Tensor& gate_up) {
  const std::int64_t inner = gate_up.size(1) / 2;
  at::Tensor changed = emptyRows(gate_up.size(0), gate_up.size(1), gate_up.options());
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (isForKernels(gate_up) && inner % 8 == 0) {
    gateRowsBackward(gradient.data_ptr(), gate_up.data_ptr(), changed.data_ptr(), gate_up.size(0),
                     inner, currentStream());
    return changed;
  }
#endif
  if (isForRowLoops(gate_up)) {
    forRows(gate_up.size(0), [&](std::int64_t row) {
      const float* gates = rowOf(gate_up, row);
      float* of_gates = rowOf(changed, row);
      gateRowBackward(rowOf(gradient, row), gates, gates + inner, inner, of_gates,
                      of_gates + inner);
    });
    return changed;
  }
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
                const AttentionContext& context) {
  const HeadShape& shape = context.shape;
  const std::int64_t tokens = fused.size(0);
  const std::int64_t rotating = shape.heads + shape.kv_heads;
  const at::Tensor all = fused.view({tokens, rotating + shape.kv_heads, shape.width});
  Attended done = rotatedHeads(all, weight, context.rotation, shape);
  attendSpans(all.narrow(1, rotating, shape.kv_heads), context, done);
  return done;
}

at::Tensor attendBackward(const at::Tensor& gradient,
                          const at::Tensor& fused,
                          const Attended& kept,
                          const Parameter& weight,
                          const AttentionContext& context) {
  const Rotation& rotation = context.rotation;
  const HeadShape& shape = context.shape;
  const std::int64_t tokens = fused.size(0);
  const std::int64_t rotating = shape.heads + shape.kv_heads;
  const std::vector<std::int64_t> sizes = {tokens, rotating + shape.kv_heads, shape.width};
  const at::Tensor all = fused.view(sizes);
  at::Tensor changed = emptyRows(tokens, fused.size(1), fused.options()).view(sizes);
  at::Tensor of_rotated = emptyRows(tokens, rotating * shape.width, fused.options())
                              .view({tokens, rotating, shape.width});
  attendSpansBackward(all.narrow(1, rotating, shape.kv_heads), context, kept,
                      {gradient.view({tokens, shape.heads, shape.width}), of_rotated,
                       changed.narrow(1, rotating, shape.kv_heads)});
#ifdef SPINDLE_HAS_CUDA_KERNELS
  if (areForKernels(all, shape) && !weight.gradient.defined()) {
    rotateHeadsBackward(headRows(all, weight.value, rotation, shape), of_rotated.data_ptr(),
                        weight.defined() ? kept.inverse.data_ptr<float>() : nullptr,
                        changed.data_ptr(), currentStream());
    return changed.view(fused.sizes());
  }
#endif
  if (isForRowLoops(all)) {
    const at::Tensor straight = at::empty(of_rotated.sizes(), of_rotated.options());
    forRows(tokens, [&](std::int64_t token) {
      rotateRowBackward(headRotation(weight.value, rotation, shape, token), rowOf(all, token),
                        weight.defined() ? rowOf(kept.inverse, token) : nullptr,
                        rowOf(of_rotated, token), rowOf(straight, token), rowOf(changed, token));
    });
    if (weight.gradient.defined()) {
      weight.addGradient(
          at::mul(straight, at::mul(all.narrow(1, 0, rotating), kept.inverse)).sum(0));
    }
    return changed.view(fused.sizes());
  }
  at::Tensor straight = rotate(of_rotated, rotation, true);
  if (weight.defined())
    straight = normBackward(straight, all.narrow(1, 0, rotating), kept.inverse, weight);
  changed.narrow(1, 0, rotating).copy_(straight);
  return changed.view(fused.sizes());
}

}  // namespace spindle::trainer
