#include "trainer/jobs/policy_loss.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/core/check.h"

namespace spindle::trainer {
namespace {

// exp(20) is far outside every clip range, and its square still fits into a float.
constexpr double kLargestLogRatio = 20;
constexpr double kTinyCount = 1e-18;

struct Bounded {
  double value = 0;
  bool inside = true;  ///< false if the value was clamped; its derivative is then zero
};

Bounded bounded(double log_ratio) {
  if (std::isnan(log_ratio)) return {0, false};
  return {std::clamp(log_ratio, -kLargestLogRatio, kLargestLogRatio),
          std::abs(log_ratio) < kLargestLogRatio};
}

/// A ratio and its derivatives: with respect to the token's own logprob, and to each logprob of its
/// sequence.
struct Ratio {
  double value = 1;
  double own_slope = 0;
  double shared_slope = 0;
};

class Loss {
 public:
  Loss(const PolicyTokens& tokens,
       const std::vector<double>& logprobs,
       const PolicyLossOptions& options)
      : tokens_(tokens), logprobs_(logprobs), options_(options), count_(logprobs.size()) {}

  PolicyLossResult compute() {
    PolicyLossResult result;
    result.slopes.assign(count_, 0);
    if (count_ == 0) return result;
    sumDifferences();
    std::vector<double> ratios;
    double clipped = 0;
    std::map<std::int64_t, double>
        shared;  // by sequence: the derivative that every token of it gets
    for (std::size_t i = 0; i < count_; ++i) {
      const Ratio ratio = limitedRatio(ratioAt(i));
      const double advantage = advantageAt(i);
      const double factor =
          tokens_.weights[i] * truncationAt(i) / (static_cast<double>(count_) + kTinyCount);
      ratios.push_back(ratio.value);
      clipped += isClipped(ratio.value, advantage) ? 1 : 0;
      result.loss += factor * tokenLoss(i, ratio, advantage);
      if (options_.loss == PolicyLoss::kCispo) {
        result.slopes[i] -= factor * window(ratio.value) * advantage;
      } else if (ratio.value * advantage <= window(ratio.value) * advantage) {
        result.slopes[i] -= factor * advantage * ratio.own_slope;
        shared[tokens_.sequence[i]] -= factor * advantage * ratio.shared_slope;
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const auto found = shared.find(tokens_.sequence[i]);
      if (found != shared.end()) result.slopes[i] += found->second;
    }
    addMetrics(ratios, clipped, result);
    return result;
  }

 private:
  struct Sequence {
    double sum = 0;
    double count = 0;
  };

  double differenceAt(std::size_t i) const {
    const double old = tokens_.old_logprobs[i];
    return std::isnan(old) ? 0 : logprobs_[i] - old;
  }

  /// Sums the unclamped differences; only their mean is clamped.
  void sumDifferences() {
    for (std::size_t i = 0; i < count_; ++i) {
      Sequence& sequence = sequences_[tokens_.sequence[i]];
      sequence.sum += differenceAt(i);
      sequence.count += 1;
    }
  }

  Ratio ratioAt(std::size_t i) const {
    const Sequence& sequence = sequences_.at(tokens_.sequence[i]);
    const Bounded own = bounded(differenceAt(i));
    const Bounded together = bounded(sequence.sum / sequence.count);
    const double token = std::exp(own.value);
    const double whole = std::exp(together.value);
    // An unknown old logprob counts as a constant equal to the new one: the ratio is 1 but has a
    // derivative.
    const double token_slope = own.inside ? token : 0;
    const double whole_slope = together.inside ? whole / sequence.count : 0;
    switch (options_.level) {
      case RatioLevel::kToken:
        return {token, token_slope, 0};
      case RatioLevel::kSequence:
        return {whole, 0, whole_slope};
      case RatioLevel::kAverage:
        return {(token + whole) / 2, token_slope / 2, whole_slope / 2};
      case RatioLevel::kGeometricAverage:
        break;
    }
    const double mean = std::sqrt(token * whole);
    return {mean, own.inside ? mean / 2 : 0, together.inside ? mean / 2 / sequence.count : 0};
  }

  Ratio limitedRatio(Ratio ratio) const {
    if (options_.ratio_cap && ratio.value > *options_.ratio_cap)
      ratio = {*options_.ratio_cap, 0, 0};
    const bool inside =
        ratio.value > 1 - options_.epsilon && ratio.value < 1 + options_.epsilon_high;
    return options_.mask_outside && !inside ? Ratio{0, 0, 0} : ratio;
  }

  double advantageAt(std::size_t i) const {
    const double advantage = tokens_.advantages[i];
    return options_.tau ? advantage - *options_.tau * bounded(differenceAt(i)).value : advantage;
  }

  double window(double ratio) const {
    return std::clamp(ratio, 1 - options_.epsilon, 1 + options_.epsilon_high);
  }

  double tokenLoss(std::size_t i, const Ratio& ratio, double advantage) const {
    if (options_.loss == PolicyLoss::kCispo) return -window(ratio.value) * advantage * logprobs_[i];
    return -std::min(ratio.value * advantage, window(ratio.value) * advantage);
  }

  double truncationAt(std::size_t i) const {
    if (!options_.truncation || tokens_.original_logprobs.empty()) return 1;
    const double mismatch = tokens_.old_logprobs[i] - tokens_.original_logprobs[i];
    // The sampler's logprob is unknown: no correction.
    if (std::isnan(mismatch)) return std::min(1.0, *options_.truncation);
    return std::min(std::exp(bounded(mismatch).value), *options_.truncation);
  }

  bool isClipped(double ratio, double advantage) const {
    const bool low = ratio < 1 - options_.epsilon;
    const bool high = ratio > 1 + options_.epsilon_high;
    if (options_.loss == PolicyLoss::kCispo) return low || high;
    return (advantage > 0 && high) || (advantage < 0 && low);
  }

  void addMetrics(const std::vector<double>& ratios,
                  double clipped,
                  PolicyLossResult& result) const {
    const auto count = static_cast<double>(count_);
    std::vector<double> before;
    std::vector<double> after;
    for (std::size_t i = 0; i < count_; ++i) {
      const double difference = bounded(differenceAt(i)).value;
      // exp(-d) + d - 1 is never negative, and its mean estimates the KL divergence.
      result.kl += (std::exp(-difference) + difference - 1) / count;
      before.push_back(std::exp(tokens_.old_logprobs[i]));
      after.push_back(std::exp(logprobs_[i]));
    }
    result.clipped_fraction = clipped / count;
    double sum = 0;
    for (const double ratio : ratios) sum += ratio;
    result.ratio_mean = sum / count;
    result.ratio_p95 = quantileOf(ratios, 0.95);
    result.ratio_p99 = quantileOf(ratios, 0.99);
    result.probability_correlation = correlationOf(before, after);
  }

  const PolicyTokens& tokens_;
  const std::vector<double>& logprobs_;
  const PolicyLossOptions& options_;
  const std::size_t count_;
  std::map<std::int64_t, Sequence> sequences_;
};

}  // namespace

PolicyLossResult policyLoss(const PolicyTokens& tokens,
                            const std::vector<double>& logprobs,
                            const PolicyLossOptions& options) {
  const std::size_t count = logprobs.size();
  SPINDLE_ASSERT(tokens.sequence.size() == count && tokens.old_logprobs.size() == count &&
                     tokens.advantages.size() == count && tokens.weights.size() == count &&
                     (tokens.original_logprobs.empty() || tokens.original_logprobs.size() == count),
                 "all lists have one entry per token");
  return Loss(tokens, logprobs, options).compute();
}

KlPenalty withKlPenalty(const std::vector<double>& advantages,
                        const std::vector<double>& source,
                        const std::vector<double>& reference,
                        double coefficient) {
  KlPenalty shaped{advantages, 0};
  if (advantages.empty()) return shaped;
  std::vector<double> distances;
  for (std::size_t i = 0; i < advantages.size(); ++i) {
    distances.push_back(bounded(source[i] - reference[i]).value);
    shaped.mean += distances.back() / static_cast<double>(advantages.size());
  }
  for (std::size_t i = 0; i < advantages.size(); ++i)
    shaped.advantages[i] += coefficient * (shaped.mean - distances[i]);
  return shaped;
}

std::optional<double> correlationOf(const std::vector<double>& a, const std::vector<double>& b) {
  double count = 0;
  double a_sum = 0;
  double b_sum = 0;
  const auto known = [&](std::size_t i) { return std::isfinite(a[i]) && std::isfinite(b[i]); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!known(i)) continue;
    count += 1;
    a_sum += a[i];
    b_sum += b[i];
  }
  if (count < 2) return std::nullopt;
  double together = 0;
  double a_spread = 0;
  double b_spread = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!known(i)) continue;
    const double from_a = a[i] - a_sum / count;
    const double from_b = b[i] - b_sum / count;
    together += from_a * from_b;
    a_spread += from_a * from_a;
    b_spread += from_b * from_b;
  }
  if (a_spread <= 0 || b_spread <= 0) return std::nullopt;
  return together / std::sqrt(a_spread * b_spread);
}

double quantileOf(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - std::floor(place));
}

}  // namespace spindle::trainer
