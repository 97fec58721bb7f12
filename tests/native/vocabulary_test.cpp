// Compares Spindle's tokenizer with the library's.

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <llama.h>
#include <unistd.h>

#include "weights/formats/gguf_writer.h"
#include "weights/tokenizer/byte_pair_vocabulary.h"

namespace spindle::weights {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr int kNormal = 1;
constexpr int kControl = 3;

/// Generates random text of words in several scripts, digits, symbols and white space.
std::string nonsense(std::mt19937& random) {
  static const std::vector<std::string> parts = {"the",
                                                 " cat",
                                                 "s",
                                                 "'s",
                                                 "'re",
                                                 " 'tis",
                                                 "12",
                                                 " 345",
                                                 "\n",
                                                 "\n\n",
                                                 " ",
                                                 "  ",
                                                 "\t",
                                                 "{\"",
                                                 "\": ",
                                                 "\"}",
                                                 ", ",
                                                 "gr\u00fc\u00dfe",
                                                 " \u00e9t\u00e9",
                                                 "\u4f60\u597d",
                                                 "\u043f\u0440\u0438",
                                                 "\u0627\u0644",
                                                 "\u0663",
                                                 "\u00bd",
                                                 "\u00a0",
                                                 "\u3000",
                                                 "\u200b",
                                                 "\U0001f600",
                                                 "e\u0301",
                                                 "<|im_end|>",
                                                 "<|im_start|>",
                                                 "<tool_call>",
                                                 "...",
                                                 "--",
                                                 "I'll",
                                                 "DON'T",
                                                 "a1b2",
                                                 "\u2163",
                                                 "\r\n"};
  std::string text;
  for (std::size_t i = 1 + random() % 20; i > 0; --i) text += parts[random() % parts.size()];
  return text;
}

class VocabularyTest : public testing::Test {
 public:
  ~VocabularyTest() override {
    if (model_ != nullptr) llama_model_free(model_);
    std::filesystem::remove_all(folder_);
  }

 protected:
  static void SetUpTestSuite() {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_backend_init();
  }
  static void TearDownTestSuite() { llama_backend_free(); }

  VocabularyTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "spindle-bpe-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::mt19937 random(1);
    std::string text;
    for (int line = 0; line < 3000; ++line) text += nonsense(random);
    vocabulary_ = std::make_unique<BytePairVocabulary>(
        BytePairVocabulary::learn({"<|endoftext|>", "<|im_start|>", "<|im_end|>"}, text, 700));
  }

  void load() {
    const std::string path = folder_ / "vocabulary.gguf";
    GgufWriter writer;
    writer.addText("general.architecture", "llama");
    for (const char* key :
         {"context_length", "embedding_length", "block_count", "feed_forward_length",
          "attention.head_count", "attention.head_count_kv", "rope.dimension_count"})
      writer.addU32(std::string("llama.") + key, 4);
    writer.addF32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
    writer.addText("tokenizer.ggml.model", "gpt2");
    writer.addText("tokenizer.ggml.pre", "smollm");
    writer.addTexts("tokenizer.ggml.tokens", vocabulary_->tokenTexts());
    std::vector<std::int32_t> types(vocabulary_->size(), kNormal);
    for (std::size_t i = 0; i < vocabulary_->specials(); ++i) types[i] = kControl;
    writer.addI32s("tokenizer.ggml.token_type", types);
    writer.addTexts("tokenizer.ggml.merges", vocabulary_->mergeTexts());
    writer.addU32("tokenizer.ggml.eos_token_id", 2);
    writer.addBool("tokenizer.ggml.add_bos_token", false);
    ASSERT_TRUE(writer.writeTo(path));
    llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    model_ = llama_model_load_from_file(path.c_str(), params);
    ASSERT_NE(model_, nullptr);
  }

  Ids theirs(const std::string& text) const {
    Ids ids(text.size() + 8);
    const int count =
        llama_tokenize(llama_model_get_vocab(model_), text.data(), static_cast<int>(text.size()),
                       ids.data(), static_cast<int>(ids.size()), false, true);
    ids.resize(static_cast<std::size_t>(count));
    return ids;
  }

  std::filesystem::path folder_;
  std::unique_ptr<BytePairVocabulary> vocabulary_;
  llama_model* model_ = nullptr;
};

TEST_F(VocabularyTest, TokensEqualTheLibrarysOnThousandsOfLines) {
  load();
  std::mt19937 random(2);
  for (int line = 0; line < 5000; ++line) {
    const std::string text = nonsense(random);
    ASSERT_EQ(vocabulary_->encode(text), theirs(text)) << text;
  }
}

TEST_F(VocabularyTest, CharactersAreCutAsTheLibraryCutsThem) {
  load();
  for (char32_t code = 1; code < 0x10000; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string character;
    if (code < 0x80) {
      character += static_cast<char>(code);
    } else if (code < 0x800) {
      character += static_cast<char>(0xC0 | (code >> 6));
      character += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      character += static_cast<char>(0xE0 | (code >> 12));
      character += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      character += static_cast<char>(0x80 | (code & 0x3F));
    }
    const std::string text = " the" + character + "the " + character + "s  " + character;
    ASSERT_EQ(vocabulary_->encode(text), theirs(text)) << static_cast<unsigned>(code);
  }
}

}  // namespace
}  // namespace spindle::weights
