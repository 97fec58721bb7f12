#pragma once

#include <cstdint>

// The operations between matrix products on a CPU, in float32. Each loop passes once or twice over
// numbers that are in the cache. The order of sums is fixed and does not depend on the alignment,
// so the same numbers give the same bits. Arguments must not overlap unless stated otherwise.

namespace spindle::trainer {

/// Computes y = x * inverse * weight. @return inverse: 1 / sqrt(mean(x^2) + epsilon)
float normRow(const float* x, const float* weight, std::int64_t width, float epsilon, float* y);

/// The inputs and the result of normRow().
struct NormedRow {
  const float* x = nullptr;
  const float* weight = nullptr;
  std::int64_t width = 0;
  float inverse = 0;
};
/// Writes the gradient of x, plus `more` if it is not null.
void normRowBackward(const NormedRow& row,
                     const float* gradient,
                     const float* more,
                     float* changed);

/// The heads of a token, contiguous. RoPE rotates pairs of numbers from the two halves of a head.
struct HeadRotation {
  const float* weights = nullptr;  ///< norm weights of all heads; null: no norm
  const float* cosines = nullptr;  ///< one per pair
  const float* sines = nullptr;
  std::int64_t heads = 0;
  std::int64_t half = 0;
  float epsilon = 0;
};
/// Applies norm and RoPE. `inverses`: one per head, written if there is a norm.
void rotateRow(const HeadRotation& rotation, const float* x, float* y, float* inverses);
/// Computes the gradient. `straight`: the gradient after the norm; written only if there is a norm.
void rotateRowBackward(const HeadRotation& rotation,
                       const float* x,
                       const float* inverses,
                       const float* gradient,
                       float* straight,
                       float* changed);

/// Computes y = silu(gate) * up.
void gateRow(const float* gate, const float* up, std::int64_t inner, float* y);
void gateRowBackward(const float* gradient,
                     const float* gate,
                     const float* up,
                     std::int64_t inner,
                     float* of_gate,
                     float* of_up);

/// Applies softmax to `seen` scores, times `scale`, and sets the rest to 0.
/// @return the log-sum-exp of the scaled scores
float softmaxRow(float* scores, std::int64_t seen, std::int64_t width, float scale);
/// Recomputes the probabilities from the log-sum-exp.
void softmaxRowAgain(
    float* scores, std::int64_t seen, std::int64_t width, float scale, float logarithm);
/// Converts the gradient of the probabilities to that of the scores. `along`: the sum of
/// probabilities times gradients.
void softmaxRowBackward(const float* probabilities,
                        std::int64_t seen,
                        std::int64_t width,
                        float scale,
                        float along,
                        float* gradient);

/// Converts logits to the gradient of -logprob of `target`. @return the logprob
float logitRow(float* logits, std::int64_t width, std::int64_t target);

/// Returns the logprob of `target`; also writes the entropy if the pointer is not null.
float scoreRow(const float* logits, std::int64_t width, std::int64_t target, float* entropy);

/// Adds in place: x += more.
void addRow(const float* more, std::int64_t width, float* x);

float dotRow(const float* a, const float* b, std::int64_t width);

}  // namespace spindle::trainer
