#include "trainer/jobs/policy_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/jobs/logprob.h"

namespace spindle::trainer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns the old logprob of a token; the one in `still` if it is unknown.
double oldLogprobOf(const PolicyTokens& tokens, const std::vector<double>& still, std::size_t t) {
  return std::isnan(tokens.old_logprobs[t]) ? still[t] : tokens.old_logprobs[t];
}

/// Returns the ratio of a token as documented, for the logprobs `at`.
double literalRatio(const PolicyTokens& tokens,
                    const std::vector<double>& at,
                    const std::vector<double>& still,
                    const PolicyLossOptions& options,
                    std::size_t t) {
  const double r_tok = std::exp(at[t] - oldLogprobOf(tokens, still, t));
  double sum = 0;
  double count = 0;
  for (std::size_t u = 0; u < at.size(); ++u) {
    if (tokens.sequence[u] != tokens.sequence[t]) continue;
    sum += at[u] - oldLogprobOf(tokens, still, u);
    count += 1;
  }
  const double r_seq = std::exp(sum / count);
  double ratio = r_tok;
  if (options.level == RatioLevel::kSequence) ratio = r_seq;
  if (options.level == RatioLevel::kAverage) ratio = (r_tok + r_seq) / 2;
  if (options.level == RatioLevel::kGeometricAverage) ratio = std::sqrt(r_tok * r_seq);
  if (options.ratio_cap) ratio = std::min(ratio, *options.ratio_cap);
  const bool inside = 1 - options.epsilon < ratio && ratio < 1 + options.epsilon_high;
  if (options.mask_outside && !inside) ratio = 0;
  return ratio;
}

/// The formulas as documented. `still`: the logprobs at which stop-gradient terms are evaluated.
double literally(const PolicyTokens& tokens,
                 const std::vector<double>& lp,
                 const std::vector<double>& still,
                 const PolicyLossOptions& options) {
  const std::size_t n = lp.size();
  const double eps = options.epsilon;
  const double eps_hi = options.epsilon_high;
  const auto lo = [&](std::size_t t) { return oldLogprobOf(tokens, still, t); };
  const auto rho = [&](const std::vector<double>& at, std::size_t t) {
    return literalRatio(tokens, at, still, options, t);
  };
  const auto clip = [&](double ratio) { return std::min(std::max(ratio, 1 - eps), 1 + eps_hi); };
  double sum = 0;
  for (std::size_t t = 0; t < n; ++t) {
    double a = tokens.advantages[t];
    if (options.tau) a -= *options.tau * (still[t] - lo(t));
    double l = 0;
    if (options.loss == PolicyLoss::kPpo) {
      l = -std::min(rho(lp, t) * a, clip(rho(lp, t)) * a);
    } else {
      l = -clip(rho(still, t)) * a * lp[t];
    }
    if (options.truncation && !tokens.original_logprobs.empty())
      l *= std::min(std::exp(lo(t) - tokens.original_logprobs[t]), *options.truncation);
    sum += l * tokens.weights[t];
  }
  return sum / (static_cast<double>(n) + 1e-18);
}

struct Case {
  std::string name;
  PolicyLossOptions options;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::pair<RatioLevel, const char*> levels[] = {
      {RatioLevel::kToken, "Token"},
      {RatioLevel::kSequence, "Sequence"},
      {RatioLevel::kAverage, "Average"},
      {RatioLevel::kGeometricAverage, "GeometricAverage"}};
  for (const auto& [level, name] : levels) {
    PolicyLossOptions cispo{.level = level};
    PolicyLossOptions ppo{
        .loss = PolicyLoss::kPpo, .epsilon = 0.2, .epsilon_high = 0.3, .level = level};
    all.push_back({std::string("Cispo") + name, cispo});
    all.push_back({std::string("Ppo") + name, ppo});
    ppo.ratio_cap = 1.1;
    all.push_back({std::string("PpoCapped") + name, ppo});
    ppo.ratio_cap.reset();
    ppo.mask_outside = true;
    all.push_back({std::string("PpoMasked") + name, ppo});
    cispo.epsilon = 0.1;
    cispo.epsilon_high = 0.1;
    cispo.mask_outside = true;
    cispo.tau = 0.3;
    cispo.truncation = 1.2;
    all.push_back({std::string("CispoMaskedTauTruncated") + name, cispo});
    ppo.mask_outside = false;
    ppo.tau = 0.2;
    ppo.truncation = 0.9;
    all.push_back({std::string("PpoTauTruncated") + name, ppo});
  }
  return all;
}

class PolicyLossFormulas : public ::testing::TestWithParam<Case> {};

TEST_P(PolicyLossFormulas, MatchLossAndDerivatives) {
  std::mt19937 random(5);
  const auto draw = [&random](double from, double to) {
    return from + (to - from) * static_cast<double>(random() % 10001) / 10000.0;
  };
  PolicyTokens tokens;
  std::vector<double> logprobs;
  for (int i = 0; i < 24; ++i) {
    tokens.sequence.push_back(i / 7);
    logprobs.push_back(draw(-4, -0.1));
    tokens.old_logprobs.push_back(i % 9 == 4 ? kUnknownLogprob : logprobs.back() + draw(-0.6, 0.6));
    tokens.original_logprobs.push_back(
        (std::isnan(tokens.old_logprobs.back()) ? logprobs.back() : tokens.old_logprobs.back()) +
        draw(-0.5, 0.5));
    tokens.advantages.push_back(draw(-2, 2));
    tokens.weights.push_back(draw(0.2, 2));
  }
  // An unknown old logprob has an unknown mismatch: the formula has no such factor.
  for (std::size_t i = 0; i < logprobs.size(); ++i) {
    if (std::isnan(tokens.old_logprobs[i])) tokens.original_logprobs[i] = logprobs[i];
  }
  const PolicyLossOptions& options = GetParam().options;
  const PolicyLossResult result = policyLoss(tokens, logprobs, options);
  EXPECT_NEAR(result.loss, literally(tokens, logprobs, logprobs, options), 1e-12);
  ASSERT_EQ(result.slopes.size(), logprobs.size());
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < logprobs.size(); ++i) {
    std::vector<double> more = logprobs;
    std::vector<double> less = logprobs;
    more[i] += kStep;
    less[i] -= kStep;
    const double slope =
        (literally(tokens, more, logprobs, options) - literally(tokens, less, logprobs, options)) /
        (2 * kStep);
    EXPECT_NEAR(result.slopes[i], slope, 1e-7) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         PolicyLossFormulas,
                         ::testing::ValuesIn(cases()),
                         [](const ::testing::TestParamInfo<Case>& tried) {
                           return tried.param.name;
                         });

PolicyTokens tokensWith(const std::vector<double>& old_logprobs) {
  const std::size_t n = old_logprobs.size();
  return {.sequence = std::vector<std::int64_t>(n, 1),
          .old_logprobs = old_logprobs,
          .advantages = std::vector<double>(n, -1.5),
          .weights = std::vector<double>(n, 1)};
}

TEST(PolicyLoss, IsFiniteForAllOldLogprobs) {
  const std::vector<double> logprobs = {-0.5, -1.0, -40.0, -0.1};
  for (const double extreme : {-kInfinity, kInfinity, -1e300, 1e300, -1000.0, 80.0}) {
    for (const Case& tried : cases()) {
      PolicyTokens tokens = tokensWith({extreme, -1, extreme, kUnknownLogprob});
      tokens.original_logprobs = {0, extreme, kUnknownLogprob, -1};
      const PolicyLossResult result = policyLoss(tokens, logprobs, tried.options);
      EXPECT_TRUE(std::isfinite(result.loss)) << tried.name << " " << extreme;
      for (const double slope : result.slopes) {
        EXPECT_TRUE(std::isfinite(slope)) << tried.name << " " << extreme;
        EXPECT_TRUE(std::isfinite(static_cast<float>(slope))) << tried.name << " " << extreme;
        EXPECT_LT(std::abs(slope), 3e38) << "brain floats reach as far";
      }
      EXPECT_TRUE(std::isfinite(result.kl) && std::isfinite(result.ratio_mean)) << tried.name;
    }
  }
}

TEST(PolicyLoss, ClampsTheMeanOfDifferences) {
  // One sequence: +60 and -59.8 have a mean of 0.1 per token, although each alone exceeds the
  // bound.
  const std::vector<double> logprobs = {-1, -1};
  const PolicyLossResult result =
      policyLoss(tokensWith({-61, 58.8}), logprobs, {.level = RatioLevel::kSequence});
  EXPECT_NEAR(result.ratio_mean, std::exp(0.1), 1e-9);
}

TEST(PolicyLoss, CispoClipsToFiveByDefault) {
  const PolicyLossResult result = policyLoss(tokensWith({-9}), {-1}, {});
  EXPECT_NEAR(result.loss, -5 * -1.5 * -1, 1e-9);
  EXPECT_EQ(result.clipped_fraction, 1);
}

TEST(PolicyLoss, PpoCountsOnlyTheSideOnWhichClippingBinds) {
  const PolicyLossOptions ppo{.loss = PolicyLoss::kPpo, .epsilon = 0.2, .epsilon_high = 0.2};
  PolicyTokens tokens = tokensWith({-2, -0.5, -2, -0.5});
  tokens.advantages = {1, 1, -1, -1};  // ratios e, 1/e^0.5, e, 1/e^0.5
  const PolicyLossResult result = policyLoss(tokens, {-1, -1, -1, -1}, ppo);
  EXPECT_EQ(result.clipped_fraction, 0.5);
  EXPECT_EQ(result.slopes[0], 0) << "clipped";
  EXPECT_NE(result.slopes[1], 0);
  EXPECT_NE(result.slopes[2], 0);
  EXPECT_EQ(result.slopes[3], 0) << "clipped";
}

TEST(PolicyLoss, TruncationWithoutOriginalLogprobsDoesNothing) {
  const std::vector<double> logprobs = {-1, -2};
  EXPECT_EQ(policyLoss(tokensWith({-1.5, -1}), logprobs, {.truncation = 0.1}).loss,
            policyLoss(tokensWith({-1.5, -1}), logprobs, {}).loss);
}

TEST(PolicyLoss, OfNoTokensIsZero) {
  const PolicyLossResult result = policyLoss({}, {}, {});
  EXPECT_EQ(result.loss, 0);
  EXPECT_TRUE(result.slopes.empty());
}

TEST(KlPenalty, PenalizesDistancesAboveTheMean) {
  const KlPenalty shaped = withKlPenalty({1, 1, -1}, {-1, -2, -3}, {-1.5, -2, -1}, 0.1);
  const double mean = (0.5 + 0 - 2) / 3;
  EXPECT_NEAR(shaped.mean, mean, 1e-12);
  EXPECT_NEAR(shaped.advantages[0], 1 + 0.1 * (mean - 0.5), 1e-12);
  EXPECT_NEAR(shaped.advantages[1], 1 + 0.1 * (mean - 0), 1e-12);
  EXPECT_NEAR(shaped.advantages[2], -1 + 0.1 * (mean + 2), 1e-12);
}

TEST(KlPenalty, StaysFinite) {
  const KlPenalty shaped = withKlPenalty({1, 1}, {-1, kInfinity}, {-kInfinity, -1}, 0.1);
  for (const double advantage : shaped.advantages) EXPECT_TRUE(std::isfinite(advantage));
}

TEST(Correlation, UsesKnownPairsOnly) {
  EXPECT_NEAR(*correlationOf({1, 2, kUnknownLogprob, 3}, {2, 4, 9, 6}), 1, 1e-12);
  EXPECT_NEAR(*correlationOf({1, 2, 3}, {3, 2, 1}), -1, 1e-12);
  EXPECT_FALSE(correlationOf({1, 1}, {2, 3}));
  EXPECT_FALSE(correlationOf({1}, {2}));
}

TEST(Quantile, InterpolatesLinearly) {
  EXPECT_EQ(quantileOf({}, 0.5), 0);
  EXPECT_EQ(quantileOf({3, 1, 2}, 0.5), 2);
  EXPECT_NEAR(quantileOf({0, 10}, 0.95), 9.5, 1e-12);
}

}  // namespace
}  // namespace spindle::trainer
