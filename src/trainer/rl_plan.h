#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "trainer/job_options.h"
#include "trainer/row.h"
#include "trainer/trajectory_tokens.h"

namespace spindle::trainer {

/// What a group's trajectories are worth, each against the others.
struct Advantages {
  std::vector<double> values;
  bool trainable = false;  ///< rewards differ, and there is more than one
  double mean_reward = 0;
  double deviation = 0;  ///< of rewards, over all of them
};
Advantages advantagesOf(const std::vector<double>& rewards, bool scaled);

/// A row of sequences, those of a group with their common beginning once.
struct RlRow {
  Row row;
  std::vector<std::int64_t> group_ids;  ///< of each token: its sequence, or its shared beginning
  std::vector<std::int64_t>
      parent_ids;  ///< the shared beginning it sees; its own where it has none
  std::vector<bool> sampled;
  std::vector<double> old_logprobs;  ///< NaN: unknown
  std::vector<double> advantages;
  std::vector<double> weights;

  /// The sampled tokens, told by the ones before them.
  Targets targets() const;
  /// Sequences in it: distinct groups, less those that are shared beginnings.
  std::uint64_t trajectories() const;
};

/// Everything an RL job will do, before it begins.
struct RlPlan {
  std::vector<RlRow> rows;
  std::uint64_t row_length = 0;
  std::uint64_t groups = 0;
  std::uint64_t differing_groups = 0;  ///< whose rewards differ
  std::uint64_t trainable_groups = 0;  ///< of those, with tokens to learn from
  std::uint64_t trajectories = 0;      ///< all that came
  std::uint64_t exceptions = 0;
  std::uint64_t trainable_tokens = 0;
  std::uint64_t shortened = 0;  ///< sequences that were longer than a row
  double mean_reward = 0;
  double reward_deviation = 0;  ///< the mean over groups with more than one
  double mean_length = 0;       ///< sampled tokens of a trajectory

  /// Why there are no rows, for the user.
  std::string whyEmpty() const;
};

struct TokenGroup {
  std::vector<TokenTrajectory> trajectories;
  std::uint64_t exceptions = 0;
};

/// Advantages, packing and what is normed over the whole job. `context`: the model's. A seed gives
/// one plan.
RlPlan planRl(const std::vector<TokenGroup>& groups,
              const RlOptions& options,
              std::uint64_t context);

/// How many tokens the beginnings of a group's sequences share: their longest common one, ended
/// before the first sampled token, less one.
std::uint64_t sharedLength(const std::vector<const TokenSequence*>& sequences);

}  // namespace spindle::trainer
