#include "weights/huggingface/hf_config.h"

#include <cmath>
#include <filesystem>
#include <string_view>

#include "weights/formats/json_file.h"

namespace spindle::weights {
namespace {

constexpr double kUsualRopeBase = 10000;
constexpr std::uint64_t kLargest = 1UL << 32;

/// Reads members and collects the names of missing ones, so that one error message lists them all.
class Reader {
 public:
  explicit Reader(const json::Node& root) : root_(root) {}

  std::optional<json::Node> member(std::string_view name) const {
    const std::optional<json::Node> found = root_.find(name);
    return found && !found->isNull() ? found : std::nullopt;
  }

  std::optional<double> number(std::string_view name) const {
    const std::optional<json::Node> found = member(name);
    return found && found->isNumber() ? std::optional<double>(found->number()) : std::nullopt;
  }

  std::uint64_t size(std::string_view name, std::optional<std::uint64_t> otherwise = {}) {
    const std::optional<double> value = number(name);
    const double largest = static_cast<double>(kLargest);
    if (value && *value >= 1 && *value <= largest && std::floor(*value) == *value)
      return static_cast<std::uint64_t>(*value);
    if (!value && otherwise) return *otherwise;
    missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
    return 0;
  }

  double real(std::string_view name, std::optional<double> otherwise = {}) {
    const std::optional<double> value = number(name);
    if (value && std::isfinite(*value) && *value > 0) return *value;
    if (!value && otherwise) return *otherwise;
    missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
    return 0;
  }

  bool isTrue(std::string_view name) const {
    const std::optional<json::Node> found = member(name);
    return found && found->kind() == json::Kind::kTrue;
  }

  std::string text(std::string_view name) const {
    const std::optional<json::Node> found = member(name);
    return found && found->isString() ? found->text() : std::string();
  }

  /// Returns token ids from a number or an array of numbers; -1 for an invalid one.
  std::vector<std::int64_t> tokens(std::string_view name) const {
    std::vector<std::int64_t> tokens;
    const std::optional<json::Node> found = member(name);
    if (!found) return tokens;
    if (found->kind() == json::Kind::kInteger) tokens.push_back(found->integer().value_or(-1));
    if (found->isArray()) {
      for (const json::Node item : *found)
        tokens.push_back(item.kind() == json::Kind::kInteger ? item.integer().value_or(-1) : -1);
    }
    return tokens;
  }

  const std::string& missing() const { return missing_; }

 private:
  json::Node root_;
  std::string missing_;
};

Error unsupportedConfig(const std::string& what) {
  return Error::invalidArgument("config.json: " + what + " is not supported.");
}

Result<std::optional<RopeScaling>> scalingOf(const Reader& config) {
  std::optional<json::Node> node = config.member("rope_scaling");
  if (!node) node = config.member("rope_parameters");
  if (!node || !node->isObject()) return std::optional<RopeScaling>();
  Reader reader(*node);
  std::string kind = reader.text("rope_type");
  if (kind.empty()) kind = reader.text("type");
  if (kind.empty() || kind == "default") return std::optional<RopeScaling>();
  RopeScaling scaling;
  scaling.factor = reader.real("factor");
  scaling.original_context =
      reader.real("original_max_position_embeddings", config.number("max_position_embeddings"));
  if (kind == "llama3") {
    scaling.kind = RopeScaling::Kind::kLlama3;
    scaling.low = reader.real("low_freq_factor");
    scaling.high = reader.real("high_freq_factor");
  } else if (kind == "yarn") {
    scaling.kind = RopeScaling::Kind::kYarn;
  } else if (kind != "linear") {
    return unsupportedConfig("rope_scaling " + kind);
  }
  if (!reader.missing().empty())
    return Error::invalidArgument("config.json: rope_scaling lacks " + reader.missing() + ".");
  return std::optional<RopeScaling>(scaling);
}

double ropeBaseOf(Reader& config) {
  // Newer files store rope_theta in rope_parameters.
  if (const std::optional<json::Node> node = config.member("rope_parameters");
      node && node->isObject()) {
    if (const std::optional<double> base = Reader(*node).number("rope_theta")) return *base;
  }
  return config.real("rope_theta", kUsualRopeBase);
}

}  // namespace

Result<HfConfig> readHfConfig(const std::string& folder) {
  const std::filesystem::path root(folder);
  const json::Document document = TRY(readJsonFile(root / "config.json"));
  if (!document.root().isObject()) return Error::invalidArgument("config.json is no JSON object.");
  Reader reader(document.root());
  const std::string type = reader.text("model_type");
  const std::optional<Family> family = familyNamed(type);
  if (!family) {
    return Error::invalidArgument("config.json: model_type '" + type +
                                  "' is not supported; llama, qwen2 and qwen3 are.");
  }
  HfConfig config;
  config.family = *family;
  config.vocabulary = reader.size("vocab_size");
  config.width = reader.size("hidden_size");
  config.inner_width = reader.size("intermediate_size");
  config.layers = reader.size("num_hidden_layers");
  config.heads = reader.size("num_attention_heads");
  config.kv_heads = reader.size("num_key_value_heads", config.heads);
  config.head_width = reader.size("head_dim", config.heads > 0 ? config.width / config.heads : 0);
  config.context = reader.size("max_position_embeddings");
  config.norm_epsilon = reader.real("rms_norm_eps");
  config.rope_base = ropeBaseOf(reader);
  config.tied = reader.isTrue("tie_word_embeddings");
  if (!reader.missing().empty())
    return Error::invalidArgument("config.json lacks, or has unusable, " + reader.missing() + ".");
  if (config.head_width == 0 || config.head_width % 2 != 0 || config.heads % config.kv_heads != 0)
    return Error::invalidArgument(
        "config.json: head_dim, num_attention_heads and num_key_value_heads do not match.");
  if (reader.isTrue("use_sliding_window")) return unsupportedConfig("use_sliding_window");
  if (reader.isTrue("mlp_bias")) return unsupportedConfig("mlp_bias");
  const std::string activation = reader.text("hidden_act");
  if (!activation.empty() && activation != "silu")
    return unsupportedConfig("hidden_act " + activation);

  std::optional<RopeScaling> scaling = TRY(scalingOf(reader));
  config.rope_scaling = scaling;
  config.end_tokens = reader.tokens("eos_token_id");
  const std::vector<std::int64_t> begin = reader.tokens("bos_token_id");
  if (!begin.empty()) config.begin_token = begin.front();
  const std::string generation = root / "generation_config.json";
  if (std::filesystem::exists(generation)) {
    const json::Document more = TRY(readJsonFile(generation));
    if (more.root().isObject()) {
      const std::vector<std::int64_t> ends = Reader(more.root()).tokens("eos_token_id");
      if (!ends.empty()) config.end_tokens = ends;
    }
  }
  return config;
}

}  // namespace spindle::weights
