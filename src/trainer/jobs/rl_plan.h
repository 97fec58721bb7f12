#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "trainer/jobs/job_options.h"
#include "trainer/jobs/trajectory_tokens.h"
#include "trainer/kernels/row.h"

namespace spindle::trainer {

/// The advantages of a group's trajectories, relative to each other.
struct Advantages {
  std::vector<double> values;
  bool trainable = false;  ///< more than one trajectory, with different rewards
  double mean_reward = 0;
  double deviation = 0;  ///< population standard deviation of the rewards
};
Advantages advantagesOf(const std::vector<double>& rewards, bool scaled);

/// A row of packed sequences. A prefix that sequences of a group share occurs once.
struct RlRow {
  Row row;
  std::vector<std::int64_t> group_ids;   ///< of each token: its sequence, or its shared prefix
  std::vector<std::int64_t> parent_ids;  ///< the shared prefix it attends to; else its own id
  std::vector<bool> sampled;
  std::vector<double> old_logprobs;  ///< NaN: unknown
  std::vector<double> advantages;
  std::vector<double> weights;

  /// Returns the sampled tokens with the positions of the tokens before them.
  Targets targets() const;
  /// Returns the number of sequences: distinct groups without shared prefixes.
  std::uint64_t trajectories() const;
};

/// The complete plan of an RL job, made before it starts.
struct RlPlan {
  std::vector<RlRow> rows;
  std::uint64_t row_length = 0;
  std::uint64_t groups = 0;
  std::uint64_t differing_groups = 0;  ///< groups with different rewards
  std::uint64_t trainable_groups = 0;  ///< of those, groups with trainable tokens
  std::uint64_t trajectories = 0;      ///< all received trajectories
  std::uint64_t exceptions = 0;
  std::uint64_t trainable_tokens = 0;
  std::uint64_t truncated = 0;  ///< number of truncated sequences
  double mean_reward = 0;
  double reward_deviation = 0;  ///< mean over groups with more than one trajectory
  double mean_length = 0;       ///< mean number of sampled tokens per trajectory

  /// Returns why there are no rows, for the user.
  std::string whyEmpty() const;
};

struct TokenGroup {
  std::vector<TokenTrajectory> trajectories;
  std::uint64_t exceptions = 0;
};

/// Computes advantages, packs sequences into rows and normalizes over the whole job. `context`:
/// context length of the model. The same seed gives the same plan.
RlPlan planRl(const std::vector<TokenGroup>& groups,
              const RlOptions& options,
              std::uint64_t context);

/// Returns the length of the common prefix of a group's sequences, up to the first sampled token,
/// minus one.
std::uint64_t sharedPrefixLength(const std::vector<const TokenSequence*>& sequences);

}  // namespace spindle::trainer
