#include "trainer/model/gguf_weights.h"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "weights/formats/gguf_file.h"
#include "weights/formats/number_format.h"
#include "weights/huggingface/module_names.h"

namespace spindle::trainer {
namespace {

using weights::Family, weights::GgufFile, weights::StoredTensor;

/// Returns the GGUF name of a Hugging Face tensor.
std::string ggufNameOf(const std::string& name) {
  if (name == "model.embed_tokens.weight") return "token_embd.weight";
  if (name == "model.norm.weight") return "output_norm.weight";
  if (name == "lm_head.weight") return "output.weight";
  constexpr std::string_view kLayers = "model.layers.";
  if (!name.starts_with(kLayers)) return {};
  const std::size_t dot = name.find('.', kLayers.size());
  const std::size_t kind = name.rfind('.');
  if (dot == std::string::npos || kind <= dot) return {};
  const std::string layer = "blk." + name.substr(kLayers.size(), dot - kLayers.size()) + ".";
  const std::string module = name.substr(dot + 1, kind - dot - 1);
  const std::string ending = name.substr(kind);
  static const std::map<std::string, std::string> norms = {
      {"input_layernorm", "attn_norm"},
      {"post_attention_layernorm", "ffn_norm"},
      {"self_attn.q_norm", "attn_q_norm"},
      {"self_attn.k_norm", "attn_k_norm"},
  };
  if (const auto norm = norms.find(module); norm != norms.end())
    return layer + norm->second + ending;
  const std::optional<std::string_view> matrix = weights::ggufModuleOf(module);
  return matrix ? layer + std::string(*matrix) + ending : std::string();
}

/// Reads the model's metadata and collects the names of missing values.
class ShapeReader {
 public:
  explicit ShapeReader(const GgufFile& file)
      : file_(file), architecture_(file.text("general.architecture").value_or("")) {}

  Result<ModelShape> read() {
    const std::optional<Family> family = weights::familyNamed(architecture_);
    if (!family) {
      return Error::invalidArgument("The model has the architecture '" + architecture_ +
                                    "'; llama, qwen2 and qwen3 can be trained.");
    }
    if (file_.integer(key("expert_count")).value_or(0) > 0)
      return Error::invalidArgument("Mixture-of-experts models cannot be trained here.");
    ModelShape shape;
    shape.family = *family;
    shape.width = size("embedding_length");
    shape.inner_width = size("feed_forward_length");
    shape.layers = size("block_count");
    shape.heads = size("attention.head_count");
    shape.kv_heads = size("attention.head_count_kv", shape.heads);
    shape.head_width =
        size("attention.key_length", shape.heads == 0 ? 0 : shape.width / shape.heads);
    shape.context = size("context_length");
    shape.norm_epsilon = file_.number(key("attention.layer_norm_rms_epsilon")).value_or(0);
    shape.rope_base = file_.number(key("rope.freq_base")).value_or(10000);
    const StoredTensor* embedding = file_.find("token_embd.weight");
    if (embedding == nullptr || embedding->info.shape.size() != 2) {
      missing_ += " token_embd.weight";
    } else {
      shape.vocabulary = embedding->info.shape[0];
    }
    shape.tied = file_.find("output.weight") == nullptr;
    if (!missing_.empty()) return Error::invalidArgument("The model's file lacks" + missing_ + ".");
    if (size("rope.dimension_count", shape.head_width) != shape.head_width)
      return Error::invalidArgument(
          "Models with partial rotary embeddings cannot be trained here.");
    TRY(readScaling(shape));
    return shape;
  }

 private:
  std::string key(std::string_view name) const { return architecture_ + "." + std::string(name); }

  std::uint64_t size(std::string_view name, std::uint64_t otherwise = 0) {
    const std::int64_t value =
        file_.integer(key(name)).value_or(static_cast<std::int64_t>(otherwise));
    if (value > 0) return static_cast<std::uint64_t>(value);
    missing_ += " " + std::string(name);
    return 0;
  }

  Result<void> readScaling(ModelShape& shape) const {
    const std::string_view type = file_.text(key("rope.scaling.type")).value_or("none");
    if (type == "none" || type.empty()) return {};
    weights::RopeScaling scaling;
    if (type == "yarn") {
      scaling.kind = weights::RopeScaling::Kind::kYarn;
    } else if (type != "linear") {
      return Error::invalidArgument("The model has the RoPE scaling type '" + std::string(type) +
                                    "', which cannot be trained here.");
    }
    scaling.factor = file_.number(key("rope.scaling.factor")).value_or(1);
    scaling.original_context = file_.number(key("rope.scaling.original_context_length"))
                                   .value_or(static_cast<double>(shape.context));
    shape.rope_scaling = scaling;
    return {};
  }

  const GgufFile& file_;
  const std::string architecture_;
  std::string missing_;
};

class GgufWeights final : public WeightSource {
 public:
  GgufWeights(GgufFile file, ModelShape shape, Dequantise dequantise)
      : file_(std::move(file)), shape_(std::move(shape)), dequantise_(std::move(dequantise)) {}

  const ModelShape& shape() const override { return shape_; }
  bool has(const std::string& name) const override { return find(name) != nullptr; }

  Result<std::vector<float>> read(const std::string& name) const override {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr)
      return Error::invalidArgument("The model's file has no tensor for " + name + ".");
    const std::uint64_t count = weights::elementsOf(tensor->info.shape).value_or(0);
    std::vector<float> numbers = TRY(dequantise_(tensor->info.type, tensor->data, count));
    const bool permuted =
        shape_.family == Family::kLlama &&
        (name.find(".q_proj.") != std::string::npos || name.find(".k_proj.") != std::string::npos);
    if (!permuted) return numbers;
    const std::uint64_t rows = tensor->info.shape.empty() ? 0 : tensor->info.shape.front();
    if (rows == 0 || rows % shape_.head_width != 0) {
      return Error::invalidArgument("The model's tensor " + name + " has " + std::to_string(rows) +
                                    " rows, which are not whole heads of " +
                                    std::to_string(shape_.head_width) + ".");
    }
    return unpermuted(numbers, rows);
  }

  std::vector<float> ropeDivisors() const override {
    const StoredTensor* tensor = file_.find("rope_freqs.weight");
    if (tensor == nullptr || !weights::isPlainFloat(tensor->info.type)) return {};
    return weights::floatsOf(tensor->info.type, tensor->data);
  }

 private:
  const StoredTensor* find(const std::string& name) const {
    const std::string place = ggufNameOf(name);
    return place.empty() ? nullptr : file_.find(place);
  }

  std::vector<float> unpermuted(const std::vector<float>& numbers, std::uint64_t rows) const {
    const weights::RowOrder order = weights::permutedRows(shape_.head_width);
    const std::uint64_t columns = numbers.size() / rows;
    std::vector<float> straight(numbers.size());
    for (std::uint64_t row = 0; row < rows; ++row) {
      const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(row * columns);
      std::copy(from, from + static_cast<std::ptrdiff_t>(columns),
                straight.begin() + static_cast<std::ptrdiff_t>(order(row) * columns));
    }
    return straight;
  }

  const GgufFile file_;
  const ModelShape shape_;
  const Dequantise dequantise_;
};

}  // namespace

Result<std::vector<float>> plainNumbers(weights::TensorType type,
                                        std::string_view bytes,
                                        std::uint64_t /*count*/) {
  if (!weights::isPlainFloat(type))
    return Error::invalidArgument("The model is quantized, which cannot be read here.");
  return weights::floatsOf(type, bytes);
}

Result<std::unique_ptr<WeightSource>> openGgufWeights(const std::string& path,
                                                      Dequantise dequantise) {
  GgufFile file = TRY(GgufFile::open(path));
  ModelShape shape = TRY(ShapeReader(file).read());
  return std::unique_ptr<WeightSource>(
      std::make_unique<GgufWeights>(std::move(file), std::move(shape), std::move(dequantise)));
}

}  // namespace spindle::trainer
