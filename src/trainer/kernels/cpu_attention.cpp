// Attention on a CPU: computes blocks of a head's queries against the keys before them, without
// copying either. The working set of a thread fits into its own cache.

#include <algorithm>
#include <cmath>
#include <vector>

#include "trainer/kernels/attention.h"
#include "trainer/kernels/matrix_product.h"
#include "trainer/kernels/parallel.h"
#include "trainer/kernels/row_loops.h"

namespace spindle::trainer {
namespace {

/// Queries per block: keys after the block are not multiplied at all.
constexpr std::int64_t kQueries = 128;

/// The numbers of one head, one row per token.
struct HeadColumn {
  float* numbers = nullptr;
  std::int64_t stride = 0;
  std::int64_t width = 0;

  float* at(std::int64_t token) const { return numbers + token * stride; }
  Matrix rows(std::int64_t token) const { return {at(token), stride, false}; }
  Matrix across(std::int64_t token) const { return {at(token), stride, true}; }
};

HeadColumn columnOf(const at::Tensor& rows, std::int64_t head) {
  return {rows.data_ptr<float>() + head * rows.stride(1), rows.stride(0), rows.size(2)};
}

/// Some queries of a span and the keys that they attend to: the parent's, then its own.
struct QueryBlock {
  const Span& span;
  std::int64_t begin = 0;

  std::int64_t token() const { return span.begin + begin; }
  std::int64_t count() const { return std::min(kQueries, span.length - begin); }
  std::int64_t own() const { return begin + count(); }
  std::int64_t keys() const { return span.parent_length + own(); }
  std::int64_t seen(std::int64_t query) const { return span.parent_length + begin + query + 1; }
};

/// A [queries, keys] buffer of a thread.
class Scratch {
 public:
  explicit Scratch(std::int64_t longest)
      : stride_((longest / 16 + 1) * 16 + (longest / 16 % 16 == 15 ? 16 : 0)),
        numbers_(static_cast<std::size_t>(kQueries * stride_)) {}

  float* row(std::int64_t query) { return numbers_.data() + query * stride_; }
  std::int64_t stride() const { return stride_; }
  Matrix from(std::int64_t key) { return {numbers_.data() + key, stride_, false}; }
  Matrix across(std::int64_t key) { return {numbers_.data() + key, stride_, true}; }

 private:
  std::int64_t stride_;
  std::vector<float> numbers_;
};

/// Computes the products of all query rows with all key rows.
void scoreKeys(const QueryBlock& block,
               const HeadColumn& queries,
               const HeadColumn& keys,
               Scratch& scores) {
  const Span& span = block.span;
  const Matrix asked = queries.rows(block.token());
  if (span.parent_length > 0) {
    multiply({block.count(), span.parent_length, keys.width}, 1, asked,
             keys.across(span.parent_begin), {scores.row(0), scores.stride()});
  }
  multiply({block.count(), block.own(), keys.width}, 1, asked, keys.across(span.begin),
           {scores.row(0) + span.parent_length, scores.stride()});
}

/// Computes the sums of the key rows, weighted by the scores.
void sumWeightedKeys(const QueryBlock& block,
                     Scratch& scores,
                     const HeadColumn& keys,
                     const HeadColumn& taken) {
  const Span& span = block.span;
  float* to = taken.at(block.token());
  if (span.parent_length > 0) {
    multiply({block.count(), keys.width, span.parent_length}, 1, scores.from(0),
             keys.rows(span.parent_begin), {to, taken.stride});
  }
  multiply({block.count(), keys.width, block.own()}, 1, scores.from(span.parent_length),
           keys.rows(span.begin), {to, taken.stride, span.parent_length > 0 ? 1.0F : 0.0F});
}

/// The transposed operation: adds to every key row the query rows, weighted by the scores.
void addWeightedQueries(const QueryBlock& block,
                        Scratch& scores,
                        const HeadColumn& queries,
                        const HeadColumn& given) {
  const Span& span = block.span;
  const Matrix giving = queries.rows(block.token());
  if (span.parent_length > 0) {
    multiply({span.parent_length, queries.width, block.count()}, 1, scores.across(0), giving,
             {given.at(span.parent_begin), given.stride, 1});
  }
  multiply({block.own(), queries.width, block.count()}, 1, scores.across(span.parent_length),
           giving, {given.at(span.begin), given.stride, 1});
}

float scaleOf(const HeadShape& shape) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(shape.width)));
}

/// Splits spans into groups that share no keys and values, so that threads can process them
/// independently in the backward pass.
std::vector<std::size_t> independentGroupsOf(const std::vector<Span>& spans) {
  std::vector<std::size_t> begins = {spans.size()};
  std::int64_t first = spans.empty() ? 0 : spans.back().begin;
  for (std::size_t i = spans.size(); i-- > 0;) {
    first = std::min(first, spans[i].parent_length > 0 ? spans[i].parent_begin : spans[i].begin);
    if (first >= spans[i].begin) begins.push_back(i);
  }
  std::reverse(begins.begin(), begins.end());
  return begins;
}

/// The inputs and outputs of the backward pass, for all heads.
struct BackwardTensors {
  const HeadShape& shape;
  at::Tensor queries;
  at::Tensor keys;
  at::Tensor values;
  at::Tensor y;
  at::Tensor sums;
  at::Tensor of_y;
  at::Tensor of_queries;
  at::Tensor of_keys;
  at::Tensor of_values;
};

void backwardBlock(const BackwardTensors& tensors,
                   const QueryBlock& block,
                   std::int64_t head,
                   Scratch& probabilities,
                   Scratch& changed) {
  const std::int64_t kv_head = head / (tensors.shape.heads / tensors.shape.kv_heads);
  const float scale = scaleOf(tensors.shape);
  const HeadColumn queries = columnOf(tensors.queries, head);
  const HeadColumn keys = columnOf(tensors.keys, kv_head);
  const HeadColumn y = columnOf(tensors.y, head);
  const HeadColumn of_y = columnOf(tensors.of_y, head);
  const auto* sums = tensors.sums.data_ptr<float>();
  scoreKeys(block, queries, keys, probabilities);
  scoreKeys(block, of_y, columnOf(tensors.values, kv_head), changed);
  for (std::int64_t i = 0; i < block.count(); ++i) {
    const std::int64_t token = block.token() + i;
    softmaxRowAgain(probabilities.row(i), block.seen(i), block.keys(), scale,
                    sums[token * tensors.shape.heads + head]);
    softmaxRowBackward(probabilities.row(i), block.seen(i), block.keys(), scale,
                       dotRow(of_y.at(token), y.at(token), y.width), changed.row(i));
  }
  addWeightedQueries(block, probabilities, of_y, columnOf(tensors.of_values, kv_head));
  sumWeightedKeys(block, changed, keys, columnOf(tensors.of_queries, head));
  addWeightedQueries(block, changed, queries, columnOf(tensors.of_keys, kv_head));
}

}  // namespace

void attendOnCpu(const at::Tensor& values, const AttentionContext& context, Attended& done) {
  const HeadShape& shape = context.shape;
  const AttentionPlan& plan = context.plan;
  struct Task {
    QueryBlock block;
    std::int64_t head = 0;
  };
  std::vector<Task> tasks;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    for (const Span& span : plan.spans) {
      for (std::int64_t begin = 0; begin < span.length; begin += kQueries)
        tasks.push_back({{span, begin}, head});
    }
  }
  done.y = emptyRows(values.size(0), shape.heads * shape.width, values.options());
  done.sums = at::empty({values.size(0), shape.heads}, values.options());
  const at::Tensor y = done.y.view({values.size(0), shape.heads, shape.width});
  const at::Tensor keys = done.rotated.narrow(1, shape.heads, shape.kv_heads);
  auto* sums = done.sums.data_ptr<float>();
  inParallel(static_cast<std::int64_t>(tasks.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    Scratch probabilities(plan.longest_keys);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto& [block, head] = tasks[static_cast<std::size_t>(i)];
      const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
      scoreKeys(block, columnOf(done.rotated, head), columnOf(keys, kv_head), probabilities);
      for (std::int64_t query = 0; query < block.count(); ++query) {
        sums[(block.token() + query) * shape.heads + head] =
            softmaxRow(probabilities.row(query), block.seen(query), block.keys(), scaleOf(shape));
      }
      sumWeightedKeys(block, probabilities, columnOf(values, kv_head), columnOf(y, head));
    }
  });
}

void attendOnCpuBackward(const at::Tensor& values,
                         const AttentionContext& context,
                         const Attended& kept,
                         const AttentionGradients& gradients) {
  const HeadShape& shape = context.shape;
  const AttentionPlan& plan = context.plan;
  const BackwardTensors tensors{shape,
                                kept.rotated.narrow(1, 0, shape.heads),
                                kept.rotated.narrow(1, shape.heads, shape.kv_heads),
                                values,
                                kept.y.view({values.size(0), shape.heads, shape.width}),
                                kept.sums,
                                gradients.of_y,
                                gradients.of_rotated.narrow(1, 0, shape.heads),
                                gradients.of_rotated.narrow(1, shape.heads, shape.kv_heads).zero_(),
                                gradients.of_values.zero_()};
  const std::vector<std::size_t> groups = independentGroupsOf(plan.spans);
  const auto count = static_cast<std::int64_t>(groups.size()) - 1;
  const std::int64_t sharing = shape.heads / shape.kv_heads;
  // Gradients of keys and values are sums over several heads and spans, so one thread computes each
  // of them.
  inParallel(shape.kv_heads * count, 1, [&](std::int64_t begin, std::int64_t end) {
    Scratch probabilities(plan.longest_keys);
    Scratch changed(plan.longest_keys);
    for (std::int64_t task = begin; task < end; ++task) {
      const auto group = static_cast<std::size_t>(task % count);
      for (std::size_t i = groups[group]; i < groups[group + 1]; ++i) {
        const Span& span = plan.spans[i];
        for (std::int64_t head = task / count * sharing; head < (task / count + 1) * sharing;
             ++head) {
          for (std::int64_t first = 0; first < span.length; first += kQueries)
            backwardBlock(tensors, {span, first}, head, probabilities, changed);
        }
      }
    }
  });
}

}  // namespace spindle::trainer
