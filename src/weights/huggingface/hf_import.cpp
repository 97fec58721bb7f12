#include "weights/huggingface/hf_import.h"

#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors.h"
#include "weights/huggingface/hf_config.h"
#include "weights/huggingface/hf_tokenizer.h"
#include "weights/huggingface/module_names.h"

namespace spindle::weights {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::uint64_t kPieceBytes = 1UL << 20;

/// Returns general.file_type: the type of most tensors in the GGUF file.
std::uint32_t fileTypeOf(TensorType type) {
  switch (type) {
    case TensorType::kF16:
      return 1;
    case TensorType::kQ8_0:
      return 7;
    case TensorType::kBf16:
      return 32;
    default:
      return 0;
  }
}

/// Returns the divisor of each RoPE frequency (Llama 3 scaling).
std::vector<float> frequencyDivisors(const HfConfig& config, const RopeScaling& scaling) {
  std::vector<float> divisors;
  for (std::uint64_t i = 0; i < config.head_width / 2; ++i) {
    const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(config.head_width);
    const double wave = 2 * kPi * std::pow(config.rope_base, exponent);
    double divisor = 1;
    if (wave > scaling.original_context / scaling.low) {
      divisor = scaling.factor;
    } else if (wave >= scaling.original_context / scaling.high) {
      const double share =
          (scaling.original_context / wave - scaling.low) / (scaling.high - scaling.low);
      divisor = 1 / ((1 - share) / scaling.factor + share);
    }
    divisors.push_back(static_cast<float>(divisor));
  }
  return divisors;
}

class Import {
 public:
  Import(const HfImport& import, const HfConfig& config, const SafeTensors& tensors)
      : import_(import), config_(config), tensors_(tensors) {
    for (const StoredTensor& tensor : tensors_.tensors()) total_ += tensor.data.size();
  }

  Result<HfImportResult> write(const HfTokenizer& tokenizer) {
    addModel();
    addTokenizer(tokenizer);
    if (!import_.without_tensors) addTensors();
    for (const StoredTensor& tensor : tensors_.tensors()) {
      const std::string& name = tensor.info.name;
      if (!import_.without_tensors && used_.count(name) == 0 &&
          !name.ends_with("rotary_emb.inv_freq"))
        fail("the tensor " + name + " has no place in a GGUF file of this family");
    }
    if (!problem_.empty())
      return Error::invalidArgument("The folder cannot be imported: " + problem_ + ".");
    TRY(writer_.writeTo(import_.file));
    return imported_;
  }

 private:
  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  std::string key(std::string_view name) const {
    return std::string(nameOf(config_.family)).append(".").append(name);
  }

  void addSize(std::string_view name, std::uint64_t value) {
    writer_.addU32(key(name), static_cast<std::uint32_t>(value));
  }

  void addModel() {
    writer_.addText("general.architecture", nameOf(config_.family));
    writer_.addText("general.name", import_.name);
    writer_.addU32("general.file_type", fileTypeOf(import_.type.value_or(usualType())));
    const std::pair<std::string_view, std::uint64_t> sizes[] = {
        {"vocab_size", config_.vocabulary},
        {"block_count", config_.layers},
        {"context_length", config_.context},
        {"embedding_length", config_.width},
        {"feed_forward_length", config_.inner_width},
        {"attention.head_count", config_.heads},
        {"attention.head_count_kv", config_.kv_heads},
        {"attention.key_length", config_.head_width},
        {"attention.value_length", config_.head_width},
        {"rope.dimension_count", config_.head_width}};
    for (const auto& [name, value] : sizes) addSize(name, value);
    writer_.addF32(key("attention.layer_norm_rms_epsilon"),
                   static_cast<float>(config_.norm_epsilon));
    writer_.addF32(key("rope.freq_base"), static_cast<float>(config_.rope_base));
    if (!config_.rope_scaling || config_.rope_scaling->kind == RopeScaling::Kind::kLlama3) return;
    const bool yarn = config_.rope_scaling->kind == RopeScaling::Kind::kYarn;
    writer_.addText(key("rope.scaling.type"), yarn ? "yarn" : "linear");
    writer_.addF32(key("rope.scaling.factor"), static_cast<float>(config_.rope_scaling->factor));
    if (yarn)
      addSize("rope.scaling.original_context_length",
              static_cast<std::uint64_t>(config_.rope_scaling->original_context));
  }

  void addTokenizer(const HfTokenizer& tokenizer) {
    writer_.addText("tokenizer.ggml.model", "gpt2");
    writer_.addText("tokenizer.ggml.pre", tokenizer.pre_tokenizer);
    writer_.addTexts("tokenizer.ggml.tokens", tokenizer.tokens);
    std::vector<std::int32_t> types;
    for (const HfTokenizer::Type type : tokenizer.types)
      types.push_back(static_cast<std::int32_t>(type));
    writer_.addI32s("tokenizer.ggml.token_type", types);
    writer_.addTexts("tokenizer.ggml.merges", tokenizer.merges);
    addToken("tokenizer.ggml.bos_token_id",
             tokenizer.begin ? tokenizer.begin : config_.begin_token);
    const std::optional<std::int64_t> end =
        config_.end_tokens.empty() ? std::nullopt : std::optional(config_.end_tokens.front());
    addToken("tokenizer.ggml.eos_token_id", tokenizer.end ? tokenizer.end : end);
    addToken("tokenizer.ggml.padding_token_id", tokenizer.pad);
    writer_.addBool("tokenizer.ggml.add_bos_token", tokenizer.add_begin);
    if (!tokenizer.chat_template.empty())
      writer_.addText("tokenizer.chat_template", tokenizer.chat_template);
  }

  void addToken(std::string_view name, std::optional<std::int64_t> id) {
    if (!id || *id < 0 || static_cast<std::uint64_t>(*id) >= config_.vocabulary) return;
    writer_.addU32(name, static_cast<std::uint32_t>(*id));
  }

  void addTensors() {
    const std::uint64_t queries = config_.heads * config_.head_width;
    const std::uint64_t keys = config_.kv_heads * config_.head_width;
    add("model.embed_tokens.weight", "token_embd.weight", {config_.vocabulary, config_.width});
    if (config_.rope_scaling && config_.rope_scaling->kind == RopeScaling::Kind::kLlama3) {
      std::string divisors =
          encoded(TensorType::kF32, frequencyDivisors(config_, *config_.rope_scaling));
      writer_.addTensor(
          {"rope_freqs.weight", {config_.head_width / 2}, TensorType::kF32},
          [divisors = std::move(divisors)](const ByteSink& sink) { return sink(divisors); });
    }
    for (std::uint64_t layer = 0; layer < config_.layers; ++layer) {
      const std::string from = "model.layers." + std::to_string(layer) + ".";
      const std::string to = "blk." + std::to_string(layer) + ".";
      add(from + "input_layernorm.weight", to + "attn_norm.weight", {config_.width});
      const RowOrder turned =
          config_.family == Family::kLlama ? permutedRows(config_.head_width) : RowOrder();
      addModule(layer, "self_attn.q_proj", {queries, config_.width}, turned);
      addModule(layer, "self_attn.k_proj", {keys, config_.width}, turned);
      addModule(layer, "self_attn.v_proj", {keys, config_.width});
      addModule(layer, "self_attn.o_proj", {config_.width, queries});
      if (config_.family == Family::kQwen3) {
        add(from + "self_attn.q_norm.weight", to + "attn_q_norm.weight", {config_.head_width});
        add(from + "self_attn.k_norm.weight", to + "attn_k_norm.weight", {config_.head_width});
      }
      add(from + "post_attention_layernorm.weight", to + "ffn_norm.weight", {config_.width});
      addModule(layer, "mlp.gate_proj", {config_.inner_width, config_.width});
      addModule(layer, "mlp.up_proj", {config_.inner_width, config_.width});
      addModule(layer, "mlp.down_proj", {config_.width, config_.inner_width});
    }
    add("model.norm.weight", "output_norm.weight", {config_.width});
    if (config_.tied) {
      used_.insert("lm_head.weight");  // some tied models contain it too
    } else {
      add("lm_head.weight", "output.weight", {config_.vocabulary, config_.width});
    }
  }

  /// Adds a layer's matrix and, if it exists, its bias.
  void addModule(std::uint64_t layer,
                 std::string_view module,
                 const std::vector<std::uint64_t>& shape,
                 const RowOrder& order = {}) {
    const std::string from =
        "model.layers." + std::to_string(layer) + "." + std::string(module) + ".";
    const std::string to =
        "blk." + std::to_string(layer) + "." + std::string(*ggufModuleOf(module)) + ".";
    add(from + "weight", to + "weight", shape, order);
    if (tensors_.find(from + "bias") != nullptr) add(from + "bias", to + "bias", {shape[0]}, order);
  }

  void add(const std::string& from,
           const std::string& to,
           std::vector<std::uint64_t> shape,
           RowOrder order = {}) {
    const StoredTensor* tensor = tensors_.find(from);
    if (tensor == nullptr) return fail("the tensor " + from + " is missing");
    if (tensor->info.shape != shape)
      return fail("the tensor " + from + " has another shape than config.json says");
    if (!isPlainFloat(tensor->info.type))
      return fail("the tensor " + from + " is not F32, F16, BF16 or F64");
    used_.insert(from);
    ++imported_.tensors;
    imported_.parameters += *elementsOf(shape);
    const TensorType type = typeFor(*tensor);
    writer_.addTensor({to, std::move(shape), type},
                      [this, tensor, type, order = std::move(order)](const ByteSink& sink) {
                        return copy(*tensor, type, order, sink);
                      });
  }

  /// Returns the type to store. Vectors stay F32: they are small and precision matters.
  TensorType typeFor(const StoredTensor& tensor) const {
    if (tensor.info.shape.size() < 2) return TensorType::kF32;
    const TensorType type = import_.type.value_or(tensor.info.type);
    if (type == TensorType::kQ8_0 && tensor.info.shape.back() % layoutOf(type)->block != 0)
      return TensorType::kF16;
    return type == TensorType::kF64 ? TensorType::kF32 : type;
  }

  TensorType usualType() const {
    const StoredTensor* embedding = tensors_.find("model.embed_tokens.weight");
    return embedding == nullptr ? TensorType::kF32 : embedding->info.type;
  }

  Result<void> copy(const StoredTensor& tensor,
                    TensorType type,
                    const RowOrder& order,
                    const ByteSink& sink) {
    const std::vector<std::uint64_t>& shape = tensor.info.shape;
    const std::uint64_t rows = shape.front();
    if (rows == 0) return {};
    const std::uint64_t row_bytes = tensor.data.size() / rows;
    std::string piece;
    for (std::uint64_t row = 0; row < rows; ++row) {
      const std::uint64_t source = order ? order(row) : row;
      const std::string_view bytes = tensor.data.substr(source * row_bytes, row_bytes);
      piece += type == tensor.info.type ? std::string(bytes)
                                        : encoded(type, floatsOf(tensor.info.type, bytes));
      done_ += row_bytes;
      if (piece.size() < kPieceBytes && row + 1 < rows) continue;
      TRY(sink(piece));
      piece.clear();
      if (import_.progress) import_.progress(done_, total_);
    }
    return {};
  }

  const HfImport& import_;
  const HfConfig& config_;
  const SafeTensors& tensors_;
  GgufWriter writer_;
  HfImportResult imported_;
  std::set<std::string, std::less<>> used_;
  std::string problem_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

Result<HfImportResult> importHfFolder(const HfImport& import) {
  const HfConfig config = TRY(readHfConfig(import.folder));
  const HfTokenizer tokenizer = TRY(readHfTokenizer(import.folder, config.vocabulary));
  const SafeTensors tensors = TRY(SafeTensors::openFolder(import.folder));
  return Import(import, config, tensors).write(tokenizer);
}

}  // namespace spindle::weights
