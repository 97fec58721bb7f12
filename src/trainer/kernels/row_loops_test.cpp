#include "trainer/kernels/row_loops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

/// Returns numbers around 0. The lengths are not multiples of a vector width.
std::vector<float> randomNumbers(std::size_t count, unsigned seed, float spread = 2) {
  std::mt19937 random(seed);
  std::vector<float> made(count);
  for (float& number : made) number = (static_cast<float>(random() % 20001) / 10000 - 1) * spread;
  return made;
}

double wide(float number) { return static_cast<double>(number); }

/// Returns the numeric derivative of the sum of a function of x with respect to x[at].
template <class Sum>
double slopeOf(std::vector<float> x, std::size_t at, const Sum& sum) {
  constexpr float kStep = 1.0F / 128;
  const float middle = x[at];
  x[at] = middle + kStep;
  const double above = sum(x);
  x[at] = middle - kStep;
  return (above - sum(x)) / (2 * wide(kStep));
}

constexpr std::size_t kWidth = 37;

double normSum(const std::vector<float>& x,
               const std::vector<float>& weight,
               const std::vector<float>& gradient) {
  double squares = 0;
  for (const float number : x) squares += wide(number) * wide(number);
  const double inverse = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += wide(x[i]) * inverse * wide(weight[i]) * wide(gradient[i]);
  return sum;
}

TEST(RowLoops, NormMatchesItsFormula) {
  const std::vector<float> x = randomNumbers(kWidth, 1);
  const std::vector<float> weight = randomNumbers(kWidth, 2);
  std::vector<float> y(kWidth);
  const float inverse = normRow(x.data(), weight.data(), kWidth, 1e-5F, y.data());
  double squares = 0;
  for (const float number : x) squares += wide(number) * wide(number);
  EXPECT_NEAR(wide(inverse), 1 / std::sqrt(squares / kWidth + 1e-5), 1e-6);
  for (std::size_t i = 0; i < kWidth; ++i)
    EXPECT_NEAR(wide(y[i]), wide(x[i]) * wide(inverse) * wide(weight[i]), 1e-6);
}

TEST(RowLoops, NormBackwardMatchesFiniteDifferences) {
  const std::vector<float> x = randomNumbers(kWidth, 1);
  const std::vector<float> weight = randomNumbers(kWidth, 2);
  const std::vector<float> gradient = randomNumbers(kWidth, 3);
  const std::vector<float> more = randomNumbers(kWidth, 4);
  std::vector<float> y(kWidth);
  const float inverse = normRow(x.data(), weight.data(), kWidth, 1e-5F, y.data());
  std::vector<float> alone(kWidth);
  std::vector<float> added(kWidth);
  const NormedRow row{x.data(), weight.data(), kWidth, inverse};
  normRowBackward(row, gradient.data(), nullptr, alone.data());
  normRowBackward(row, gradient.data(), more.data(), added.data());
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double slope =
        slopeOf(x, i, [&](const auto& moved) { return normSum(moved, weight, gradient); });
    EXPECT_NEAR(wide(alone[i]), slope, 1e-3);
    EXPECT_EQ(added[i], alone[i] + more[i]);
  }
}

TEST(RowLoops, HeadRotationIsInvertible) {
  constexpr std::int64_t kHalf = 5;
  std::vector<float> cosines;
  std::vector<float> sines;
  for (int i = 0; i < kHalf; ++i) {
    cosines.push_back(std::cos(0.3F * static_cast<float>(i + 1)));
    sines.push_back(std::sin(0.3F * static_cast<float>(i + 1)));
  }
  const HeadRotation rotation{
      .cosines = cosines.data(), .sines = sines.data(), .heads = 2, .half = kHalf};
  const std::vector<float> x = randomNumbers(20, 5);
  std::vector<float> y(20);
  rotateRow(rotation, x.data(), y.data(), nullptr);
  for (std::size_t head = 0; head < 20; head += 10) {
    for (std::size_t i = head; i < head + 5; ++i) {
      const double angle = 0.3 * static_cast<double>(i - head + 1);
      EXPECT_NEAR(wide(y[i]), wide(x[i]) * std::cos(angle) - wide(x[i + 5]) * std::sin(angle),
                  1e-6);
      EXPECT_NEAR(wide(y[i + 5]), wide(x[i + 5]) * std::cos(angle) + wide(x[i]) * std::sin(angle),
                  1e-6);
    }
  }
  std::vector<float> back(20);
  rotateRowBackward(rotation, x.data(), nullptr, y.data(), nullptr, back.data());
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(wide(back[i]), wide(x[i]), 1e-6);
}

TEST(RowLoops, HeadsAreNormedBeforeRotation) {
  constexpr std::int64_t kHalf = 8;
  const std::vector<float> still(kHalf, 1);
  const std::vector<float> none(kHalf, 0);
  const std::vector<float> weights = randomNumbers(32, 6);
  const HeadRotation rotation{.weights = weights.data(),
                              .cosines = still.data(),
                              .sines = none.data(),
                              .heads = 2,
                              .half = kHalf,
                              .epsilon = 1e-5F};
  const std::vector<float> x = randomNumbers(32, 7);
  const std::vector<float> gradient = randomNumbers(32, 8);
  std::vector<float> y(32);
  std::vector<float> inverses(2);
  rotateRow(rotation, x.data(), y.data(), inverses.data());
  std::vector<float> straight(32);
  std::vector<float> changed(32);
  rotateRowBackward(rotation, x.data(), inverses.data(), gradient.data(), straight.data(),
                    changed.data());
  EXPECT_EQ(straight, gradient);
  for (std::size_t head = 0; head < 32; head += 16) {
    std::vector<float> expected(16);
    const float inverse =
        normRow(x.data() + head, weights.data() + head, 16, 1e-5F, expected.data());
    EXPECT_EQ(inverses[head / 16], inverse);
    std::vector<float> back(16);
    normRowBackward({x.data() + head, weights.data() + head, 16, inverse}, gradient.data() + head,
                    nullptr, back.data());
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_NEAR(wide(y[head + i]), wide(expected[i]), 1e-6);
      EXPECT_NEAR(wide(changed[head + i]), wide(back[i]), 1e-6);
    }
  }
}

TEST(RowLoops, GateMatchesItsFormulaAndDerivative) {
  std::vector<float> gate = randomNumbers(kWidth, 9, 8);
  gate[0] = -200;  // closed gate: must not produce NaN
  gate[1] = 200;
  const std::vector<float> up = randomNumbers(kWidth, 10);
  const std::vector<float> gradient = randomNumbers(kWidth, 11);
  std::vector<float> y(kWidth);
  std::vector<float> of_gate(kWidth);
  std::vector<float> of_up(kWidth);
  gateRow(gate.data(), up.data(), kWidth, y.data());
  gateRowBackward(gradient.data(), gate.data(), up.data(), kWidth, of_gate.data(), of_up.data());
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double share = 1 / (1 + std::exp(-wide(gate[i])));
    const double opened = wide(gate[i]) * share;
    EXPECT_NEAR(wide(y[i]), opened * wide(up[i]), 1e-5 * (1 + std::abs(opened)));
    EXPECT_NEAR(wide(of_up[i]), opened * wide(gradient[i]), 1e-5 * (1 + std::abs(opened)));
    EXPECT_NEAR(wide(of_gate[i]), wide(gradient[i]) * wide(up[i]) * (share + opened * (1 - share)),
                1e-5);
  }
}

TEST(RowLoops, SoftmaxCoversSeenScores) {
  constexpr std::int64_t kSeen = 29;
  const std::vector<float> scores = randomNumbers(kWidth, 12, 30);
  std::vector<float> shares = scores;
  const float logarithm = softmaxRow(shares.data(), kSeen, kWidth, 0.5F);
  double sum = 0;
  for (std::size_t i = 0; i < kSeen; ++i) sum += std::exp(0.5 * wide(scores[i]));
  EXPECT_NEAR(wide(logarithm), std::log(sum), 1e-5);
  std::vector<float> again = scores;
  softmaxRowAgain(again.data(), kSeen, kWidth, 0.5F, logarithm);
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double expected = i < kSeen ? std::exp(0.5 * wide(scores[i])) / sum : 0;
    EXPECT_NEAR(wide(shares[i]), expected, 1e-6);
    EXPECT_NEAR(wide(again[i]), expected, 1e-5);
  }
}

TEST(RowLoops, SoftmaxBackwardMatchesFiniteDifferences) {
  constexpr std::int64_t kSeen = 29;
  const std::vector<float> scores = randomNumbers(kWidth, 13);
  const std::vector<float> gradient = randomNumbers(kWidth, 14);
  std::vector<float> shares = scores;
  softmaxRow(shares.data(), kSeen, kWidth, 0.5F);
  std::vector<float> changed = gradient;
  softmaxRowBackward(shares.data(), kSeen, kWidth, 0.5F,
                     dotRow(shares.data(), gradient.data(), kSeen), changed.data());
  const auto sum = [&gradient](const std::vector<float>& moved) {
    double whole = 0;
    double weighted = 0;
    for (std::size_t i = 0; i < kSeen; ++i) {
      whole += std::exp(0.5 * wide(moved[i]));
      weighted += std::exp(0.5 * wide(moved[i])) * wide(gradient[i]);
    }
    return weighted / whole;
  };
  for (std::size_t i = 0; i < kWidth; ++i)
    EXPECT_NEAR(wide(changed[i]), i < kSeen ? slopeOf(scores, i, sum) : 0, 1e-5);
}

TEST(RowLoops, LogitsBecomeTheLogprobGradient) {
  constexpr std::size_t kLong = 531;
  const std::vector<float> logits = randomNumbers(kLong, 15, 20);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(wide(logit));
  std::vector<float> changed = logits;
  const float logprob = logitRow(changed.data(), kLong, 17);
  EXPECT_NEAR(wide(logprob), wide(logits[17]) - std::log(sum), 1e-4);
  for (std::size_t i = 0; i < kLong; ++i)
    EXPECT_NEAR(wide(changed[i]), std::exp(wide(logits[i])) / sum - (i == 17 ? 1 : 0), 1e-6);
}

TEST(RowLoops, ScoresSupportZeroProbability) {
  constexpr std::size_t kLong = 531;
  std::vector<float> logits = randomNumbers(kLong, 16, 5);
  logits[3] = -std::numeric_limits<float>::infinity();
  double sum = 0;
  for (const float logit : logits) sum += std::exp(wide(logit));
  double expected = 0;
  for (const float logit : logits) {
    const double share = std::exp(wide(logit)) / sum;
    if (share > 0) expected -= share * std::log(share);
  }
  float entropy = 0;
  const float logprob = scoreRow(logits.data(), kLong, 17, &entropy);
  EXPECT_NEAR(wide(logprob), wide(logits[17]) - std::log(sum), 1e-5);
  EXPECT_NEAR(wide(entropy), expected, 1e-4);
  EXPECT_EQ(scoreRow(logits.data(), kLong, 17, nullptr), logprob);
}

TEST(RowLoops, NaNStaysNaN) {
  std::vector<float> logits = randomNumbers(kWidth, 17);
  logits[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(logitRow(logits.data(), kWidth, 0)));
  std::vector<float> y(1);
  const float none = std::numeric_limits<float>::quiet_NaN();
  const float one = 1;
  gateRow(&none, &one, 1, y.data());
  EXPECT_TRUE(std::isnan(y[0]));
}

TEST(RowLoops, SumsDoNotDependOnAlignment) {
  const std::vector<float> a = randomNumbers(1000, 18);
  const std::vector<float> b = randomNumbers(1000, 19);
  const float expected = dotRow(a.data(), b.data(), 1000);
  for (std::size_t gap = 1; gap < 16; ++gap) {
    std::vector<float> moved(1000 + gap);
    std::copy(a.begin(), a.end(), moved.begin() + static_cast<std::ptrdiff_t>(gap));
    EXPECT_EQ(dotRow(moved.data() + gap, b.data(), 1000), expected);
  }
}

}  // namespace
}  // namespace spindle::trainer
