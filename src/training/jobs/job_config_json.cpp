#include "training/jobs/job_config_json.h"

#include <utility>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::training {
namespace {

// Defaults that do not depend on other fields (training_inference.md A4, B9).
constexpr double kRlLearningRate = 5e-6;
constexpr double kSftLearningRate = 5e-5;
constexpr std::int64_t kSftBatch = 2;
constexpr std::int64_t kChunk = 1024;
// The version and team of the reference path, resolved when the job was created.
constexpr std::string_view kReferenceVersion = "kl_ref_version_id";
constexpr std::string_view kReferenceTeam = "kl_ref_team_id";

/// Writes members of a configuration.
class Members {
 public:
  explicit Members(json::Writer& out) : out_(out) {}

  Members& number(std::string_view name, std::optional<double> value) {
    out_.key(name);
    value ? out_.number(*value) : out_.null();
    return *this;
  }
  Members& integer(std::string_view name, std::optional<std::int64_t> value) {
    out_.key(name);
    value ? out_.integer(*value) : out_.null();
    return *this;
  }
  Members& boolean(std::string_view name, bool value) {
    out_.key(name).boolean(value);
    return *this;
  }
  Members& text(std::string_view name, const std::optional<std::string>& value) {
    out_.key(name);
    value ? out_.string(*value) : out_.null();
    return *this;
  }

 private:
  json::Writer& out_;
};

/// Writes the LoRA and optimizer settings, which do not depend on the loss.
void writeOptimiser(Members& members, double weight_decay, double max_grad_norm) {
  members.integer("lora_rank", 8).number("lora_alpha", 32.0);
  members.number("weight_decay", weight_decay).number("max_grad_norm", max_grad_norm);
  members.number("beta1", 0.9).number("beta2", 0.99).number("adam_epsilon", 1e-8);
  members.integer("seed", 3407);
}

std::optional<std::int64_t> integerAt(const json::Node& object, std::string_view name) {
  const std::optional<json::Node> value = object.find(name);
  return value && value->kind() == json::Kind::kInteger ? value->integer() : std::nullopt;
}

}  // namespace

std::string effectiveConfig(const RlConfig& config) {
  const bool ppo = config.loss_fn ? *config.loss_fn == "ppo" : config.ppo.value_or(false);
  const double epsilon = config.epsilon.value_or(ppo ? 0.2 : 1.0);
  const double coefficient = config.kl_penalty_coef.value_or(0);
  const bool scaled =
      config.scale_rewards.value_or(true) && config.normalize_advantages.value_or(true);
  std::string text;
  json::Writer out(text);
  out.beginObject();
  Members members(out);
  members.number("learning_rate", config.learning_rate.value_or(kRlLearningRate));
  members.text("loss_fn", ppo ? "ppo" : "cispo").boolean("ppo", ppo);
  members.number("epsilon", epsilon);
  members.number("epsilon_high", config.epsilon_high.value_or(ppo ? epsilon : 4.0));
  members.text("importance_sampling_level", config.importance_sampling_level.value_or("token"));
  members.boolean("scale_rewards", scaled).boolean("normalize_advantages", scaled);
  members.number("advantage_balance", config.advantage_balance.value_or(0));
  members.number("max_negative_advantage_importance_sampling_weight",
                 config.max_negative_advantage_importance_sampling_weight);
  members.boolean("mask_prob_ratio", config.mask_prob_ratio.value_or(false));
  members.number("kimi_k2_tau", config.kimi_k2_tau);
  members.number("kl_penalty_coef", coefficient);
  members.text("kl_penalty_source",
               config.kl_penalty_source.value_or(coefficient > 0 ? "sample" : "current_learner"));
  members.integer("kl_penalty_reference_step", config.kl_penalty_reference_step);
  members.integer("kl_penalty_step_lag", config.kl_penalty_step_lag);
  members.text("kl_ref_adapter_path", config.kl_ref_adapter_path);
  if (config.reference_version) {
    members.integer(kReferenceVersion, config.reference_version);
    members.text(kReferenceTeam, config.reference_team);
  }
  members.number("truncated_importance_sampling", config.truncated_importance_sampling);
  members.boolean("precalculate_logprobs", config.precalculate_logprobs.value_or(false));
  members.boolean("allow_training_without_logprobs",
                  config.allow_training_without_logprobs.value_or(false));
  members.integer("packed_sequence_length", config.packed_sequence_length);
  members.integer("logprob_calculation_chunk_size",
                  config.logprob_calculation_chunk_size.value_or(kChunk));
  members.number("num_trajectories_learning_rate_multiplier_power",
                 config.num_trajectories_learning_rate_multiplier_power.value_or(0));
  members.boolean("scale_learning_rate_by_reward_std_dev",
                  config.scale_learning_rate_by_reward_std_dev.value_or(false));
  members.boolean("plot_tensors", config.plot_tensors.value_or(false));
  writeOptimiser(members, 0.1, 0.1);
  out.endObject();
  return text;
}

std::string effectiveConfig(const SftConfig& config) {
  const auto* const batch =
      config.batch_size ? std::get_if<std::int64_t>(&*config.batch_size) : nullptr;
  std::string text;
  json::Writer out(text);
  out.beginObject();
  Members members(out);
  members.integer("batch_size", batch != nullptr ? *batch : kSftBatch);
  const auto* const rates =
      config.learning_rate ? std::get_if<std::vector<double>>(&*config.learning_rate) : nullptr;
  if (rates != nullptr) {
    out.key("learning_rate").beginArray();
    for (const double rate : *rates) out.number(rate);
    out.endArray();
  } else {
    const auto* const rate =
        config.learning_rate ? std::get_if<double>(&*config.learning_rate) : nullptr;
    members.number("learning_rate", rate != nullptr ? *rate : kSftLearningRate);
  }
  members.text("assistant_turns", config.assistant_turns);
  out.key("metric_logging").beginObject();
  members.boolean("enabled", config.logs_metrics.value_or(false));
  members.integer("target_training_step", config.target_training_step);
  out.endObject();
  out.key("experimental_config").raw(config.experimental);
  writeOptimiser(members, 0.0, 1.0);
  out.endObject();
  return text;
}

MetricLogging metricLoggingOf(std::string effective_config) {
  const auto parsed = json::Document::parse(std::move(effective_config), json::kStoredDepth);
  const auto* const document = std::get_if<json::Document>(&parsed);
  MetricLogging logging;
  if (document == nullptr || !document->root().isObject()) return logging;
  const std::optional<json::Node> given = document->root().find("metric_logging");
  if (!given || !given->isObject()) return logging;
  const std::optional<json::Node> enabled = given->find("enabled");
  logging.enabled = enabled && enabled->isBool() && enabled->boolean();
  logging.target_step = integerAt(*given, "target_training_step");
  return logging;
}

KlReference klReferenceOf(std::string effective_config) {
  const auto parsed = json::Document::parse(std::move(effective_config), json::kStoredDepth);
  const auto* const document = std::get_if<json::Document>(&parsed);
  KlReference reference;
  if (document == nullptr || !document->root().isObject()) return reference;
  const json::Node root = document->root();
  reference.step = integerAt(root, "kl_penalty_reference_step");
  reference.lag = integerAt(root, "kl_penalty_step_lag");
  reference.version = integerAt(root, kReferenceVersion);
  const std::optional<json::Node> team = root.find(kReferenceTeam);
  if (team && team->isString()) reference.team_id = team->text();
  return reference;
}

}  // namespace spindle::training
