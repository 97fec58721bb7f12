#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/chat_codec.h"
#include "trainer/trajectory.h"

namespace spindle::trainer {

/// Tokens of a conversation as the policy met them.
struct TokenSequence {
  std::vector<std::int64_t> ids;
  std::vector<bool> sampled;         ///< by the policy
  std::vector<double> old_logprobs;  ///< the sampler's; NaN: unknown
};

/// One that a policy learns from: all its sequences share its reward.
struct TokenTrajectory {
  std::vector<TokenSequence> sequences;
  double reward = 0;

  /// How many tokens were sampled.
  std::uint64_t sampledTokens() const;
};

/// The tokens of a trajectory: exactly those that were sampled, where it says which; else those
/// that the chat template and the vocabulary make of it. Sequences without a sampled token are left
/// out. `without_logprobs`: train what came without them, too.
/// @return kInvalidArgument that says what is wrong with it
Result<TokenTrajectory> tokensOf(const Trajectory& trajectory,
                                 const ChatCodec& codec,
                                 bool without_logprobs);

}  // namespace spindle::trainer
