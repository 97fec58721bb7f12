// An imported folder gives the same logits in llama.cpp as the simple reference implementation of
// the forward pass below.

#include <cmath>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <llama.h>

#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::weights {
namespace {

using Vector = std::vector<double>;
using Model = HfFolderForTest::Model;

/// The reference forward pass of one sequence, with the weights of the folder.
class Reference {
 public:
  explicit Reference(const HfFolderForTest& folder) : folder_(folder), model_(folder.model()) {}

  /// Returns the logits after the last token.
  Vector logits(const std::vector<int>& tokens) const {
    std::vector<Vector> states;
    states.reserve(tokens.size());
    for (const int token : tokens)
      states.push_back(row("model.embed_tokens.weight", static_cast<std::size_t>(token)));
    for (std::uint64_t layer = 0; layer < model_.layers; ++layer) pass(layer, states);
    const Vector last = norm(states.back(), "model.norm.weight");
    return product(model_.tied ? "model.embed_tokens.weight" : "lm_head.weight", last);
  }

 private:
  Vector row(const std::string& name, std::size_t index) const {
    const std::vector<float>& all = folder_.weights(name);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(index * model_.width);
    return {begin, begin + static_cast<std::ptrdiff_t>(model_.width)};
  }

  Vector product(const std::string& name, const Vector& x) const {
    const std::vector<float>& matrix = folder_.weights(name);
    Vector y(matrix.size() / x.size(), 0);
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j)
        y[i] += static_cast<double>(matrix[i * x.size() + j]) * x[j];
    return y;
  }

  Vector norm(Vector x,
              const std::string& name,
              std::size_t begin = 0,
              std::size_t size = 0) const {
    const std::vector<float>& gain = folder_.weights(name);
    if (size == 0) size = x.size();
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) squares += x[begin + i] * x[begin + i];
    const double scale =
        1 / std::sqrt(squares / static_cast<double>(size) + HfFolderForTest::kEpsilon);
    for (std::size_t i = 0; i < size; ++i) x[begin + i] *= scale * static_cast<double>(gain[i]);
    return x;
  }

  /// Computes queries or keys of one token: bias, norm per head, rotary embedding of the two
  /// halves.
  Vector projected(const std::string& at,
                   const std::string& what,
                   const Vector& x,
                   std::size_t position) const {
    Vector y = product(at + what + "_proj.weight", x);
    if (model_.type == "qwen2") {
      const std::vector<float>& bias = folder_.weights(at + what + "_proj.bias");
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += static_cast<double>(bias[i]);
    }
    if (what == "v") return y;
    const std::size_t width = model_.head_width;
    for (std::size_t begin = 0; begin < y.size(); begin += width) {
      if (model_.type == "qwen3") y = norm(std::move(y), at + what + "_norm.weight", begin, width);
      for (std::size_t i = 0; i < width / 2; ++i) {
        const double angle = static_cast<double>(position) * frequency(i);
        const double a = y[begin + i];
        const double b = y[begin + width / 2 + i];
        y[begin + i] = a * std::cos(angle) - b * std::sin(angle);
        y[begin + width / 2 + i] = b * std::cos(angle) + a * std::sin(angle);
      }
    }
    return y;
  }

  double frequency(std::size_t i) const {
    const double inverse =
        std::pow(HfFolderForTest::kRopeBase,
                 -2.0 * static_cast<double>(i) / static_cast<double>(model_.head_width));
    if (model_.rope_scaling == "null") return inverse;
    // RoPE scaling of Llama 3 with factor 8, low 1, high 4 and a context of 64.
    const double wave = 2 * M_PI / inverse;
    if (wave < 64.0 / 4) return inverse;
    if (wave > 64.0) return inverse / 8;
    const double share = (64.0 / wave - 1) / 3;
    return (1 - share) * inverse / 8 + share * inverse;
  }

  void pass(std::uint64_t layer, std::vector<Vector>& states) const {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    std::vector<Vector> queries;
    std::vector<Vector> keys;
    std::vector<Vector> values;
    for (std::size_t t = 0; t < states.size(); ++t) {
      const Vector x = norm(states[t], at + "input_layernorm.weight");
      queries.push_back(projected(at + "self_attn.", "q", x, t));
      keys.push_back(projected(at + "self_attn.", "k", x, t));
      values.push_back(projected(at + "self_attn.", "v", x, t));
    }
    for (std::size_t t = 0; t < states.size(); ++t) {
      add(states[t], product(at + "self_attn.o_proj.weight", attend(queries[t], keys, values, t)));
      const Vector x = norm(states[t], at + "post_attention_layernorm.weight");
      Vector inner = product(at + "mlp.gate_proj.weight", x);
      const Vector up = product(at + "mlp.up_proj.weight", x);
      for (std::size_t i = 0; i < inner.size(); ++i) inner[i] *= up[i] / (1 + std::exp(-inner[i]));
      add(states[t], product(at + "mlp.down_proj.weight", inner));
    }
  }

  static void add(Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  Vector attend(const Vector& query,
                const std::vector<Vector>& keys,
                const std::vector<Vector>& values,
                std::size_t t) const {
    const std::size_t width = model_.head_width;
    Vector out(model_.heads * width, 0);
    for (std::size_t head = 0; head < model_.heads; ++head) {
      const std::size_t shared = head * model_.kv_heads / model_.heads * width;
      Vector weights;
      double sum = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        double dot = 0;
        for (std::size_t i = 0; i < width; ++i)
          dot += query[head * width + i] * keys[s][shared + i];
        weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(width))));
        sum += weights.back();
      }
      for (std::size_t s = 0; s <= t; ++s)
        for (std::size_t i = 0; i < width; ++i)
          out[head * width + i] += weights[s] / sum * values[s][shared + i];
    }
    return out;
  }

  const HfFolderForTest& folder_;
  const Model& model_;
};

class NativeImport : public ::testing::TestWithParam<Model> {
 protected:
  static void SetUpTestSuite() {
    Dl_info info{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&llama_backend_init), &info), 0);
    const std::string path = info.dli_fname;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all_from_path(path.substr(0, path.rfind('/')).c_str());
    llama_backend_init();
  }
  static void TearDownTestSuite() { llama_backend_free(); }
};

TEST_P(NativeImport, ComputesWhatTheFormulasSay) {
  const HfFolderForTest folder(GetParam());
  const Result<HfImportResult> done =
      importHfFolder({.folder = folder.path(), .file = folder.file("out.gguf"), .name = "tiny"});
  ASSERT_TRUE(done) << done.error().message();
  llama_model* model =
      llama_model_load_from_file(folder.file("out.gguf").c_str(), llama_model_default_params());
  ASSERT_NE(model, nullptr);
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 64;
  params.type_k = GGML_TYPE_F32;
  params.type_v = GGML_TYPE_F32;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;  // it rounds to 16 bits
  llama_context* context = llama_init_from_model(model, params);
  ASSERT_NE(context, nullptr);

  const llama_vocab* vocabulary = llama_model_get_vocab(model);
  std::vector<llama_token> tokens(32);
  const std::string text = "<|im_start|>he said: 42";
  const int count = llama_tokenize(vocabulary, text.data(), static_cast<int>(text.size()),
                                   tokens.data(), static_cast<int>(tokens.size()), false, true);
  ASSERT_GT(count, 0);
  tokens.resize(static_cast<std::size_t>(count));
  EXPECT_EQ(tokens[0], 259) << "a special token";
  EXPECT_EQ(tokens[1], 256) << "a merged pair";
  EXPECT_EQ(llama_vocab_eos(vocabulary), 258);

  ASSERT_EQ(llama_decode(context, llama_batch_get_one(tokens.data(), count)), 0);
  const float* logits = llama_get_logits_ith(context, -1);
  const Vector expected = Reference(folder).logits({tokens.begin(), tokens.end()});
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  // For 16-bit matrices the library also rounds the other factor to 16 bits.
  const double allowed = largest * (GetParam().dtype == "F32" ? 1e-4 : 1e-2);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(logits[i]), expected[i], allowed) << i;
  llama_free(context);
  llama_model_free(model);
}

std::vector<Model> models() {
  std::vector<Model> all(6);
  all[1].type = "qwen2";
  all[2].type = "qwen3";
  all[2].head_width = 16;  // the total head width exceeds the model width
  all[3].tied = true;
  all[4].rope_scaling =
      R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
      R"("original_max_position_embeddings":64})";
  all[5].dtype = "F16";
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families,
                         NativeImport,
                         ::testing::ValuesIn(models()),
                         [](const ::testing::TestParamInfo<Model>& tried) {
                           return tried.param.type + std::to_string(tried.index);
                         });

}  // namespace
}  // namespace spindle::weights
