#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "weights/formats/number_format.h"

namespace spindle::weights {

/// A Hugging Face folder with a tiny model; a seed determines the weights. Deleted by the
/// destructor.
class HfFolderForTest {
 public:
  struct Model {
    std::string type = "llama";  ///< llama, qwen2, qwen3
    std::uint64_t width = 32;
    std::uint64_t inner = 64;
    std::uint64_t layers = 2;
    std::uint64_t heads = 4;
    std::uint64_t kv_heads = 2;
    std::uint64_t head_width = 8;
    bool tied = false;
    std::string rope_scaling = "null";
    std::string dtype = "F32";
  };
  static constexpr std::uint64_t kVocabulary = 264;
  static constexpr double kEpsilon = 1e-5;
  static constexpr double kRopeBase = 10000;

  explicit HfFolderForTest(const Model& model) : model_(model) {
    std::string pattern = (std::filesystem::temp_directory_path() / "spindle-hf-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    makeTensors();
    write("config.json", config());
    write("tokenizer.json", tokenizer());
    write("tokenizer_config.json",
          R"({"eos_token":"<|im_end|>","bos_token":{"content":"<|endoftext|>"},)"
          R"("add_bos_token":false,"chat_template":")" +
              chatTemplate() + "\"}");
    writeTensors();
  }
  ~HfFolderForTest() { std::filesystem::remove_all(path_); }
  HfFolderForTest(const HfFolderForTest&) = delete;
  HfFolderForTest& operator=(const HfFolderForTest&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  const Model& model() const { return model_; }
  /// Returns the weights as stored: rounded to the file's dtype.
  const std::vector<float>& weights(const std::string& name) const { return tensors_.at(name); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  /// Returns a ChatML template with Qwen-style tools, escaped for use inside a JSON string.
  static std::string chatTemplate() {
    return R"({%- if tools %}<|im_start|>system\n# Tools\n{%- for tool in tools %}\n)"
           R"({{ tool | tojson }}{%- endfor %}\nCall a tool as <tool_call>\n)"
           R"({\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>)"
           R"(<|im_end|>\n{%- endif %}{%- for message in messages %}<|im_start|>)"
           R"({{ message.role }}\n{{ message.content }})"
           R"({%- if message.tool_calls %}{%- for call in message.tool_calls %}<tool_call>\n)"
           R"({\"name\": \"{{ call.function.name }}\", \"arguments\": )"
           R"({{ call.function.arguments | tojson }}}\n</tool_call>{%- endfor %}{%- endif %})"
           R"(<|im_end|>\n{% endfor %})"
           R"({%- if add_generation_prompt %}<|im_start|>assistant\n{% endif %})";
  }
  void writeTensors() const {
    write("model.safetensors", safetensors(model_.dtype, tensors_, shapes_));
  }
  /// Returns the content of a safetensors file.
  static std::string safetensors(const std::string& dtype,
                                 const std::map<std::string, std::vector<float>>& tensors,
                                 const std::map<std::string, std::vector<std::uint64_t>>& shapes) {
    std::string header = "{";
    std::string data;
    for (const auto& [name, numbers] : tensors) {
      const std::string bytes = encoded(typeOf(dtype), numbers);
      std::string shape;
      for (const std::uint64_t size : shapes.at(name))
        shape += (shape.empty() ? "" : ",") + std::to_string(size);
      header += (header.size() > 1 ? "," : "") + ("\"" + name + R"(":{"dtype":")") + dtype +
                R"(","shape":[)" + shape + R"(],"data_offsets":[)" + std::to_string(data.size()) +
                "," + std::to_string(data.size() + bytes.size()) + "]}";
      data += bytes;
    }
    header += "}";
    const std::uint64_t size = header.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + header + data;
  }
  const std::vector<std::uint64_t>& shape(const std::string& name) const {
    return shapes_.at(name);
  }
  /// Adds numbers to a tensor. Call writeTensors() afterwards.
  void addTo(const std::string& name, const std::vector<float>& numbers) {
    std::vector<float>& weights = tensors_.at(name);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += numbers[i];
  }
  static TensorType typeOf(const std::string& dtype) {
    if (dtype == "BF16") return TensorType::kBf16;
    return dtype == "F16" ? TensorType::kF16 : TensorType::kF32;
  }
  void removeTensor(const std::string& name) { tensors_.erase(name); }
  /// Overwrites a 32-bit integer value in a GGUF file of the folder.
  void setInFile(const std::string& name, const std::string& key, std::uint32_t value) const {
    std::ostringstream content;
    content << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    std::string bytes = content.str();
    // The value's type lies between the key and the value.
    std::memcpy(&bytes.at(bytes.find(key) + key.size() + sizeof(value)), &value, sizeof(value));
    write(name, bytes);
  }

 private:
  void add(const std::string& name, std::vector<std::uint64_t> shape, float around = 0) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    std::vector<float> numbers;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto unit = static_cast<float>(random_() % 20001) / 10000.0F - 1;
      numbers.push_back(around + unit * (around == 0 ? 0.4F : 0.2F));
    }
    const TensorType type = typeOf(model_.dtype);
    tensors_[name] = floatsOf(type, encoded(type, numbers));
    shapes_[name] = std::move(shape);
  }

  void makeTensors() {
    const std::uint64_t queries = model_.heads * model_.head_width;
    const std::uint64_t keys = model_.kv_heads * model_.head_width;
    add("model.embed_tokens.weight", {kVocabulary, model_.width});
    add("model.norm.weight", {model_.width}, 1);
    if (!model_.tied) add("lm_head.weight", {kVocabulary, model_.width});
    for (std::uint64_t layer = 0; layer < model_.layers; ++layer) {
      const std::string at = "model.layers." + std::to_string(layer) + ".";
      add(at + "input_layernorm.weight", {model_.width}, 1);
      add(at + "post_attention_layernorm.weight", {model_.width}, 1);
      add(at + "self_attn.q_proj.weight", {queries, model_.width});
      add(at + "self_attn.k_proj.weight", {keys, model_.width});
      add(at + "self_attn.v_proj.weight", {keys, model_.width});
      add(at + "self_attn.o_proj.weight", {model_.width, queries});
      if (model_.type == "qwen2") {
        add(at + "self_attn.q_proj.bias", {queries});
        add(at + "self_attn.k_proj.bias", {keys});
        add(at + "self_attn.v_proj.bias", {keys});
      }
      if (model_.type == "qwen3") {
        add(at + "self_attn.q_norm.weight", {model_.head_width}, 1);
        add(at + "self_attn.k_norm.weight", {model_.head_width}, 1);
      }
      add(at + "mlp.gate_proj.weight", {model_.inner, model_.width});
      add(at + "mlp.up_proj.weight", {model_.inner, model_.width});
      add(at + "mlp.down_proj.weight", {model_.width, model_.inner});
    }
  }

  std::string config() const {
    const auto size = [](const char* name, std::uint64_t value) {
      return std::string("\"") + name + "\":" + std::to_string(value) + ",";
    };
    return "{" + size("vocab_size", kVocabulary) + size("hidden_size", model_.width) +
           size("intermediate_size", model_.inner) + size("num_hidden_layers", model_.layers) +
           size("num_attention_heads", model_.heads) +
           size("num_key_value_heads", model_.kv_heads) + size("head_dim", model_.head_width) +
           size("max_position_embeddings", 1024) + R"("rms_norm_eps":1e-5,"rope_theta":10000.0,)" +
           R"("rope_scaling":)" + model_.rope_scaling + R"(,"tie_word_embeddings":)" +
           (model_.tied ? "true" : "false") +
           R"(,"hidden_act":"silu","eos_token_id":[258,257],"bos_token_id":257,"model_type":")" +
           model_.type + "\"}";
  }

  /// All bytes, one merge, three special tokens.
  static std::string tokenizer() {
    std::string vocabulary;
    int next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool itself =
          (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
      const int point = itself ? byte : next++;
      std::string text;
      if (point < 0x80) {
        if (point == '"' || point == '\\') text += '\\';
        text += static_cast<char>(point);
      } else {
        text += static_cast<char>(0xc0 | point >> 6);
        text += static_cast<char>(0x80 | (point & 0x3f));
      }
      vocabulary += "\"" + text + "\":" + std::to_string(byte) + ",";
    }
    return R"({"model":{"type":"BPE","vocab":{)" + vocabulary +
           R"("he":256},"merges":["h e"]},"pre_tokenizer":{"type":"Sequence","pretokenizers":[)"
           R"({"type":"Digits","individual_digits":true},{"type":"ByteLevel","use_regex":true}]},)"
           R"("added_tokens":[{"id":257,"content":"<|endoftext|>","special":true},)"
           R"({"id":258,"content":"<|im_end|>","special":true},)"
           R"({"id":259,"content":"<|im_start|>","special":true},)"
           R"({"id":260,"content":"<tool_call>","special":false},)"
           R"({"id":261,"content":"</tool_call>","special":false}]})";
  }

  Model model_;
  std::filesystem::path path_;
  std::mt19937 random_{7};
  std::map<std::string, std::vector<float>> tensors_;
  std::map<std::string, std::vector<std::uint64_t>> shapes_;
};

}  // namespace spindle::weights
