#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace spindle::trainer {

enum class PolicyLoss { kCispo, kPpo };

/// What a policy's ratio to the one that sampled is taken of.
enum class RatioLevel { kToken, kSequence, kAverage, kGeometricAverage };

struct PolicyLossOptions {
  PolicyLoss loss = PolicyLoss::kCispo;
  double epsilon = 1;
  double epsilon_high = 4;
  RatioLevel level = RatioLevel::kToken;
  std::optional<double> ratio_cap = {};
  bool mask_outside = false;  ///< a ratio outside the window counts as 0
  std::optional<double> tau = {};
  std::optional<double> truncation = {};  ///< of the mismatch between trainer and sampler
};

/// Sampled tokens of a row, in its order. All lists are equally long.
struct PolicyTokens {
  std::vector<std::int64_t> sequence;          ///< which one a token is of
  std::vector<double> old_logprobs;            ///< NaN: unknown
  std::vector<double> original_logprobs = {};  ///< the sampler's, where old ones were computed anew
  std::vector<double> advantages;
  std::vector<double> weights;
};

/// What the trainer says of them.
struct PolicyLossResult {
  double loss = 0;
  std::vector<double> slopes;  ///< of the loss in each logprob

  // For watching.
  double kl = 0;  ///< between old and new, estimated
  double clipped_fraction = 0;
  double ratio_mean = 1;
  double ratio_p95 = 1;
  double ratio_p99 = 1;
  std::optional<double> probability_correlation = {};  ///< of old and new, on known tokens
};

/// The loss of one row and its slopes. Unknown old logprobs count as equal to the new ones. Finite
/// whatever the old logprobs are: ratios are bounded where a number could not hold them, after they
/// were taken together, and there the loss has no slope.
PolicyLossResult policyLoss(const PolicyTokens& tokens,
                            const std::vector<double>& logprobs,
                            const PolicyLossOptions& options);

struct KlShaping {
  std::vector<double> advantages;
  double mean = 0;  ///< of the distance: the metric kl_policy_ref
};
/// Advantages that punish going away from a reference: `source` are whose logprobs are compared
/// with the reference's.
KlShaping shapedByKl(const std::vector<double>& advantages,
                     const std::vector<double>& source,
                     const std::vector<double>& reference,
                     double coefficient);

/// Pearson's, of the pairs in which both are finite; empty when there are fewer than two of them or
/// one side does not vary.
std::optional<double> correlationOf(const std::vector<double>& a, const std::vector<double>& b);
/// The value below which a share of them lies, between neighbours in proportion; 0 for none.
double quantileOf(std::vector<double> values, double share);

}  // namespace spindle::trainer
