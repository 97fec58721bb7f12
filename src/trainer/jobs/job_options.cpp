#include "trainer/jobs/job_options.h"

#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

#include "json/document.h"

namespace spindle::trainer {
namespace {

/// A safe bound for float32.
constexpr double kMost = 1e30;

/// Reads members of a configuration and keeps the first error.
class OptionsReader {
 public:
  explicit OptionsReader(const json::Node& root) : root_(root) {
    if (!root.isObject()) problem_ = "the configuration is not a JSON object";
  }

  std::optional<json::Node> member(std::string_view name) {
    known_.insert(name);
    if (!root_.isObject()) return std::nullopt;
    const std::optional<json::Node> found = root_.find(name);
    return found && !found->isNull() ? found : std::nullopt;
  }

  bool number(std::string_view name, double& place, double least, double most = kMost) {
    const std::optional<json::Node> found = member(name);
    if (!found) return false;
    const double value = found->isNumber() ? found->number() : std::nan("");
    if (!(value >= least && value <= most)) {
      fail(std::string(name) + " is out of range");
      return false;
    }
    place = value;
    return true;
  }

  void number(std::string_view name, std::optional<double>& place, double least) {
    double value = 0;
    if (number(name, value, least)) place = value;
  }

  template <class Integer>
  bool whole(std::string_view name, Integer& place, std::uint64_t least) {
    double value = 0;
    if (!number(name, value, static_cast<double>(least), 1e15)) return false;
    if (std::floor(value) != value) fail(std::string(name) + " is not a whole number");
    place = static_cast<Integer>(value);
    return true;
  }

  void flag(std::string_view name, bool& place) {
    const std::optional<json::Node> found = member(name);
    if (!found) return;
    if (!found->isBool()) fail(std::string(name) + " is neither true nor false");
    place = found->boolean();
  }

  std::string word(std::string_view name) {
    const std::optional<json::Node> found = member(name);
    if (!found) return {};
    if (!found->isString()) fail(std::string(name) + " is not a string");
    return found->isString() ? found->text() : std::string();
  }

  /// Accepts fields that configurations have but trainers ignore.
  void ignoreFields(std::initializer_list<std::string_view> names) { known_.insert(names); }

  /// Rejects all fields that were not read. Call last.
  void rejectUnknown() {
    if (!root_.isObject()) return;
    std::string unknown;
    bool is_name = true;
    for (const json::Node node : root_) {
      if (is_name && !known_.contains(node.text()))
        unknown += (unknown.empty() ? "" : ", ") + node.text();
      is_name = !is_name;
    }
    if (!unknown.empty()) fail("unknown fields: " + unknown);
  }

  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }
  const std::string& problem() const { return problem_; }

  void learner(LearnerOptions& options) {
    whole("lora_rank", options.lora_rank, 1);
    number("lora_alpha", options.lora_alpha, 0);
    number("weight_decay", options.weight_decay, 0);
    number("max_grad_norm", options.max_grad_norm, 0);
    number("beta1", options.beta1, 0, 1);
    number("beta2", options.beta2, 0, 1);
    number("adam_epsilon", options.adam_epsilon, 0);
    whole("seed", options.seed, 0);
  }

 private:
  json::Node root_;
  std::set<std::string_view> known_;  ///< names are literals
  std::string problem_;
};

void readRates(OptionsReader& reader, SftOptions& options) {
  const std::optional<json::Node> rate = reader.member("learning_rate");
  if (!rate) return;
  options.rate_per_batch = rate->isArray();
  options.learning_rates.clear();
  const auto add = [&](const json::Node& node) {
    const double value = node.isNumber() ? node.number() : std::nan("");
    if (!(value >= 0 && value <= kMost)) reader.fail("learning_rate is out of range");
    options.learning_rates.push_back(value);
  };
  if (!rate->isArray()) return add(*rate);
  for (const json::Node item : *rate) add(item);
}

void readLoss(OptionsReader& reader, PolicyLossOptions& loss) {
  bool ppo = false;
  reader.flag("ppo", ppo);
  const std::string name = reader.word("loss_fn");
  if (!name.empty() && name != "ppo" && name != "cispo") reader.fail("loss_fn is unknown");
  loss.loss = (name.empty() ? ppo : name == "ppo") ? PolicyLoss::kPpo : PolicyLoss::kCispo;
  loss.epsilon = loss.loss == PolicyLoss::kPpo ? 0.2 : 1;
  reader.number("epsilon", loss.epsilon, 0);
  loss.epsilon_high = loss.loss == PolicyLoss::kPpo ? loss.epsilon : 4;
  reader.number("epsilon_high", loss.epsilon_high, 0);
  const std::string level = reader.word("importance_sampling_level");
  if (level == "sequence") {
    loss.level = RatioLevel::kSequence;
  } else if (level == "average") {
    loss.level = RatioLevel::kAverage;
  } else if (level == "geometric_average") {
    loss.level = RatioLevel::kGeometricAverage;
  } else if (!level.empty() && level != "token") {
    reader.fail("importance_sampling_level is unknown");
  }
  reader.number("max_negative_advantage_importance_sampling_weight", loss.ratio_cap, 0);
  reader.flag("mask_prob_ratio", loss.mask_outside);
  reader.number("kimi_k2_tau", loss.tau, -1e30);
  reader.number("truncated_importance_sampling", loss.truncation, 0);
}

void readKl(OptionsReader& reader, RlOptions& options) {
  reader.number("kl_penalty_coef", options.kl_coefficient, 0);
  const std::string source = reader.word("kl_penalty_source");
  if (!source.empty() && source != "sample" && source != "current_learner")
    reader.fail("kl_penalty_source is unknown");
  const bool sample = source.empty() ? options.kl_coefficient > 0 : source == "sample";
  options.kl_source = sample ? KlSource::kSample : KlSource::kLearner;
}

template <class Options, class Read>
Result<Options> optionsOf(const std::string& json, UnknownFields others, const Read& read) {
  const std::variant<json::Document, json::SyntaxError> parsed = json::Document::parse(json);
  if (std::holds_alternative<json::SyntaxError>(parsed))
    return Error::invalidArgument("The job's configuration is not JSON.");
  OptionsReader reader(std::get<json::Document>(parsed).root());
  Options options;
  read(reader, options);
  if (others == UnknownFields::kRefused) reader.rejectUnknown();
  if (!reader.problem().empty())
    return Error::invalidArgument("The job's configuration cannot be used: " + reader.problem() +
                                  ".");
  return options;
}

}  // namespace

Result<SftOptions> sftOptionsOf(const std::string& json, UnknownFields others) {
  return optionsOf<SftOptions>(json, others, [](OptionsReader& reader, SftOptions& options) {
    reader.learner(options.learner);
    const std::optional<json::Node> batch = reader.member("batch_size");
    if (batch && !batch->isString()) reader.whole("batch_size", options.batch_size, 1);
    readRates(reader, options);
    const std::string turns = reader.word("assistant_turns");
    if (!turns.empty() && turns != "all" && turns != "last")
      reader.fail("assistant_turns is neither all nor last");
    options.assistant_turns = turns == "last" ? AssistantTurns::kLast : AssistantTurns::kAll;
    reader.ignoreFields({"metric_logging", "experimental_config"});
  });
}

Result<RlOptions> rlOptionsOf(const std::string& json, UnknownFields others) {
  return optionsOf<RlOptions>(json, others, [](OptionsReader& reader, RlOptions& options) {
    reader.learner(options.learner);
    reader.number("learning_rate", options.learning_rate, 0);
    readLoss(reader, options.loss);
    readKl(reader, options);
    bool normalised = true;
    reader.flag("scale_rewards", options.scale_rewards);
    reader.flag("normalize_advantages", normalised);
    options.scale_rewards = options.scale_rewards && normalised;
    reader.number("advantage_balance", options.advantage_balance, -1, 1);
    reader.flag("precalculate_logprobs", options.precalculate_logprobs);
    reader.flag("allow_training_without_logprobs", options.allow_training_without_logprobs);
    std::uint64_t length = 0;
    if (reader.whole("packed_sequence_length", length, 2)) options.packed_sequence_length = length;
    reader.whole("logprob_calculation_chunk_size", options.chunk, 1);
    reader.number("num_trajectories_learning_rate_multiplier_power", options.trajectories_power,
                  -100, 100);
    reader.flag("scale_learning_rate_by_reward_std_dev", options.scale_by_reward_spread);
    reader.ignoreFields({"kl_penalty_reference_step", "kl_penalty_step_lag", "kl_ref_adapter_path",
                         "plot_tensors"});
  });
}

}  // namespace spindle::trainer
