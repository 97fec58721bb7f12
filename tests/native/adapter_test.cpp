// An imported adapter has the correct effect in llama.cpp: the logits of base model and adapter
// equal those of a base model with the adapter merged into its weights.

#include <cmath>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <llama.h>

#include "weights/adapters/adapter_folder_for_test.h"
#include "weights/adapters/adapter_import.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::weights {
namespace {

using Model = HfFolderForTest::Model;

struct Tried {
  Model model = {};
  std::string dtype = "F32";  ///< of the adapter
  std::string settings = R"("r":4,"lora_alpha":8,"target_modules":"all-linear")";
  /// Scale of the adapter for the modules of a layer, from its configuration.
  std::uint64_t rank = 4;
  double scale = 2;
  /// Scale for query projections only.
  std::uint64_t query_rank = 4;
  double query_scale = 2;
};

class NativeAdapter : public ::testing::TestWithParam<Tried> {
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

  /// Returns the logits after a text.
  static std::vector<float> logits(const std::string& file, const std::string& adapter_file) {
    llama_model* model = llama_model_load_from_file(file.c_str(), llama_model_default_params());
    EXPECT_NE(model, nullptr);
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 64;
    params.n_threads = 1;
    params.n_threads_batch = 1;
    params.type_k = GGML_TYPE_F32;
    params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;  // it rounds to 16 bits
    llama_context* context = llama_init_from_model(model, params);
    if (!adapter_file.empty()) {
      llama_adapter_lora* adapter = llama_adapter_lora_init(model, adapter_file.c_str());
      EXPECT_NE(adapter, nullptr);
      float scale = 1;
      EXPECT_EQ(llama_set_adapters_lora(context, &adapter, 1, &scale), 0);
    }
    std::vector<llama_token> tokens = {259, 256, 7, 42, 99, 1, 13};
    EXPECT_EQ(llama_decode(context, llama_batch_get_one(tokens.data(),
                                                        static_cast<std::int32_t>(tokens.size()))),
              0);
    const float* row = llama_get_logits_ith(context, -1);
    std::vector<float> all(row, row + HfFolderForTest::kVocabulary);
    llama_free(context);
    llama_model_free(model);
    return all;
  }
  static void importBase(const HfFolderForTest& folder) {
    const Result<HfImportResult> done = importHfFolder({.folder = folder.path(),
                                                        .file = folder.file("out.gguf"),
                                                        .name = "tiny",
                                                        .type = {},
                                                        .progress = {}});
    ASSERT_TRUE(done) << done.error().message();
  }
  static double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
  }
};

TEST_P(NativeAdapter, ComputesWhatMergedWeightsDo) {
  const Tried& tried = GetParam();
  const HfFolderForTest base(tried.model);
  HfFolderForTest merged(tried.model);
  AdapterFolderForTest adapter(base, tried.dtype);
  for (std::uint64_t layer = 0; layer < tried.model.layers; ++layer) {
    for (const std::string module :
         {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
          "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"}) {
      const std::string name = "model.layers." + std::to_string(layer) + "." + module;
      const bool query = module == "self_attn.q_proj";
      adapter.add(name, query ? tried.query_rank : tried.rank);
      merged.addTo(name + ".weight", adapter.change(name, query ? tried.query_scale : tried.scale));
    }
  }
  adapter.add("lm_head", tried.rank);
  merged.addTo("lm_head.weight", adapter.change("lm_head", tried.scale));
  merged.writeTensors();
  adapter.write(tried.settings);
  importBase(base);
  importBase(merged);
  const Result<AdapterImportResult> done = importAdapter({.folder = adapter.path(),
                                                          .base_file = base.file("out.gguf"),
                                                          .file = base.file("adapter.gguf")});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->matrices, tried.model.layers * 7 + 1);

  const std::vector<float> alone = logits(base.file("out.gguf"), "");
  const std::vector<float> expected = logits(merged.file("out.gguf"), "");
  const std::vector<float> adapted = logits(base.file("out.gguf"), base.file("adapter.gguf"));
  EXPECT_GT(distance(alone, expected), 0.5) << "the adapter does something";
  EXPECT_LT(distance(adapted, expected), 2e-3 * (1 + distance(alone, expected)));
}

std::vector<Tried> all() {
  std::vector<Tried> tried(7);
  tried[1].model.type = "qwen2";
  tried[2].model.type = "qwen3";
  tried[2].model.head_width = 16;
  tried[3].settings += R"(,"use_rslora":true)";
  tried[3].scale = tried[3].query_scale = 4;
  tried[4].settings += R"(,"rank_pattern":{"q_proj":8},"alpha_pattern":{"self_attn.q_proj":4})";
  tried[4].query_rank = 8;
  tried[4].query_scale = 0.5;
  tried[5].model.kv_heads = 4;
  tried[6].dtype = "BF16";
  return tried;
}

INSTANTIATE_TEST_SUITE_P(Families,
                         NativeAdapter,
                         ::testing::ValuesIn(all()),
                         [](const ::testing::TestParamInfo<Tried>& one) {
                           return one.param.model.type + std::to_string(one.index);
                         });

}  // namespace
}  // namespace spindle::weights
