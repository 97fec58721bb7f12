#include "weights/huggingface/hf_import.h"

#include <gtest/gtest.h>

#include "weights/formats/gguf_file.h"
#include "weights/huggingface/hf_folder_for_test.h"

namespace spindle::weights {
namespace {

using Model = HfFolderForTest::Model;

Result<HfImportResult> import(const HfFolderForTest& folder, std::optional<TensorType> type = {}) {
  return importHfFolder(
      {.folder = folder.path(), .file = folder.file("out.gguf"), .name = "tiny", .type = type});
}

GgufFile imported(const HfFolderForTest& folder, std::optional<TensorType> type = {}) {
  const Result<HfImportResult> done = import(folder, type);
  EXPECT_TRUE(done) << done.error().message();
  Result<GgufFile> file = GgufFile::open(folder.file("out.gguf"));
  EXPECT_TRUE(file) << file.error().message();
  return *std::move(file);
}

std::vector<float> numbersOf(const GgufFile& file, const std::string& name) {
  const StoredTensor* tensor = file.find(name);
  EXPECT_NE(tensor, nullptr) << name;
  return tensor == nullptr ? std::vector<float>() : floatsOf(tensor->info.type, tensor->data);
}

TEST(HfImport, WritesModelMetadata) {
  const HfFolderForTest folder{Model{}};
  const GgufFile file = imported(folder);
  EXPECT_EQ(file.text("general.architecture"), "llama");
  EXPECT_EQ(file.text("general.name"), "tiny");
  EXPECT_EQ(file.integer("general.file_type"), 0);
  EXPECT_EQ(file.integer("llama.block_count"), 2);
  EXPECT_EQ(file.integer("llama.context_length"), 1024);
  EXPECT_EQ(file.integer("llama.embedding_length"), 32);
  EXPECT_EQ(file.integer("llama.feed_forward_length"), 64);
  EXPECT_EQ(file.integer("llama.attention.head_count"), 4);
  EXPECT_EQ(file.integer("llama.attention.head_count_kv"), 2);
  EXPECT_EQ(file.integer("llama.attention.key_length"), 8);
  EXPECT_EQ(file.integer("llama.rope.dimension_count"), 8);
  EXPECT_FLOAT_EQ(static_cast<float>(*file.number("llama.attention.layer_norm_rms_epsilon")),
                  1e-5F);
  EXPECT_EQ(file.number("llama.rope.freq_base"), 10000);
}

TEST(HfImport, WritesVocabulary) {
  const HfFolderForTest folder{Model{}};
  const GgufFile file = imported(folder);
  EXPECT_EQ(file.text("tokenizer.ggml.model"), "gpt2");
  EXPECT_EQ(file.text("tokenizer.ggml.pre"), "smollm");
  const auto tokens = file.texts("tokenizer.ggml.tokens");
  const auto types = file.integers("tokenizer.ggml.token_type");
  ASSERT_TRUE(tokens && types);
  ASSERT_EQ(tokens->size(), HfFolderForTest::kVocabulary);
  EXPECT_EQ((*tokens)['A'], "A");
  EXPECT_EQ((*tokens)[' '], "\xc4\xa0");
  EXPECT_EQ((*tokens)[258], "<|im_end|>");
  EXPECT_EQ((*tokens)[263], "[PAD263]");
  EXPECT_EQ((*types)['A'], 1);
  EXPECT_EQ((*types)[258], 3);
  EXPECT_EQ((*types)[260], 4);
  EXPECT_EQ((*types)[263], 5);
  EXPECT_EQ(file.texts("tokenizer.ggml.merges"), std::vector<std::string_view>{"h e"});
  EXPECT_EQ(file.integer("tokenizer.ggml.eos_token_id"), 258);
  EXPECT_EQ(file.integer("tokenizer.ggml.bos_token_id"), 257);
  EXPECT_EQ(file.boolean("tokenizer.ggml.add_bos_token"), false);
  EXPECT_TRUE(file.text("tokenizer.chat_template")->starts_with("{%- if tools %}<|im_start|>"));
}

TEST(HfImport, PermutesHeadRowsForLlamaOnly) {
  for (const std::string type : {"llama", "qwen2"}) {
    Model model;
    model.type = type;
    const HfFolderForTest folder{model};
    const GgufFile file = imported(folder);
    const std::vector<float> before = folder.weights("model.layers.1.self_attn.q_proj.weight");
    const std::vector<float> after = numbersOf(file, "blk.1.attn_q.weight");
    ASSERT_EQ(after.size(), before.size());
    // Row 3 of a head with 8 rows is the second of its pair: row 4 + 1 in the folder.
    const std::uint64_t from = type == "llama" ? 8 + 5 : 8 + 3;
    EXPECT_EQ(after[(8UL + 3) * 32], before[from * 32]) << type;
    EXPECT_EQ(numbersOf(file, "blk.1.attn_v.weight"),
              folder.weights("model.layers.1.self_attn.v_proj.weight"));
  }
}

TEST(HfImport, KeepsOrChangesTheTypeOfMatrices) {
  Model model;
  model.dtype = "BF16";
  const HfFolderForTest folder{model};
  {
    const GgufFile file = imported(folder);
    EXPECT_EQ(file.find("token_embd.weight")->info.type, TensorType::kBf16);
    EXPECT_EQ(file.find("output_norm.weight")->info.type, TensorType::kF32);
    EXPECT_EQ(numbersOf(file, "output_norm.weight"), folder.weights("model.norm.weight"));
    EXPECT_EQ(file.integer("general.file_type"), 32);
  }
  const GgufFile small = imported(folder, TensorType::kQ8_0);
  EXPECT_EQ(small.find("blk.0.ffn_up.weight")->info.type, TensorType::kQ8_0);
  EXPECT_EQ(small.integer("general.file_type"), 7);
  const GgufFile half = imported(folder, TensorType::kF16);
  EXPECT_EQ(half.find("blk.0.ffn_up.weight")->info.type, TensorType::kF16);
}

TEST(HfImport, WritesRopeScaling) {
  Model model;
  model.rope_scaling =
      R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
      R"("original_max_position_embeddings":64})";
  {
    const HfFolderForTest folder{model};
    const GgufFile file = imported(folder);
    // Wavelengths 6.28, 62.8, 628 and 6283: one short, one medium (C/wl = 1.0186), two long.
    const std::vector<float> divisors = numbersOf(file, "rope_freqs.weight");
    ASSERT_EQ(divisors.size(), 4U);
    EXPECT_EQ(divisors[0], 1);
    EXPECT_NEAR(divisors[1], 7.667, 0.01);
    EXPECT_EQ(divisors[2], 8);
    EXPECT_EQ(divisors[3], 8);
  }
  model.rope_scaling = R"({"type":"yarn","factor":4.0,"original_max_position_embeddings":64})";
  const HfFolderForTest folder{model};
  const GgufFile file = imported(folder);
  EXPECT_EQ(file.text("llama.rope.scaling.type"), "yarn");
  EXPECT_EQ(file.number("llama.rope.scaling.factor"), 4);
  EXPECT_EQ(file.integer("llama.rope.scaling.original_context_length"), 64);
}

TEST(HfImport, TiedModelHasNoOutputTensor) {
  Model model;
  model.tied = true;
  const HfFolderForTest folder{model};
  EXPECT_EQ(imported(folder).find("output.weight"), nullptr);
}

TEST(HfImport, ReportsUnsupportedFolders) {
  const auto refusal = [](const HfFolderForTest& folder) {
    const Result<HfImportResult> done = import(folder);
    EXPECT_FALSE(done);
    EXPECT_FALSE(std::filesystem::exists(folder.file("out.gguf")));
    return done ? std::string() : done.error().message();
  };
  Model model;
  model.type = "mixtral";
  EXPECT_EQ(refusal(HfFolderForTest{model}),
            "config.json: model_type 'mixtral' is not supported; llama, qwen2 and qwen3 are.");
  HfFolderForTest lacking{Model{}};
  lacking.removeTensor("model.norm.weight");
  lacking.writeTensors();
  EXPECT_EQ(refusal(lacking),
            "The folder cannot be imported: the tensor model.norm.weight is missing.");
  model.type = "qwen3";
  HfFolderForTest other{model};
  other.removeTensor("model.layers.0.self_attn.q_norm.weight");
  other.writeTensors();
  EXPECT_NE(refusal(other).find("q_norm.weight is missing"), std::string::npos);
  const HfFolderForTest empty{Model{}};
  empty.write("config.json", R"({"model_type":"llama","hidden_size":8})");
  EXPECT_NE(refusal(empty).find("vocab_size"), std::string::npos);
  const HfFolderForTest split{Model{}};
  split.write("tokenizer.json",
              R"({"model":{"type":"Unigram"},"pre_tokenizer":{"type":"Metaspace"}})");
  EXPECT_NE(refusal(split).find("Metaspace is not supported"), std::string::npos);
}

TEST(HfImport, ReportsProgress) {
  const HfFolderForTest folder{Model{}};
  std::uint64_t last = 0;
  std::uint64_t whole = 1;
  const Result<HfImportResult> done =
      importHfFolder({.folder = folder.path(),
                      .file = folder.file("out.gguf"),
                      .name = "tiny",
                      .progress = [&](std::uint64_t d, std::uint64_t t) {
                        EXPECT_GT(d, last);
                        last = d;
                        whole = t;
                      }});
  ASSERT_TRUE(done);
  EXPECT_EQ(last, whole);
  EXPECT_EQ(done->tensors, 2U * 9 + 3);
}

}  // namespace
}  // namespace spindle::weights
