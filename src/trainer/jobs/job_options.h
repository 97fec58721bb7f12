#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/jobs/policy_loss.h"
#include "weights/adapters/adapter_training.h"

namespace spindle::trainer {

/// LoRA and optimizer settings, independent of the loss.
using LearnerOptions = weights::AdapterTraining;

enum class AssistantTurns { kAll, kLast };

struct SftOptions {
  LearnerOptions learner = {};
  std::uint64_t batch_size = 2;
  std::vector<double> learning_rates = {5e-5};  ///< one for all batches, or one per batch
  bool rate_per_batch = false;
  AssistantTurns assistant_turns = AssistantTurns::kAll;
};

enum class KlSource { kLearner, kSample };

struct RlOptions {
  LearnerOptions learner = weights::kRlAdapterTraining;
  double learning_rate = 5e-6;
  PolicyLossOptions loss = {};
  bool scale_rewards = true;
  double advantage_balance = 0;
  double kl_coefficient = 0;
  KlSource kl_source = KlSource::kLearner;
  bool precalculate_logprobs = false;
  bool allow_training_without_logprobs = false;
  std::optional<std::uint64_t> packed_sequence_length = {};
  std::uint64_t chunk = 1024;
  double trajectories_power = 0;
  bool scale_by_reward_spread = false;
};

/// The treatment of unknown fields: ignore them, because a newer server may send some, or reject
/// them as mistakes of a person.
enum class UnknownFields { kIgnored, kRefused };

/// Reads a configuration (docs/trainer_protocol.md). Missing and null fields have defaults.
/// @return kInvalidArgument with the field name
Result<SftOptions> sftOptionsOf(const std::string& json,
                                UnknownFields others = UnknownFields::kIgnored);
Result<RlOptions> rlOptionsOf(const std::string& json,
                              UnknownFields others = UnknownFields::kIgnored);

}  // namespace spindle::trainer
