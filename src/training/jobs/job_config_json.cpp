#include "training/jobs/job_config_json.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/check.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "weights/adapters/adapter_training.h"

namespace spindle::training {
namespace {

using schema::boolean, schema::Codec, schema::integer, schema::literal, schema::nullable,
    schema::number, schema::Record, schema::string;

// Defaults that do not depend on other fields (training_inference.md A4, B9).
constexpr double kRlLearningRate = 5e-6;
constexpr double kSftLearningRate = 5e-5;
constexpr std::int64_t kSftBatch = 2;
constexpr std::int64_t kChunk = 1024;
// Members that klReferenceOf() reads. The version and team are those of the reference path,
// resolved when the job was created.
constexpr std::string_view kReferenceStep = "kl_penalty_reference_step";
constexpr std::string_view kReferenceLag = "kl_penalty_step_lag";
constexpr std::string_view kReferenceVersion = "kl_ref_version_id";
constexpr std::string_view kReferenceTeam = "kl_ref_team_id";
// The member that metricLoggingOf() reads.
constexpr std::string_view kMetricLogging = "metric_logging";

// Clients cannot change the settings of AdapterTraining.
struct EffectiveRlConfig : RlConfig, weights::AdapterTraining {};
struct EffectiveSftConfig : SftConfig, weights::AdapterTraining {
  json::Text experimental_config;
};

template <class Config>
void addOptimizer(Record<Config>& record) {
  record.required("lora_rank", &Config::lora_rank, integer())
      .required("lora_alpha", &Config::lora_alpha, number())
      .required("weight_decay", &Config::weight_decay, number())
      .required("max_grad_norm", &Config::max_grad_norm, number())
      .required("beta1", &Config::beta1, number())
      .required("beta2", &Config::beta2, number())
      .required("adam_epsilon", &Config::adam_epsilon, number())
      .required("seed", &Config::seed, integer());
}

/// The record of RlConfig, which clients send, or of EffectiveRlConfig.
template <class Config>
Record<Config> rlRecord(schema::Extra extra = schema::Extra::kIgnore) {
  Record<Config> record("RlConfig", extra);
  record.optional("learning_rate", &Config::learning_rate, nullable(number({.ge = 0})), "5e-6.")
      .optional("loss_fn", &Config::loss_fn, nullable(literal({"cispo", "ppo"})), "`cispo`.")
      .optional("ppo", &Config::ppo, nullable(boolean()),
                "Older spelling of `loss_fn`: true means `ppo`.")
      .optional("epsilon", &Config::epsilon, nullable(number({.ge = 0})),
                "Lower clip width of the importance ratio. Default: 0.2 for ppo, 1 for cispo.")
      .optional(
          "epsilon_high", &Config::epsilon_high, nullable(number({.ge = 0})),
          "Upper clip width of the importance ratio. Default: `epsilon` for ppo, 4 for cispo.")
      .optional("importance_sampling_level", &Config::importance_sampling_level,
                nullable(literal({"token", "sequence", "average", "geometric_average"})),
                "`token`.")
      .optional("scale_rewards", &Config::scale_rewards, nullable(boolean()), "true.")
      .optional("normalize_advantages", &Config::normalize_advantages, nullable(boolean()),
                "Default: true. Rewards are scaled if this and `scale_rewards` are true.")
      .optional(
          "advantage_balance", &Config::advantage_balance, nullable(number({.ge = -1, .le = 1})),
          "Above 0, negative advantages have less weight; below 0, positive ones. Default: 0.")
      .optional("max_negative_advantage_importance_sampling_weight",
                &Config::max_negative_advantage_importance_sampling_weight,
                nullable(number({.ge = 0})), "Upper bound of the importance ratio.")
      .optional("mask_prob_ratio", &Config::mask_prob_ratio, nullable(boolean()),
                "Mask tokens outside the clip range instead of clipping them. Default: false.")
      .optional("kimi_k2_tau", &Config::kimi_k2_tau, nullable(number()))
      .optional("kl_penalty_coef", &Config::kl_penalty_coef, nullable(number({.ge = 0})), "0.")
      .optional("kl_penalty_source", &Config::kl_penalty_source,
                nullable(literal({"current_learner", "sample"})),
                "Default: `sample` if `kl_penalty_coef` is positive.")
      .optional(kReferenceStep, &Config::kl_penalty_reference_step, nullable(integer({.ge = 0})),
                "Step of the reference checkpoint.")
      .optional(kReferenceLag, &Config::kl_penalty_step_lag, nullable(integer({.ge = 1})),
                "Reference checkpoint, in steps back from the current step.")
      .optional("kl_ref_adapter_path", &Config::kl_ref_adapter_path, nullable(string()),
                "Reference checkpoint, as the path of an artifact.");
  if constexpr (std::is_same_v<Config, EffectiveRlConfig>) {
    record.optional(kReferenceVersion, &Config::reference_version, nullable(integer()), "")
        .omitNull()
        .optional(kReferenceTeam, &Config::reference_team, nullable(string()), "")
        .omitNull();
  }
  record
      .optional("truncated_importance_sampling", &Config::truncated_importance_sampling,
                nullable(number({.ge = 0})),
                "With `precalculate_logprobs`: upper bound of the ratio of trainer to sampler "
                "probability.")
      .optional("precalculate_logprobs", &Config::precalculate_logprobs, nullable(boolean()),
                "false.")
      .optional("allow_training_without_logprobs", &Config::allow_training_without_logprobs,
                nullable(boolean()), "false.")
      .optional(
          "packed_sequence_length", &Config::packed_sequence_length, nullable(integer({.ge = 1})),
          "Tokens per row. Default: the longest trajectory, rounded up to a multiple of 2,048.")
      .optional("logprob_calculation_chunk_size", &Config::logprob_calculation_chunk_size,
                nullable(integer({.ge = 1})), "1024.")
      .optional("num_trajectories_learning_rate_multiplier_power",
                &Config::num_trajectories_learning_rate_multiplier_power, nullable(number()), "0.")
      .optional("scale_learning_rate_by_reward_std_dev",
                &Config::scale_learning_rate_by_reward_std_dev, nullable(boolean()), "false.")
      .optional("plot_tensors", &Config::plot_tensors, nullable(boolean()),
                "Accepted for compatibility; ignored.");
  return record;
}

Codec<MetricLoggingConfig> metricLoggingCodec() {
  using C = MetricLoggingConfig;
  return Record<C>("SftMetricLogging")
      .optional("enabled", &C::enabled, nullable(boolean()), "false.")
      .optional("target_training_step", &C::target_training_step, nullable(integer()))
      .codec();
}

/// The record of SftConfig, which clients send, or of EffectiveSftConfig.
template <class Config>
Record<Config> sftRecord(schema::Extra extra = schema::Extra::kIgnore) {
  const auto batch =
      schema::anyOf(schema::Alternative<std::int64_t>{"int", integer({.ge = 1})},
                    schema::Alternative<std::string>{"literal['auto']", literal({"auto"})});
  const auto rate = schema::anyOf(
      schema::Alternative<double>{"float", number({.ge = 0})},
      schema::Alternative<std::vector<double>>{"list[float]", schema::list(number({.ge = 0}))});
  Record<Config> record("SftConfig", extra);
  record.optional("batch_size", &Config::batch_size, nullable(batch), "Lines per step. Default: 2.")
      .optional("learning_rate", &Config::learning_rate, nullable(rate),
                "AdamW learning rate. A list has one per batch. Default: 5e-5.")
      .optional("assistant_turns", &Config::assistant_turns, literal({"all", "last"}),
                "Train on all assistant messages of a conversation, or on the last.")
      .optional(kMetricLogging, &Config::metric_logging, nullable(metricLoggingCodec()), "");
  return record;
}

Codec<RlConfig> checkedRlConfig(schema::Extra extra) {
  return rlRecord<RlConfig>(extra)
      .check([](const RlConfig& config) -> std::optional<schema::RuleError> {
        if (!config.kl_penalty_reference_step || !config.kl_penalty_step_lag) return std::nullopt;
        return schema::valueError(
            "kl_penalty_reference_step and kl_penalty_step_lag exclude each other");
      })
      .codec();
}

/// An SFT configuration as it is stored, with its experimental part.
struct ChangedSftConfig : SftConfig {
  json::Text experimental_config{"{}"};
};

Codec<ChangedSftConfig> changedSftCodec(schema::Extra extra) {
  return sftRecord<ChangedSftConfig>(extra)
      .optional("experimental_config", &ChangedSftConfig::experimental_config, schema::jsonObject(),
                "")
      .codec();
}

/// A member of a configuration, and the members whose stored values depend on it or exclude it.
struct DependentMembers {
  std::string_view changed;
  std::vector<std::string_view> dropped;
};

const std::vector<DependentMembers>& dependentMembers() {
  static const std::vector<DependentMembers> members = {
      {"loss_fn", {"ppo", "epsilon", "epsilon_high"}},
      {"ppo", {"loss_fn", "epsilon", "epsilon_high"}},
      {"scale_rewards", {"normalize_advantages"}},
      {"normalize_advantages", {"scale_rewards"}},
      {"kl_penalty_coef", {"kl_penalty_source"}},
      {kReferenceStep, {kReferenceLag, "kl_ref_adapter_path"}},
      {kReferenceLag, {kReferenceStep, "kl_ref_adapter_path"}},
      {"kl_ref_adapter_path", {kReferenceStep, kReferenceLag}}};
  return members;
}

/// Returns true if the changes replace a member of the stored configuration.
bool isReplaced(const json::Node& changes, std::string_view name) {
  if (changes.find(name)) return true;
  return std::any_of(dependentMembers().begin(), dependentMembers().end(),
                     [&](const DependentMembers& members) {
                       return changes.find(members.changed) &&
                              std::find(members.dropped.begin(), members.dropped.end(), name) !=
                                  members.dropped.end();
                     });
}

/// Returns the members of both objects; those of the changes win. Both are valid JSON objects.
std::string merged(const json::Node& stored, const json::Node& changes) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  std::string name;
  const auto copy = [&](const json::Node& object, bool all) {
    bool is_name = true;
    for (const json::Node node : object) {
      if (is_name) {
        name = node.text();
      } else if (all || !isReplaced(changes, name)) {
        out.key(name).raw(node.raw());
      }
      is_name = !is_name;
    }
  };
  copy(stored, false);
  copy(changes, true);
  out.endObject();
  return text;
}

/// Merges a stored configuration with changes. `strict` checks the changes, `lenient` reads the
/// result, which has the additional members of effective configurations.
template <class Config>
Result<Config> changedConfig(const Codec<Config>& strict,
                             const Codec<Config>& lenient,
                             std::string effective_config,
                             const std::string& changes) {
  struct Wrapped {
    Config config;
  };
  const Codec<Wrapped> body =
      Record<Wrapped>("ConfigChanges").required("config", &Wrapped::config, strict, "").codec();
  TRY(schema::parse(body, R"({"config":)" + changes + "}", "body", json::kStoredDepth));
  const auto stored = json::Document::parse(std::move(effective_config), json::kStoredDepth);
  const auto changed = json::Document::parse(changes, json::kStoredDepth);
  SPINDLE_ASSERT(std::holds_alternative<json::Document>(stored), "stored configurations are JSON");
  SPINDLE_ASSERT(std::holds_alternative<json::Document>(changed), "the changes were parsed");
  const std::string text =
      merged(std::get<json::Document>(stored).root(), std::get<json::Document>(changed).root());
  return schema::parse(lenient, text, "config", json::kStoredDepth);
}

/// Returns a part of an effective configuration, or its default if it cannot be read.
template <class Part>
Part readPart(const Codec<Part>& codec, std::string effective_config) {
  Result<Part> part =
      schema::parse(codec, std::move(effective_config), "config", json::kStoredDepth);
  return part ? *std::move(part) : Part();
}

}  // namespace

Codec<RlConfig> rlConfigCodec() {
  return schema::described(
      checkedRlConfig(schema::Extra::kIgnore),
      R"({"not":{"properties":{"kl_penalty_reference_step":{"not":{"type":"null"}},)"
      R"("kl_penalty_step_lag":{"not":{"type":"null"}}},)"
      R"("required":["kl_penalty_reference_step","kl_penalty_step_lag"]}})");
}

Codec<SftConfig> sftConfigCodec() { return sftRecord<SftConfig>().codec(); }

Result<RlConfig> changedRlConfig(std::string effective_config, const std::string& changes) {
  static const Codec<RlConfig> strict = checkedRlConfig(schema::Extra::kForbid);
  static const Codec<RlConfig> lenient = checkedRlConfig(schema::Extra::kIgnore);
  return changedConfig(strict, lenient, std::move(effective_config), changes);
}

Result<SftConfig> changedSftConfig(std::string effective_config, const std::string& changes) {
  static const Codec<ChangedSftConfig> strict = changedSftCodec(schema::Extra::kForbid);
  static const Codec<ChangedSftConfig> lenient = changedSftCodec(schema::Extra::kIgnore);
  ChangedSftConfig changed =
      TRY(changedConfig(strict, lenient, std::move(effective_config), changes));
  changed.experimental = std::move(changed.experimental_config.json);
  return SftConfig(std::move(changed));
}

std::string effectiveConfig(const RlConfig& config) {
  static const Codec<EffectiveRlConfig> codec = [] {
    Record<EffectiveRlConfig> record = rlRecord<EffectiveRlConfig>();
    addOptimizer(record);
    return record.codec();
  }();
  const bool ppo = config.loss_fn ? *config.loss_fn == "ppo" : config.ppo.value_or(false);
  const double epsilon = config.epsilon.value_or(ppo ? 0.2 : 1.0);
  const double coefficient = config.kl_penalty_coef.value_or(0);
  const bool scaled =
      config.scale_rewards.value_or(true) && config.normalize_advantages.value_or(true);
  const auto fill = [](auto& member, auto value) { member = member.value_or(value); };
  EffectiveRlConfig filled{config, weights::kRlAdapterTraining};
  fill(filled.learning_rate, kRlLearningRate);
  filled.loss_fn = ppo ? "ppo" : "cispo";
  filled.ppo = ppo;
  filled.epsilon = epsilon;
  fill(filled.epsilon_high, ppo ? epsilon : 4.0);
  fill(filled.importance_sampling_level, "token");
  filled.scale_rewards = filled.normalize_advantages = scaled;
  fill(filled.advantage_balance, 0.0);
  fill(filled.mask_prob_ratio, false);
  filled.kl_penalty_coef = coefficient;
  fill(filled.kl_penalty_source, coefficient > 0 ? "sample" : "current_learner");
  fill(filled.precalculate_logprobs, false);
  fill(filled.allow_training_without_logprobs, false);
  fill(filled.logprob_calculation_chunk_size, kChunk);
  fill(filled.num_trajectories_learning_rate_multiplier_power, 0.0);
  fill(filled.scale_learning_rate_by_reward_std_dev, false);
  fill(filled.plot_tensors, false);
  return codec.toJson(filled);
}

std::string effectiveConfig(const SftConfig& config) {
  static const Codec<EffectiveSftConfig> codec = [] {
    Record<EffectiveSftConfig> record = sftRecord<EffectiveSftConfig>();
    record.required("experimental_config", &EffectiveSftConfig::experimental_config,
                    schema::jsonObject());
    addOptimizer(record);
    return record.codec();
  }();
  EffectiveSftConfig filled{config, weights::AdapterTraining(), {config.experimental}};
  const bool has_batch = config.batch_size && config.batch_size->index() == 0;
  if (!has_batch) filled.batch_size = kSftBatch;
  if (!filled.learning_rate) filled.learning_rate = kSftLearningRate;
  if (!filled.metric_logging) filled.metric_logging.emplace();
  filled.metric_logging->enabled = filled.metric_logging->enabled.value_or(false);
  return codec.toJson(filled);
}

MetricLogging metricLoggingOf(std::string effective_config) {
  static const Codec<SftConfig> codec =
      Record<SftConfig>("MetricLogging")
          .optional(kMetricLogging, &SftConfig::metric_logging, nullable(metricLoggingCodec()), "")
          .codec();
  const MetricLoggingConfig logging =
      readPart(codec, std::move(effective_config)).metric_logging.value_or(MetricLoggingConfig());
  return {logging.enabled.value_or(false), logging.target_training_step};
}

KlReference klReferenceOf(std::string effective_config) {
  static const Codec<KlReference> codec =
      Record<KlReference>("KlReference")
          .optional(kReferenceStep, &KlReference::step, nullable(integer()), "")
          .optional(kReferenceLag, &KlReference::lag, nullable(integer()), "")
          .optional(kReferenceVersion, &KlReference::version, nullable(integer()), "")
          .optional(kReferenceTeam, &KlReference::team_id, string(), "")
          .codec();
  return readPart(codec, std::move(effective_config));
}

}  // namespace spindle::training
