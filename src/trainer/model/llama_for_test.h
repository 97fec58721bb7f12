#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <llama.h>

namespace spindle::trainer {

/// Computes reference logits with llama.cpp: exact, with a float32 KV cache and one thread.
class LlamaForTest {
 public:
  explicit LlamaForTest(const std::string& file, const std::string& adapter_file = {}) {
    begin();
    model_ = llama_model_load_from_file(file.c_str(), llama_model_default_params());
    EXPECT_NE(model_, nullptr);
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 128;
    params.n_threads = 1;
    params.n_threads_batch = 1;
    params.type_k = GGML_TYPE_F32;
    params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;  // it rounds to half precision
    context_ = llama_init_from_model(model_, params);
    EXPECT_NE(context_, nullptr);
    if (adapter_file.empty()) return;
    llama_adapter_lora* adapter = llama_adapter_lora_init(model_, adapter_file.c_str());
    EXPECT_NE(adapter, nullptr);
    float scale = 1;
    EXPECT_EQ(llama_set_adapters_lora(context_, &adapter, 1, &scale), 0);
  }
  ~LlamaForTest() {
    llama_free(context_);
    llama_model_free(model_);
  }
  LlamaForTest(const LlamaForTest&) = delete;
  LlamaForTest& operator=(const LlamaForTest&) = delete;

  /// Returns the logits after the last token.
  std::vector<float> logits(const std::vector<std::int64_t>& tokens) {
    std::vector<llama_token> batch(tokens.begin(), tokens.end());
    EXPECT_EQ(llama_decode(context_, llama_batch_get_one(batch.data(),
                                                         static_cast<std::int32_t>(batch.size()))),
              0);
    const float* row = llama_get_logits_ith(context_, -1);
    return {row, row + llama_vocab_n_tokens(llama_model_get_vocab(model_))};
  }

  /// Initializes the library; further calls have no effect.
  static void begin() {
    static const bool begun = [] {
      Dl_info info{};
      EXPECT_NE(dladdr(reinterpret_cast<const void*>(&llama_backend_init), &info), 0);
      const std::string path = info.dli_fname;
      llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
      ggml_backend_load_all_from_path(path.substr(0, path.rfind('/')).c_str());
      llama_backend_init();
      return true;
    }();
    EXPECT_TRUE(begun);
  }

 private:
  llama_model* model_ = nullptr;
  llama_context* context_ = nullptr;
};

}  // namespace spindle::trainer
