#include "trainer/kernels/row_loops.h"

#include <bit>
#include <cmath>
#include <limits>

// Loops are compiled for several CPU generations; the program selects one at start (target_clones).
// Sanitizers do not support functions that run so early.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SPINDLE_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SPINDLE_WIDE
#endif
#define SPINDLE_INSIDE inline __attribute__((always_inline))

namespace spindle::trainer {
namespace {

/// Number of partial sums, combined at the end.
constexpr std::int64_t kLanes = 16;
/// Numbers of a row that are processed together without writing them back.
constexpr std::int64_t kPiece = 256;
/// Lower bound of logits, for tokens with probability 0.
constexpr float kLeastLogit = -1e30F;

/// Computes exp within two units in the last place; returns 0 far below, where the result is
/// negligible.
SPINDLE_INSIDE float expOf(float x) {
  constexpr float kLowest = -87.0F;
  constexpr float kHighest = 88.0F;
  constexpr float kRounds = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float bounded = x > kHighest ? kHighest : (x < kLowest ? kLowest : x);
  const float shifted = bounded * 1.44269504088896341F + kRounds;
  const float whole = shifted - kRounds;
  const float rest = (bounded - whole * 0.693359375F) - whole * -2.12194440e-4F;
  float sum = 1.9875691500e-4F;
  sum = sum * rest + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * (rest * rest) + rest + 1.0F;
  const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U);
  return x < kLowest ? 0.0F : sum * power;
}

template <class Term>
SPINDLE_INSIDE float sumOf(std::int64_t count, const Term& term) {
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  }
  for (std::int64_t lane = 0; i < count; ++i, ++lane) lanes[lane] += term(i);
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

SPINDLE_INSIDE float largestOf(const float* x, std::int64_t count) {
  float lanes[kLanes];
  for (float& lane : lanes) lane = -std::numeric_limits<float>::infinity();
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  }
  for (; i < count; ++i) lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
  float largest = lanes[0];
  for (const float lane : lanes) largest = lane > largest ? lane : largest;
  return largest;
}

SPINDLE_INSIDE float inverseOf(const float* x, std::int64_t width, float epsilon) {
  const float squares = sumOf(width, [x](std::int64_t i) { return x[i] * x[i]; });
  return 1 / std::sqrt(squares / static_cast<float>(width) + epsilon);
}

SPINDLE_INSIDE void normBackwardOf(const float* gradient,
                                   const float* x,
                                   const float* weight,
                                   float inverse,
                                   std::int64_t width,
                                   float* changed) {
  const float along = sumOf(width, [=](std::int64_t i) { return gradient[i] * weight[i] * x[i]; }) *
                      inverse * inverse / static_cast<float>(width);
  for (std::int64_t i = 0; i < width; ++i)
    changed[i] = (gradient[i] * weight[i] - x[i] * along) * inverse;
}

/// `way`: 1 forward, -1 backward.
SPINDLE_INSIDE void rotateHead(const HeadRotation& rotation,
                               float direction,
                               const float* x,
                               float* y) {
  const std::int64_t half = rotation.half;
  const float* __restrict cosines = rotation.cosines;
  const float* __restrict sines = rotation.sines;
  const float* __restrict a = x;
  const float* __restrict b = x + half;
  float* __restrict first = y;
  float* __restrict second = y + half;
  for (std::int64_t i = 0; i < half; ++i)
    first[i] = a[i] * cosines[i] - b[i] * sines[i] * direction;
  for (std::int64_t i = 0; i < half; ++i)
    second[i] = b[i] * cosines[i] + a[i] * sines[i] * direction;
}

SPINDLE_INSIDE void rotateNormedHead(
    const HeadRotation& rotation, const float* x, const float* weight, float inverse, float* y) {
  const std::int64_t half = rotation.half;
  const float* __restrict cosines = rotation.cosines;
  const float* __restrict sines = rotation.sines;
  const float* __restrict weight_a = weight;
  const float* __restrict weight_b = weight + half;
  const float* __restrict a = x;
  const float* __restrict b = x + half;
  float* __restrict first = y;
  float* __restrict second = y + half;
  for (std::int64_t i = 0; i < half; ++i)
    first[i] = (a[i] * weight_a[i] * cosines[i] - b[i] * weight_b[i] * sines[i]) * inverse;
  for (std::int64_t i = 0; i < half; ++i)
    second[i] = (b[i] * weight_b[i] * cosines[i] + a[i] * weight_a[i] * sines[i]) * inverse;
}

}  // namespace

SPINDLE_WIDE
float normRow(const float* x, const float* weight, std::int64_t width, float epsilon, float* y) {
  const float inverse = inverseOf(x, width, epsilon);
  for (std::int64_t i = 0; i < width; ++i) y[i] = x[i] * inverse * weight[i];
  return inverse;
}

SPINDLE_WIDE
void normRowBackward(const NormedRow& row,
                     const float* gradient,
                     const float* more,
                     float* changed) {
  const std::int64_t width = row.width;
  normBackwardOf(gradient, row.x, row.weight, row.inverse, width, changed);
  if (more == nullptr) return;
  for (std::int64_t i = 0; i < width; ++i) changed[i] += more[i];
}

SPINDLE_WIDE
void rotateRow(const HeadRotation& rotation, const float* x, float* y, float* inverses) {
  for (std::int64_t head = 0; head < rotation.heads; ++head) {
    const std::int64_t begin = head * 2 * rotation.half;
    if (rotation.weights == nullptr) {
      rotateHead(rotation, 1, x + begin, y + begin);
      continue;
    }
    const float inverse = inverseOf(x + begin, 2 * rotation.half, rotation.epsilon);
    inverses[head] = inverse;
    rotateNormedHead(rotation, x + begin, rotation.weights + begin, inverse, y + begin);
  }
}

SPINDLE_WIDE
void rotateRowBackward(const HeadRotation& rotation,
                       const float* x,
                       const float* inverses,
                       const float* gradient,
                       float* straight,
                       float* changed) {
  for (std::int64_t head = 0; head < rotation.heads; ++head) {
    const std::int64_t begin = head * 2 * rotation.half;
    if (rotation.weights == nullptr) {
      rotateHead(rotation, -1, gradient + begin, changed + begin);
      continue;
    }
    rotateHead(rotation, -1, gradient + begin, straight + begin);
    normBackwardOf(straight + begin, x + begin, rotation.weights + begin, inverses[head],
                   2 * rotation.half, changed + begin);
  }
}

SPINDLE_WIDE
void gateRow(const float* gate, const float* up, std::int64_t inner, float* y) {
  for (std::int64_t i = 0; i < inner; ++i) y[i] = gate[i] / (1 + expOf(-gate[i])) * up[i];
}

SPINDLE_WIDE
void gateRowBackward(const float* gradient,
                     const float* gate,
                     const float* up,
                     std::int64_t inner,
                     float* of_gate,
                     float* of_up) {
  for (std::int64_t i = 0; i < inner; ++i) {
    const float share = 1 / (1 + expOf(-gate[i]));
    const float opened = gate[i] * share;
    of_up[i] = gradient[i] * opened;
    of_gate[i] = gradient[i] * up[i] * (share + opened * (1 - share));
  }
}

SPINDLE_WIDE
float softmaxRow(float* scores, std::int64_t seen, std::int64_t width, float scale) {
  const float largest = largestOf(scores, seen);
  for (std::int64_t i = 0; i < seen; ++i) scores[i] = expOf((scores[i] - largest) * scale);
  const float sum = sumOf(seen, [scores](std::int64_t i) { return scores[i]; });
  const float inverse = 1 / sum;
  for (std::int64_t i = 0; i < seen; ++i) scores[i] *= inverse;
  for (std::int64_t i = seen; i < width; ++i) scores[i] = 0;
  return largest * scale + std::log(sum);
}

SPINDLE_WIDE
void softmaxRowAgain(
    float* scores, std::int64_t seen, std::int64_t width, float scale, float logarithm) {
  for (std::int64_t i = 0; i < seen; ++i) scores[i] = expOf(scores[i] * scale - logarithm);
  for (std::int64_t i = seen; i < width; ++i) scores[i] = 0;
}

SPINDLE_WIDE
void softmaxRowBackward(const float* probabilities,
                        std::int64_t seen,
                        std::int64_t width,
                        float scale,
                        float along,
                        float* gradient) {
  for (std::int64_t i = 0; i < seen; ++i)
    gradient[i] = probabilities[i] * (gradient[i] - along) * scale;
  for (std::int64_t i = seen; i < width; ++i) gradient[i] = 0;
}

SPINDLE_WIDE
float logitRow(float* logits, std::int64_t width, std::int64_t target) {
  const float largest = largestOf(logits, width);
  const float wanted = logits[target] - largest;
  for (std::int64_t i = 0; i < width; ++i) logits[i] = expOf(logits[i] - largest);
  const float sum = sumOf(width, [logits](std::int64_t i) { return logits[i]; });
  const float inverse = 1 / sum;
  for (std::int64_t i = 0; i < width; ++i) logits[i] *= inverse;
  logits[target] -= 1;
  return wanted - std::log(sum);
}

SPINDLE_WIDE
float scoreRow(const float* logits, std::int64_t width, std::int64_t target, float* entropy) {
  const float largest = largestOf(logits, width);
  float sum = 0;
  float part = 0;
  float probabilities[kPiece];
  for (std::int64_t begin = 0; begin < width; begin += kPiece) {
    const std::int64_t count = width - begin < kPiece ? width - begin : kPiece;
    const float* piece = logits + begin;
    for (std::int64_t i = 0; i < count; ++i) probabilities[i] = expOf(piece[i] - largest);
    sum += sumOf(count, [&probabilities](std::int64_t i) { return probabilities[i]; });
    if (entropy == nullptr) continue;
    // Tokens with probability 0 contribute nothing: 0 * -inf would be NaN.
    part += sumOf(count, [=, &probabilities](std::int64_t i) {
      const float below = piece[i] - largest;
      return probabilities[i] * (below < kLeastLogit ? kLeastLogit : below);
    });
  }
  if (entropy != nullptr) *entropy = std::log(sum) - part / sum;
  return logits[target] - largest - std::log(sum);
}

SPINDLE_WIDE
void addRow(const float* more, std::int64_t width, float* x) {
  for (std::int64_t i = 0; i < width; ++i) x[i] += more[i];
}

SPINDLE_WIDE
float dotRow(const float* a, const float* b, std::int64_t width) {
  return sumOf(width, [=](std::int64_t i) { return a[i] * b[i]; });
}

}  // namespace spindle::trainer
