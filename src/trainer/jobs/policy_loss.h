#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace spindle::trainer {

enum class PolicyLoss { kCispo, kPpo };

/// The level of the importance ratio (probability under the policy / under the sampler).
enum class RatioLevel { kToken, kSequence, kAverage, kGeometricAverage };

struct PolicyLossOptions {
  PolicyLoss loss = PolicyLoss::kCispo;
  double epsilon = 1;
  double epsilon_high = 4;
  RatioLevel level = RatioLevel::kToken;
  std::optional<double> ratio_cap = {};
  bool mask_outside = false;  ///< mask tokens whose ratio is outside the clip range
  std::optional<double> tau = {};
  std::optional<double> truncation = {};  ///< upper bound of the trainer/sampler ratio
};

/// The sampled tokens of a row, in order. All lists have the same length.
struct PolicyTokens {
  std::vector<std::int64_t> sequence;          ///< sequence that contains the token
  std::vector<double> old_logprobs;            ///< NaN: unknown
  std::vector<double> original_logprobs = {};  ///< of the sampler, if the old ones were recomputed
  std::vector<double> advantages;
  std::vector<double> weights;
};

/// The loss of a row, its derivatives and metrics.
struct PolicyLossResult {
  double loss = 0;
  std::vector<double> slopes;  ///< derivative of the loss with respect to each logprob

  // Metrics:
  double kl = 0;  ///< estimated KL divergence between old and new policy
  double clipped_fraction = 0;
  double ratio_mean = 1;
  double ratio_p95 = 1;
  double ratio_p99 = 1;
  std::optional<double> probability_correlation =
      {};  ///< of old and new probabilities, over known tokens
};

/// Computes the loss of one row and its derivatives. Unknown old logprobs count as equal to the new
/// ones. The result is finite for all old logprobs: aggregated log ratios are clamped where a float
/// would overflow, and have derivative zero there.
PolicyLossResult policyLoss(const PolicyTokens& tokens,
                            const std::vector<double>& logprobs,
                            const PolicyLossOptions& options);

struct KlPenalty {
  std::vector<double> advantages;
  double mean = 0;  ///< mean log ratio: the metric kl_policy_ref
};
/// Returns advantages with a KL penalty. `source`: the logprobs that are compared with those of the
/// reference.
KlPenalty withKlPenalty(const std::vector<double>& advantages,
                        const std::vector<double>& source,
                        const std::vector<double>& reference,
                        double coefficient);

/// Returns the Pearson correlation of the pairs in which both values are finite. Empty if there are
/// fewer than two pairs or one side is constant.
std::optional<double> correlationOf(const std::vector<double>& a, const std::vector<double>& b);
/// Returns the quantile with linear interpolation; 0 for an empty list.
double quantileOf(std::vector<double> values, double share);

}  // namespace spindle::trainer
