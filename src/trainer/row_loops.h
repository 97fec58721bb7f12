#pragma once

#include <cstdint>

// What stands between the matrix products on a CPU, in 32 bits: each loop goes over its numbers
// once or twice, while they are near. Sums are made in an order of their own, whatever the memory
// they stand in: the same numbers give the same bits. Nothing may overlap unless it says so.

namespace spindle::trainer {

/// y = x * inverse * weight. @return inverse: 1 / sqrt(mean(x^2) + epsilon)
float normRow(const float* x, const float* weight, std::int64_t width, float epsilon, float* y);

/// Writes the gradient in x, and adds `more` where there is some.
void normRowBack(const float* gradient,
                 const float* x,
                 const float* weight,
                 float inverse,
                 std::int64_t width,
                 const float* more,
                 float* changed);

/// The heads of a token one behind the other, each of two halves that turn together.
struct HeadTurns {
  const float* weights = nullptr;  ///< of the norm, of all heads; null: there is none
  const float* cosines = nullptr;  ///< one for each pair
  const float* sines = nullptr;
  std::int64_t heads = 0;
  std::int64_t half = 0;
  float epsilon = 0;
};
/// Norms and turns. `inverses`: one for each head, if there is a norm.
void turnRow(const HeadTurns& turns, const float* x, float* y, float* inverses);
/// `straight`: the gradient behind the norm; not written where there is none.
void turnRowBack(const HeadTurns& turns,
                 const float* x,
                 const float* inverses,
                 const float* gradient,
                 float* straight,
                 float* changed);

/// y = silu(gate) * up.
void gateRow(const float* gate, const float* up, std::int64_t inner, float* y);
void gateRowBack(const float* gradient,
                 const float* gate,
                 const float* up,
                 std::int64_t inner,
                 float* of_gate,
                 float* of_up);

/// Scores, times `scale`, become shares of 1; those behind `seen` have none.
/// @return the logarithm of what they were divided by
float shareRow(float* scores, std::int64_t seen, std::int64_t width, float scale);
/// The same shares once more, of that logarithm.
void shareRowAgain(
    float* scores, std::int64_t seen, std::int64_t width, float scale, float logarithm);
/// The gradient in the shares becomes that in the scores; `along`: the sum of shares times it.
void shareRowBack(const float* shares,
                  std::int64_t seen,
                  std::int64_t width,
                  float scale,
                  float along,
                  float* gradient);

/// Logits become the gradient of -logprob of `target` in them. @return the logprob
float logitRow(float* logits, std::int64_t width, std::int64_t target);

/// @return the logprob of `target`; and the entropy, if there is a place for it
float scoreRow(const float* logits, std::int64_t width, std::int64_t target, float* entropy);

/// x += more.
void addRow(const float* more, std::int64_t width, float* x);

float dotRow(const float* a, const float* b, std::int64_t width);

}  // namespace spindle::trainer
