#include "trainer/pretraining/model_folder.h"

#include <charconv>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "trainer/model/atomic_file.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors_writer.h"
#include "weights/huggingface/module_names.h"

namespace spindle::trainer {
namespace {

std::string textOf(double number) {
  char text[32];
  const auto [end, problem] = std::to_chars(std::begin(text), std::end(text), number);
  return problem == std::errc() ? std::string(text, end) : "0";
}

/// Returns the family's class in the library Transformers.
std::string_view classOf(weights::Family family) {
  switch (family) {
    case weights::Family::kLlama:
      return "LlamaForCausalLM";
    case weights::Family::kQwen2:
      return "Qwen2ForCausalLM";
    case weights::Family::kQwen3:
      return "Qwen3ForCausalLM";
  }
  return "";
}

std::string config(const ModelShape& shape, const ModelFolderOptions& options) {
  std::string text = "{\n";
  const auto add = [&text](const char* key, const std::string& value) {
    text.append("  \"").append(key).append("\": ").append(value).append(",\n");
  };
  add("architectures", "[\"" + std::string(classOf(shape.family)) + "\"]");
  add("model_type", "\"" + std::string(weights::nameOf(shape.family)) + "\"");
  add("vocab_size", std::to_string(shape.vocabulary));
  add("hidden_size", std::to_string(shape.width));
  add("intermediate_size", std::to_string(shape.inner_width));
  add("num_hidden_layers", std::to_string(shape.layers));
  add("num_attention_heads", std::to_string(shape.heads));
  add("num_key_value_heads", std::to_string(shape.kv_heads));
  add("head_dim", std::to_string(shape.head_width));
  add("max_position_embeddings", std::to_string(shape.context));
  add("rms_norm_eps", textOf(shape.norm_epsilon));
  add("rope_theta", textOf(shape.rope_base));
  add("hidden_act", "\"silu\"");
  if (options.begin_token >= 0) add("bos_token_id", std::to_string(options.begin_token));
  if (options.end_token >= 0) add("eos_token_id", std::to_string(options.end_token));
  add("torch_dtype", "\"float32\"");
  text.append("  \"tie_word_embeddings\": ").append(shape.tied ? "true" : "false").append("\n}\n");
  return text;
}

}  // namespace

Result<void> writeModelFolder(const Model& model,
                              const std::string& folder,
                              const ModelFolderOptions& options) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error::unavailable(folder + ": " + problem.message());
  const std::filesystem::path root(folder);
  weights::SafeTensorsWriter writer;
  for (NamedWeights& tensor : model.weights()) {
    const auto numbers = std::make_shared<std::vector<float>>(std::move(tensor.numbers));
    writer.addTensor({tensor.name, std::move(tensor.shape), weights::TensorType::kF32},
                     [numbers](const weights::ByteSink& sink) {
                       return sink(weights::encoded(weights::TensorType::kF32, *numbers));
                     });
  }
  TRY(writeFileAtomically(root / "model.safetensors", [&writer](const weights::ByteSink& sink) {
    return writer.writeTo(sink);
  }));
  const std::string text = config(model.shape(), options);
  return writeFileAtomically(root / "config.json",
                             [&text](const weights::ByteSink& sink) { return sink(text); });
}

}  // namespace spindle::trainer
