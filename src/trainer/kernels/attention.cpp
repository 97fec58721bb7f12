#include "trainer/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <ATen/Context.h>
#include <torch/version.h>

// Flash attention over sequences of different lengths.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
#define SPINDLE_HAS_FLASH 1
#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#endif

namespace spindle::trainer {
namespace {

/// Queries per block: keys after the block are not multiplied at all.
constexpr std::int64_t kBlock = 256;

#ifdef SPINDLE_HAS_FLASH
bool hasFlash(const at::Tensor& values) {
  return values.is_cuda() && values.scalar_type() != at::kFloat && values.size(2) % 8 == 0 &&
         values.size(2) <= 256;
}

/// Makes the device add in a fixed order as long as this object exists. So gradients do not depend
/// on the timing of threads, and a job that resumes after a crash gives the same weights.
class DeterministicScope {
 public:
  DeterministicScope() : before_(at::globalContext().deterministicAlgorithms()) {
    at::globalContext().setDeterministicAlgorithms(true, false);
    // Deterministic mode would also fill uninitialized memory, which is about to be overwritten.
    at::globalContext().setDeterministicFillUninitializedMemory(false);
  }
  ~DeterministicScope() { at::globalContext().setDeterministicAlgorithms(before_, false); }
  DeterministicScope(const DeterministicScope&) = delete;
  DeterministicScope& operator=(const DeterministicScope&) = delete;

 private:
  const bool before_;
};

struct FlashInputs {
  at::Tensor queries;
  at::Tensor keys;
  at::Tensor values;
};

/// Returns the rows that the spans attend to; a row that several spans share is repeated.
FlashInputs flashInputs(const Attended& attended,
                        const at::Tensor& values,
                        const AttentionContext& context) {
  const HeadShape& shape = context.shape;
  const AttentionPlan& plan = context.plan;
  FlashInputs inputs{attended.rotated.narrow(1, 0, shape.heads),
                     attended.rotated.narrow(1, shape.heads, shape.kv_heads), values};
  if (plan.key_rows.defined()) {
    inputs.keys = inputs.keys.index_select(0, plan.key_rows);
    inputs.values = inputs.values.index_select(0, plan.key_rows);
  }
  return inputs;
}
#endif

at::Tensor ofSpan(const at::Tensor& rows, const Span& span) {
  at::Tensor own = rows.narrow(0, span.begin, span.length);
  if (span.parent_length == 0) return own;
  return at::cat({rows.narrow(0, span.parent_begin, span.parent_length), own});
}

/// Some queries of a span and the keys that they attend to.
class TensorBlock {
 public:
  TensorBlock(const HeadShape& shape, const Span& span, std::int64_t begin)
      : shape_(shape),
        span_(span),
        begin_(begin),
        count_(std::min(kBlock, span.length - begin)),
        keys_(span.parent_length + begin + count_) {}

  std::int64_t keys() const { return keys_; }

  /// Returns [kv_heads, sharing * count, width] from rows [T, heads, width].
  at::Tensor queries(const at::Tensor& rows) const {
    return rows.narrow(0, span_.begin + begin_, count_)
        .view({count_, shape_.kv_heads, sharing(), shape_.width})
        .permute({1, 2, 0, 3})
        .reshape({shape_.kv_heads, sharing() * count_, shape_.width});
  }
  /// Writes such a block back to the rows.
  void putQueries(const at::Tensor& block, const at::Tensor& rows) const {
    rows.narrow(0, span_.begin + begin_, count_)
        .view({count_, shape_.kv_heads, sharing(), shape_.width})
        .copy_(
            block.view({shape_.kv_heads, sharing(), count_, shape_.width}).permute({2, 0, 1, 3}));
  }

  /// Returns the attention probabilities: [kv_heads, sharing * count, keys].
  at::Tensor probabilities(const at::Tensor& queries, const at::Tensor& keys) const {
    at::Tensor scores = at::bmm(queries, keys.narrow(0, 0, keys_).permute({1, 2, 0}));
    scores.mul_(1 / std::sqrt(static_cast<double>(shape_.width)));
    const at::Tensor later = at::ones({count_, count_}, scores.options().dtype(at::kBool)).triu_(1);
    scores.view({shape_.kv_heads, sharing(), count_, keys_})
        .narrow(3, keys_ - count_, count_)
        .masked_fill_(later, -std::numeric_limits<float>::infinity());
    return at::softmax(scores, -1);
  }

 private:
  std::int64_t sharing() const { return shape_.heads / shape_.kv_heads; }

  const HeadShape& shape_;
  const Span& span_;
  std::int64_t begin_;
  std::int64_t count_;
  std::int64_t keys_;
};

void attendGeneric(const at::Tensor& values, const AttentionContext& context, Attended& done) {
  const HeadShape& shape = context.shape;
  const at::Tensor queries = done.rotated.narrow(1, 0, shape.heads);
  const at::Tensor keys = done.rotated.narrow(1, shape.heads, shape.kv_heads);
  done.y = at::empty({values.size(0), shape.heads, shape.width}, values.options());
  for (const Span& span : context.plan.spans) {
    const at::Tensor span_keys = ofSpan(keys, span);
    const at::Tensor span_values = ofSpan(values, span).transpose(0, 1);
    for (std::int64_t begin = 0; begin < span.length; begin += kBlock) {
      const TensorBlock block(shape, span, begin);
      const at::Tensor probabilities = block.probabilities(block.queries(queries), span_keys);
      block.putQueries(at::bmm(probabilities, span_values.narrow(1, 0, block.keys())), done.y);
    }
  }
  done.y = done.y.view({values.size(0), shape.heads * shape.width});
}

/// Adds the gradient of a span's keys or values to its own rows and to its parent's.
void addToSpan(const at::Tensor& of_span, const Span& span, const at::Tensor& rows) {
  const at::Tensor by_row = of_span.transpose(0, 1);
  rows.narrow(0, span.begin, span.length).add_(by_row.narrow(0, span.parent_length, span.length));
  if (span.parent_length > 0) {
    rows.narrow(0, span.parent_begin, span.parent_length)
        .add_(by_row.narrow(0, 0, span.parent_length));
  }
}

void attendGenericBackward(const at::Tensor& values,
                           const AttentionContext& context,
                           const Attended& kept,
                           const AttentionGradients& gradients) {
  const HeadShape& shape = context.shape;
  const at::Tensor queries = kept.rotated.narrow(1, 0, shape.heads);
  const at::Tensor keys = kept.rotated.narrow(1, shape.heads, shape.kv_heads);
  const at::Tensor of_queries = gradients.of_rotated.narrow(1, 0, shape.heads);
  at::Tensor of_keys = gradients.of_rotated.narrow(1, shape.heads, shape.kv_heads);
  of_keys.zero_();
  gradients.of_values.zero_();
  const double scale = 1 / std::sqrt(static_cast<double>(shape.width));
  for (const Span& span : context.plan.spans) {
    const at::Tensor span_keys = ofSpan(keys, span);
    const at::Tensor span_values = ofSpan(values, span);
    const std::vector<std::int64_t> sizes = {shape.kv_heads, span_keys.size(0), shape.width};
    at::Tensor of_span_keys = at::zeros(sizes, values.options());
    at::Tensor of_span_values = at::zeros(sizes, values.options());
    for (std::int64_t begin = 0; begin < span.length; begin += kBlock) {
      const TensorBlock block(shape, span, begin);
      const at::Tensor asked = block.queries(queries);
      const at::Tensor probabilities = block.probabilities(asked, span_keys);
      const at::Tensor wanted = block.queries(gradients.of_y);
      of_span_values.narrow(1, 0, block.keys())
          .add_(at::bmm(probabilities.transpose(1, 2), wanted));
      const at::Tensor of_shares =
          at::bmm(wanted, span_values.narrow(0, 0, block.keys()).permute({1, 2, 0}));
      const at::Tensor of_scores =
          at::_softmax_backward_data(of_shares, probabilities, -1, probabilities.scalar_type())
              .mul_(scale);
      block.putQueries(at::bmm(of_scores, span_keys.narrow(0, 0, block.keys()).transpose(0, 1)),
                       of_queries);
      of_span_keys.narrow(1, 0, block.keys()).add_(at::bmm(of_scores.transpose(1, 2), asked));
    }
    addToSpan(of_span_keys, span, of_keys);
    addToSpan(of_span_values, span, gradients.of_values);
  }
}

}  // namespace

AttentionPlan::AttentionPlan(const std::vector<Span>& row_spans, const at::Device& device)
    : spans(row_spans) {
  std::vector<std::int32_t> queries = {0};
  std::vector<std::int32_t> keys = {0};
  std::vector<std::int64_t> rows;
  bool shared = false;
  for (const Span& span : spans) {
    const std::int64_t seen = span.parent_length + span.length;
    longest_queries = std::max(longest_queries, span.length);
    longest_keys = std::max(longest_keys, seen);
    queries.push_back(queries.back() + static_cast<std::int32_t>(span.length));
    keys.push_back(keys.back() + static_cast<std::int32_t>(seen));
    shared = shared || span.parent_length > 0;
  }
  if (device.is_cpu()) return;
  const auto moved = [&device](const auto& numbers, at::ScalarType type) {
    return at::from_blob(const_cast<void*>(static_cast<const void*>(numbers.data())),  // NOLINT
                         {static_cast<std::int64_t>(numbers.size())}, type)
        .to(device);
  };
  query_bounds = moved(queries, at::kInt);
  key_bounds = moved(keys, at::kInt);
  if (!shared) return;
  for (const Span& span : spans) {
    for (std::int64_t i = 0; i < span.parent_length; ++i) rows.push_back(span.parent_begin + i);
    for (std::int64_t i = 0; i < span.length; ++i) rows.push_back(span.begin + i);
  }
  key_rows = moved(rows, at::kLong);
}

void attendSpans(const at::Tensor& values, const AttentionContext& context, Attended& done) {
#ifdef SPINDLE_HAS_FLASH
  if (hasFlash(values)) {
    const HeadShape& shape = context.shape;
    const AttentionPlan& plan = context.plan;
    const auto [queries, keys, taken] = flashInputs(done, values, context);
    const auto result =
        at::_flash_attention_forward(queries, keys, taken, plan.query_bounds, plan.key_bounds,
                                     plan.longest_queries, plan.longest_keys, 0.0, true, false);
    done.y = std::get<0>(result).view({values.size(0), shape.heads * shape.width});
    done.sums = std::get<1>(result);
    done.seed = std::get<2>(result);
    done.offset = std::get<3>(result);
    return;
  }
#endif
  if (isForRowLoops(values)) {
    attendOnCpu(values, context, done);
    return;
  }
  attendGeneric(values, context, done);
}

void attendSpansBackward(const at::Tensor& values,
                         const AttentionContext& context,
                         const Attended& kept,
                         const AttentionGradients& gradients) {
#ifdef SPINDLE_HAS_FLASH
  if (hasFlash(values)) {
    const HeadShape& shape = context.shape;
    const AttentionPlan& plan = context.plan;
    const auto [queries, keys, taken] = flashInputs(kept, values, context);
    const DeterministicScope in_one_order;
    const auto result = at::_flash_attention_backward(
        gradients.of_y, queries, keys, taken,
        kept.y.view({values.size(0), shape.heads, shape.width}), kept.sums, plan.query_bounds,
        plan.key_bounds, plan.longest_queries, plan.longest_keys, 0.0, true, kept.seed,
        kept.offset);
    at::Tensor of_keys = gradients.of_rotated.narrow(1, shape.heads, shape.kv_heads);
    gradients.of_rotated.narrow(1, 0, shape.heads).copy_(std::get<0>(result));
    if (plan.key_rows.defined()) {
      of_keys.zero_().index_add_(0, plan.key_rows, std::get<1>(result));
      gradients.of_values.zero_().index_add_(0, plan.key_rows, std::get<2>(result));
    } else {
      of_keys.copy_(std::get<1>(result));
      gradients.of_values.copy_(std::get<2>(result));
    }
    return;
  }
#endif
  if (isForRowLoops(values)) {
    attendOnCpuBackward(values, context, kept, gradients);
    return;
  }
  attendGenericBackward(values, context, kept, gradients);
}

}  // namespace spindle::trainer
