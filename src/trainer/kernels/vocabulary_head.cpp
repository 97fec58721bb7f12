// The output layer. Logits are as wide as the vocabulary, so only a few rows of them exist at a
// time.

#include <algorithm>

#include "trainer/kernels/kernels.h"
#include "trainer/kernels/matrix_product.h"
#include "trainer/kernels/parallel.h"
#include "trainer/kernels/row_loops.h"

namespace spindle::trainer {
namespace {

template <class Work>
void inChunks(std::int64_t rows, std::int64_t chunk, const Work& work) {
  for (std::int64_t begin = 0; begin < rows; begin += chunk)
    work(begin, std::min(chunk, rows - begin));
}

/// Subtracts 1 at the targets of probabilities, which gives the gradient of -logprob with respect
/// to the logits.
at::Tensor logitGradient(const at::Tensor& probabilities, const at::Tensor& targets) {
  return probabilities.scatter_add_(1, targets.unsqueeze(1),
                                    at::full({targets.size(0), 1}, -1, probabilities.options()));
}

/// Multiplies the gradients of the rows by their factors, on the narrow side of the products.
void multiplyBack(const at::Tensor& of_logits,
                  const at::Tensor& hidden,
                  const Parameter& head,
                  const at::Tensor& slopes,
                  const at::Tensor& of_hidden) {
  const at::Tensor factors = slopes.unsqueeze(1);  // float32, whatever the type of the rows
  of_hidden.copy_(product(of_logits, head.value).mul_(factors));
  if (head.gradient.defined())
    head.addGradient(product(of_logits.t(), (hidden * factors).to(hidden.scalar_type())));
}

/// Converts logits on a CPU to the gradients of -logprob. @return the logprobs
at::Tensor logitGradientByRows(const at::Tensor& logits, const at::Tensor& targets) {
  at::Tensor logprobs = at::empty({logits.size(0)}, logits.options());
  auto* numbers = logits.data_ptr<float>();
  const auto* columns = targets.data_ptr<std::int64_t>();
  auto* each = logprobs.data_ptr<float>();
  inParallel(logits.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      each[i] = logitRow(numbers + i * logits.stride(0), logits.size(1), columns[i]);
  });
  return logprobs;
}

void scoreByRows(const at::Tensor& logits,
                 const at::Tensor& targets,
                 const at::Tensor& logprobs,
                 const at::Tensor& entropies) {
  const auto* numbers = logits.data_ptr<float>();
  const auto* columns = targets.data_ptr<std::int64_t>();
  auto* each = logprobs.data_ptr<float>();
  auto* entropy = entropies.defined() ? entropies.data_ptr<float>() : nullptr;
  inParallel(logits.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      each[i] = scoreRow(numbers + i * logits.stride(0), logits.size(1), columns[i],
                         entropy == nullptr ? nullptr : entropy + i);
    }
  });
}

}  // namespace

Scores scoresOf(const at::Tensor& hidden,
                const at::Tensor& head,
                const at::Tensor& targets,
                std::int64_t chunk,
                bool entropies) {
  const at::TensorOptions options = hidden.options().dtype(at::kFloat);
  Scores scores{at::empty({hidden.size(0)}, options), {}};
  if (entropies) scores.entropies = at::empty({hidden.size(0)}, options);
  inChunks(hidden.size(0), chunk, [&](std::int64_t begin, std::int64_t count) {
    at::Tensor logits = product(hidden.narrow(0, begin, count), head.t());
    if (isForRowLoops(logits)) {
      scoreByRows(logits, targets.narrow(0, begin, count), scores.logprobs.narrow(0, begin, count),
                  entropies ? scores.entropies.narrow(0, begin, count) : at::Tensor());
      return;
    }
    logits = logits.to(at::kFloat).log_softmax(-1);
    scores.logprobs.narrow(0, begin, count)
        .copy_(logits.gather(1, targets.narrow(0, begin, count).unsqueeze(1)).squeeze(1));
    if (!entropies) return;
    // Tokens with probability 0 contribute nothing: 0 * -inf would be NaN.
    scores.entropies.narrow(0, begin, count)
        .copy_(at::mul(logits.exp(), logits.clamp_min(-1e30)).sum(-1).neg_());
  });
  return scores;
}

at::Tensor hiddenGradient(const at::Tensor& hidden,
                          const Parameter& head,
                          const at::Tensor& targets,
                          const at::Tensor& slopes,
                          std::int64_t chunk) {
  at::Tensor changed = emptyRows(hidden.size(0), hidden.size(1), hidden.options());
  inChunks(hidden.size(0), chunk, [&](std::int64_t begin, std::int64_t count) {
    const at::Tensor rows = hidden.narrow(0, begin, count);
    const at::Tensor columns = targets.narrow(0, begin, count);
    at::Tensor of_logits = product(rows, head.value.t());
    if (isForRowLoops(of_logits)) {
      logitGradientByRows(of_logits, columns);
    } else {
      of_logits = logitGradient(at::softmax(of_logits, -1), columns);
    }
    multiplyBack(of_logits, rows, head, slopes.narrow(0, begin, count).neg(),
                 changed.narrow(0, begin, count));
  });
  return changed;
}

WeightedLoss weightedLoss(const at::Tensor& hidden,
                          const Parameter& head,
                          const at::Tensor& targets,
                          const at::Tensor& weights,
                          std::int64_t chunk) {
  WeightedLoss done{0, emptyRows(hidden.size(0), hidden.size(1), hidden.options())};
  at::Tensor loss = at::zeros({}, hidden.options().dtype(at::kFloat));
  inChunks(hidden.size(0), chunk, [&](std::int64_t begin, std::int64_t count) {
    const at::Tensor rows = hidden.narrow(0, begin, count);
    const at::Tensor columns = targets.narrow(0, begin, count);
    const at::Tensor factors = weights.narrow(0, begin, count);
    at::Tensor shares = product(rows, head.value.t());
    at::Tensor logprobs;
    if (isForRowLoops(shares)) {
      logprobs = logitGradientByRows(shares, columns);
      loss.sub_(at::dot(logprobs, factors));
      multiplyBack(shares, rows, head, factors, done.gradient.narrow(0, begin, count));
      return;
    }
    if (shares.scalar_type() == at::kFloat) {
      shares = shares.log_softmax(-1);
      logprobs = shares.gather(1, columns.unsqueeze(1)).squeeze(1);
      shares.exp_();
    } else {
      // In bfloat16, the logarithm of the softmax is more precise than log_softmax.
      shares = at::softmax(shares, -1);
      logprobs = shares.gather(1, columns.unsqueeze(1)).squeeze(1).to(at::kFloat).log_();
    }
    loss.sub_(at::dot(logprobs, factors));
    multiplyBack(logitGradient(shares, columns), rows, head, factors,
                 done.gradient.narrow(0, begin, count));
  });
  done.loss = loss.item<double>();
  return done;
}

}  // namespace spindle::trainer
