#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/jobs/chat_codec.h"
#include "trainer/jobs/trajectory.h"

namespace spindle::trainer {

/// The tokens of a conversation as the policy saw them.
struct TokenSequence {
  std::vector<std::int64_t> ids;
  std::vector<bool> sampled;         ///< by the policy
  std::vector<double> old_logprobs;  ///< of the sampler; NaN: unknown
};

/// A tokenized trajectory. All its sequences share its reward.
struct TokenTrajectory {
  std::vector<TokenSequence> sequences;
  double reward = 0;

  /// Returns the number of sampled tokens.
  std::uint64_t sampledTokens() const;
};

/// Tokenizes a trajectory: uses the sampled token ids if given, otherwise the chat template and the
/// tokenizer. Omits sequences without a sampled token. `without_logprobs`: also train on answers
/// without logprobs.
/// @return kInvalidArgument that says what is wrong
Result<TokenTrajectory> tokensOf(const Trajectory& trajectory,
                                 const ChatCodec& codec,
                                 bool without_logprobs);

}  // namespace spindle::trainer
