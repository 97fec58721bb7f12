#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spindle::training {

/// `experimental_config` of an RL job as received. Unset members have defaults.
struct RlConfig {
  std::optional<double> learning_rate;
  std::optional<std::string> loss_fn;  ///< cispo, ppo
  std::optional<bool> ppo;
  std::optional<double> epsilon;
  std::optional<double> epsilon_high;
  std::optional<std::string> importance_sampling_level;
  std::optional<bool> scale_rewards;
  std::optional<bool> normalize_advantages;
  std::optional<double> advantage_balance;
  std::optional<double> max_negative_advantage_importance_sampling_weight;
  std::optional<bool> mask_prob_ratio;
  std::optional<double> kimi_k2_tau;
  std::optional<double> kl_penalty_coef;
  std::optional<std::string> kl_penalty_source;
  std::optional<std::int64_t> kl_penalty_reference_step;
  std::optional<std::int64_t> kl_penalty_step_lag;
  std::optional<std::string> kl_ref_adapter_path;
  std::optional<std::int64_t> reference_version;  ///< the version that kl_ref_adapter_path names
  std::optional<std::string> reference_team;      ///< the team that owns it
  std::optional<double> truncated_importance_sampling;
  std::optional<bool> precalculate_logprobs;
  std::optional<bool> allow_training_without_logprobs;
  std::optional<std::int64_t> packed_sequence_length;
  std::optional<std::int64_t> logprob_calculation_chunk_size;
  std::optional<double> num_trajectories_learning_rate_multiplier_power;
  std::optional<bool> scale_learning_rate_by_reward_std_dev;
  std::optional<bool> plot_tensors;
};

/// `metric_logging` of an SFT job as received.
struct MetricLoggingConfig {
  std::optional<bool> enabled = {};
  std::optional<std::int64_t> target_training_step = {};
};

/// `config` and `experimental_config` of an SFT job as received.
struct SftConfig {
  std::optional<std::variant<std::int64_t, std::string>> batch_size;  ///< a number, or "auto"
  std::optional<std::variant<double, std::vector<double>>> learning_rate;
  std::string assistant_turns = "all";
  std::optional<MetricLoggingConfig> metric_logging;
  std::string experimental = "{}";  ///< a JSON object
};

/// How the gradient steps of an SFT job appear in the run of its model.
struct MetricLogging {
  bool enabled = false;  ///< log them under their own names, with a summary at the end
  std::optional<std::int64_t> target_step = {};  ///< the training step of the summary
};

/// The reference policy of the KL penalty.
struct KlReference {
  std::optional<std::int64_t> step = {};
  std::optional<std::int64_t> lag = {};
  std::optional<std::int64_t> version = {};  ///< id of an artifact version
  std::string team_id = {};                  ///< the team that owns the version
};

}  // namespace spindle::training
