#include "weights/adapters/adapter_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <re2/re2.h>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "weights/formats/file_name.h"
#include "weights/formats/json_file.h"

namespace spindle::weights {
namespace {

constexpr std::size_t kLargestFile = 1UL << 20;
constexpr std::size_t kMostPatterns = 256;
constexpr std::size_t kLongestPattern = 1024;
constexpr std::size_t kMostTargets = 4096;
constexpr std::string_view kAllLinear = "all-linear";

/// Options that change the meaning of the matrices. Null, false or an empty value means off.
constexpr std::array<std::string_view, 9> kRefused = {
    "use_dora",   "modules_to_save",   "fan_in_fan_out",
    "lora_bias",  "layer_replication", "megatron_config",
    "use_qalora", "loftq_config",      "trainable_token_indices"};

/// The members of an `adapter_config.json`, in the order of the file.
struct PeftConfig {
  std::string peft_type = "LORA";
  std::string task_type = "CAUSAL_LM";
  std::string base_model;
  std::int64_t rank = 0;
  double alpha = 0;
  double dropout = 0;
  std::string bias = "none";
  std::vector<std::string> target_modules;
  bool use_rslora = false;
  bool use_dora = false;
  bool fan_in_fan_out = false;
  json::Text modules_to_save;  ///< null
  bool inference_mode = true;
};

bool isOff(const json::Node& value) {
  if (value.isBool()) return !value.boolean();
  return value.isNull() || ((value.isArray() || value.isObject()) && value.size() == 0);
}

/// Returns the compiled pattern; null if it is invalid or too long.
std::shared_ptr<const RE2> compiled(const std::string& pattern) {
  if (pattern.size() > kLongestPattern) return nullptr;
  auto expression = std::make_shared<const RE2>(pattern, RE2::Quiet);
  return expression->ok() ? expression : nullptr;
}

bool isRank(double value) {
  return value >= 1 && value <= static_cast<double>(kLargestLoraRank) && std::floor(value) == value;
}

/// Returns a pattern that matches at the end of a module name, like PEFT matches the keys of
/// rank_pattern and alpha_pattern.
std::string atEnd(const std::string& pattern) { return "(?:.*\\.)?(?:" + pattern + ")"; }

bool matches(const std::string& text, const RE2& pattern) { return RE2::FullMatch(text, pattern); }

}  // namespace

class AdapterConfig::Reader {
 public:
  explicit Reader(const json::Node& root) : root_(root) {}

  Result<AdapterConfig> read() {
    if (!root_.isObject()) {
      fail("it is no JSON object");
    } else {
      refuse();
      AdapterConfig& config = config_;
      const std::optional<double> rank = positive("r");
      if (rank && !isRank(*rank)) fail("r must be a whole number up to 4096");
      config.rank_ = rank && isRank(*rank) ? static_cast<std::uint64_t>(*rank) : 0;
      config.alpha_ = positive("lora_alpha").value_or(0);
      if (const auto root = member("use_rslora")) config.by_root_ = root->boolean();
      readTargets();
      config.ranks_ = patterns("rank_pattern");
      for (const auto& [pattern, value] : config.ranks_) {
        if (!isRank(value)) fail("the values of rank_pattern must be whole numbers up to 4096");
      }
      config.alphas_ = patterns("alpha_pattern");
      if (const auto base = member("base_model_name_or_path"); base && base->isString())
        config.base_model_ = base->text();
    }
    if (problem_.empty()) return std::move(config_);
    return Error::invalidArgument("adapter_config.json: " + problem_ + ".");
  }

 private:
  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  std::optional<json::Node> member(std::string_view name) const {
    const std::optional<json::Node> found = root_.find(name);
    return found && !found->isNull() ? found : std::nullopt;
  }

  void refuse() {
    requireWord("peft_type", "LORA");
    requireWord("bias", "none");
    requireWord("task_type", "CAUSAL_LM");
    for (const std::string_view name : kRefused) {
      const std::optional<json::Node> value = member(name);
      if (value && !isOff(*value)) fail(std::string(name) + " is not supported");
    }
    // These initializations also change the base model's weights, so the adapter alone is not
    // enough.
    const std::optional<json::Node> start = member("init_lora_weights");
    if (!start || !start->isString()) return;
    const std::string word = start->text();
    for (const std::string_view bad : {"pissa", "olora", "corda", "loftq"}) {
      if (word.starts_with(bad))
        fail("init_lora_weights '" + printableName(word) + "' is not supported");
    }
  }

  /// Fails if the member exists with another value than `word`.
  void requireWord(std::string_view name, std::string_view word) {
    const std::optional<json::Node> value = member(name);
    if (!value || (value->isString() && value->textEquals(word))) return;
    fail(std::string(name) + " must be '" + std::string(word) + "'");
  }

  std::optional<double> positive(std::string_view name) {
    const std::optional<json::Node> value = member(name);
    if (!value) {
      fail(std::string(name) + " is missing");
      return std::nullopt;
    }
    if (value->isNumber() && std::isfinite(value->number()) && value->number() > 0)
      return value->number();
    fail(std::string(name) + " must be a positive number");
    return std::nullopt;
  }

  void readTargets() {
    const std::optional<json::Node> targets = member("target_modules");
    if (!targets) return fail("target_modules is missing");
    if (targets->isString()) {
      if (targets->textEquals(kAllLinear)) return;
      config_.target_pattern_ = compiled(targets->text());
      if (!config_.target_pattern_) fail("target_modules is a pattern that cannot be read");
      return;
    }
    if (!targets->isArray() || targets->size() == 0)
      return fail("target_modules must be a list of names, or a pattern");
    if (targets->size() > kMostTargets) return fail("target_modules has more than 4096 names");
    for (const json::Node name : *targets) {
      if (!name.isString()) return fail("target_modules must be a list of names, or a pattern");
      config_.target_names_.push_back(name.text());
    }
  }

  Patterns patterns(std::string_view name) {
    Patterns all;
    const std::optional<json::Node> value = member(name);
    if (!value) return all;
    if (!value->isObject()) {
      fail(std::string(name) + " must be an object");
      return all;
    }
    if (value->size() > kMostPatterns) {
      fail(std::string(name) + " has more than 256 patterns");
      return all;
    }
    std::optional<std::string> key;
    for (const json::Node node : *value) {
      if (!key) {
        key = node.text();
        continue;
      }
      if (!node.isNumber() || !(node.number() > 0) || !std::isfinite(node.number()))
        fail(std::string(name) + ": the value of '" + printableName(*key) +
             "' must be a positive number");
      std::shared_ptr<const RE2> pattern = compiled(atEnd(*key));
      if (!pattern)
        fail(std::string(name) + ": '" + printableName(*key) +
             "' is a pattern that cannot be read");
      else if (node.isNumber())
        all.emplace_back(std::move(pattern), node.number());
      key.reset();
    }
    return all;
  }

  const json::Node root_;
  AdapterConfig config_;
  std::string problem_;
};

Result<AdapterConfig> AdapterConfig::read(const std::string& folder) {
  const json::Document document = TRY(readJsonFile(folder + "/adapter_config.json", kLargestFile));
  return Reader(document.root()).read();
}

bool AdapterConfig::targets(const std::string& module) const {
  if (target_names_.empty()) return target_pattern_ == nullptr || matches(module, *target_pattern_);
  return std::any_of(target_names_.begin(), target_names_.end(),
                     [&module](const std::string& name) {
                       return module == name || module.ends_with("." + name);
                     });
}

double AdapterConfig::valueFor(const Patterns& patterns,
                               const std::string& module,
                               double otherwise) {
  for (const auto& [pattern, value] : patterns) {
    if (matches(module, *pattern)) return value;
  }
  return otherwise;
}

std::uint64_t AdapterConfig::rankOf(const std::string& module) const {
  return static_cast<std::uint64_t>(valueFor(ranks_, module, static_cast<double>(rank_)));
}

double AdapterConfig::scaleOf(const std::string& module) const {
  const auto rank = static_cast<double>(rankOf(module));
  return valueFor(alphas_, module, alpha_) / (by_root_ ? std::sqrt(rank) : rank);
}

std::string adapterConfigText(const std::string& base_model,
                              std::uint64_t rank,
                              double alpha,
                              const std::vector<std::string>& target_modules) {
  using schema::boolean, schema::number, schema::string;
  using C = PeftConfig;
  static const schema::Codec<C> codec =
      schema::Record<C>("PeftConfig")
          .required("peft_type", &C::peft_type, string())
          .required("task_type", &C::task_type, string())
          .required("base_model_name_or_path", &C::base_model, string())
          .required("r", &C::rank, schema::integer())
          .required("lora_alpha", &C::alpha, number())
          .required("lora_dropout", &C::dropout, number())
          .required("bias", &C::bias, string())
          .required("target_modules", &C::target_modules, schema::list(string()))
          .required("use_rslora", &C::use_rslora, boolean())
          .required("use_dora", &C::use_dora, boolean())
          .required("fan_in_fan_out", &C::fan_in_fan_out, boolean())
          .required("modules_to_save", &C::modules_to_save, schema::anyJson())
          .required("inference_mode", &C::inference_mode, boolean())
          .codec();
  PeftConfig config;
  config.base_model = base_model;
  config.rank = static_cast<std::int64_t>(rank);
  config.alpha = alpha;
  config.target_modules = target_modules;
  return codec.toJson(config);
}

}  // namespace spindle::weights
