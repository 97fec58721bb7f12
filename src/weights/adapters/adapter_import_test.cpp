#include "weights/adapters/adapter_import.h"

#include <gtest/gtest.h>

#include "weights/adapters/adapter_config.h"
#include "weights/adapters/adapter_folder_for_test.h"
#include "weights/formats/gguf_file.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::weights {
namespace {

const std::string query_module = "model.layers.0.self_attn.q_proj";
const std::string down_module = "model.layers.1.mlp.down_proj";
const std::string usual_members =
    R"("peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj","down_proj"])";

class AdapterImportTest : public ::testing::Test {
 protected:
  AdapterImportTest() {
    EXPECT_TRUE(importHfFolder(
        {.folder = base_.path(), .file = base_.file("base.gguf"), .name = "b", .type = {}}));
  }
  Result<AdapterImportResult> import(std::uint64_t largest_rank = 0) const {
    return importAdapter({.folder = adapter_.path(),
                          .base_file = base_.file("base.gguf"),
                          .file = base_.file("adapter.gguf"),
                          .largest_rank = largest_rank});
  }
  /// Returns the error message for a folder with these settings.
  std::string refusal(const std::string& members, std::uint64_t largest_rank = 0) const {
    adapter_.write(members);
    const Result<AdapterImportResult> done = import(largest_rank);
    if (done) return "";
    EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
    return done.error().message();
  }
  AdapterConfig config(const std::string& members) const {
    adapter_.write(members);
    Result<AdapterConfig> read = AdapterConfig::read(adapter_.path());
    EXPECT_TRUE(read) << read.error().message();
    return *std::move(read);
  }

  HfFolderForTest base_{HfFolderForTest::Model{}};
  AdapterFolderForTest adapter_{base_};
};

TEST_F(AdapterImportTest, WritesAdapterThatLlamaCppLoads) {
  adapter_.add(query_module, 4);
  adapter_.add(down_module, 4);
  adapter_.write(usual_members + R"(,"base_model_name_or_path":"org/base")");
  const Result<AdapterImportResult> done = import();
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->matrices, 2U);
  EXPECT_EQ(done->rank, 4U);
  EXPECT_EQ(done->base_model, "org/base");
  const Result<GgufFile> file = GgufFile::open(base_.file("adapter.gguf"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text("general.type"), "adapter");
  EXPECT_EQ(file->text("general.architecture"), "llama");
  EXPECT_EQ(file->text("adapter.type"), "lora");
  EXPECT_EQ(file->number("adapter.lora.alpha"), 8);
  EXPECT_EQ(file->tensors().size(), 4U);
  const auto shape = [&file](const std::string& name) { return file->find(name)->info.shape; };
  EXPECT_EQ(shape("blk.0.attn_q.weight.lora_a"), (std::vector<std::uint64_t>{4, 32}));
  EXPECT_EQ(shape("blk.0.attn_q.weight.lora_b"), (std::vector<std::uint64_t>{32, 4}));
  EXPECT_EQ(shape("blk.1.ffn_down.weight.lora_a"), (std::vector<std::uint64_t>{4, 64}));
  EXPECT_EQ(shape("blk.1.ffn_down.weight.lora_b"), (std::vector<std::uint64_t>{32, 4}));
}

TEST_F(AdapterImportTest, AcceptsShortTensorNames) {
  for (const auto& [prefix, suffix] : std::vector<std::pair<std::string, std::string>>{
           {"base_model.model.", ".default.weight"}, {"", ".weight"}}) {
    AdapterFolderForTest other(base_);
    other.prefix = prefix;
    other.suffix = suffix;
    other.add(query_module, 4);
    other.write(usual_members);
    const Result<AdapterImportResult> done = import();
    EXPECT_TRUE(done) << done.error().message();
  }
  AdapterFolderForTest bare(base_);
  bare.addTensor("base_model.model.layers.0.self_attn.q_proj.lora_A.weight", {4, 32});
  bare.addTensor("base_model.model.layers.0.self_attn.q_proj.lora_B.weight", {32, 4});
  bare.write(usual_members);
  EXPECT_TRUE(import());
}

TEST_F(AdapterImportTest, ReadsF32F16AndBf16) {
  for (const std::string dtype : {"F32", "F16", "BF16"}) {
    AdapterFolderForTest other(base_, dtype);
    other.add(query_module, 4);
    other.write(usual_members);
    EXPECT_TRUE(import()) << dtype;
  }
}

TEST_F(AdapterImportTest, ScalesByAlphaAndRank) {
  const AdapterConfig plain = config(usual_members);
  EXPECT_EQ(plain.rankOf(query_module), 4U);
  EXPECT_DOUBLE_EQ(plain.scaleOf(query_module), 2);
  EXPECT_DOUBLE_EQ(config(usual_members + R"(,"use_rslora":true)").scaleOf(query_module), 4);
  const AdapterConfig patterns =
      config(usual_members + R"(,"rank_pattern":{"layers\\.0\\..*q_proj":16,"q_proj":2},)"
                             R"("alpha_pattern":{"model.layers.0.self_attn.q_proj":64})");
  EXPECT_EQ(patterns.rankOf(query_module), 16U) << "the first that matches";
  EXPECT_DOUBLE_EQ(patterns.scaleOf(query_module), 4);
  EXPECT_EQ(patterns.rankOf("model.layers.1.self_attn.q_proj"), 2U);
  EXPECT_DOUBLE_EQ(patterns.scaleOf("model.layers.1.self_attn.q_proj"), 4);
  EXPECT_EQ(patterns.rankOf(down_module), 4U);
  EXPECT_EQ(patterns.rankOf("model.layers.1.self_attn.xq_proj"), 4U) << "whole names only";
}

TEST_F(AdapterImportTest, TargetsAreNamesOrAPattern) {
  const AdapterConfig names = config(usual_members);
  EXPECT_TRUE(names.targets(query_module));
  EXPECT_TRUE(names.targets("q_proj"));
  EXPECT_FALSE(names.targets("model.layers.0.self_attn.xq_proj"));
  const std::string rest = R"("r":4,"lora_alpha":8,"target_modules":)";
  const AdapterConfig pattern = config(rest + R"("model\\.layers\\.\\d+\\.self_attn\\.[qv]_proj")");
  EXPECT_TRUE(pattern.targets(query_module));
  EXPECT_FALSE(pattern.targets(down_module));
  EXPECT_FALSE(pattern.targets(query_module + ".more")) << "the whole name";
  EXPECT_TRUE(config(rest + R"("all-linear")").targets(down_module));
}

TEST_F(AdapterImportTest, RejectsUnsupportedConfigs) {
  adapter_.add(query_module, 4);
  EXPECT_EQ(refusal(usual_members), "");
  const auto with = [](const std::string& members) { return usual_members + "," + members; };
  const std::string at = "adapter_config.json: ";
  EXPECT_EQ(refusal(with(R"("use_dora":true)")), at + "use_dora is not supported.");
  EXPECT_EQ(refusal(with(R"("modules_to_save":["lm_head"])")),
            at + "modules_to_save is not supported.");
  EXPECT_EQ(refusal(with(R"("fan_in_fan_out":true)")), at + "fan_in_fan_out is not supported.");
  EXPECT_EQ(refusal(with(R"("lora_bias":true)")), at + "lora_bias is not supported.");
  EXPECT_EQ(refusal(with(R"("layer_replication":[[0,1]])")),
            at + "layer_replication is not supported.");
  EXPECT_EQ(refusal(with(R"("trainable_token_indices":[1])")),
            at + "trainable_token_indices is not supported.");
  EXPECT_EQ(refusal(with(R"("init_lora_weights":"pissa_niter_4")")),
            at + "init_lora_weights 'pissa_niter_4' is not supported.");
  EXPECT_EQ(refusal(with(R"("bias":"all")")), at + "bias must be 'none'.");
  EXPECT_EQ(refusal(with(R"("task_type":"SEQ_CLS")")), at + "task_type must be 'CAUSAL_LM'.");
  EXPECT_EQ(refusal(R"("peft_type":"LOHA","r":4,"lora_alpha":8,"target_modules":["q_proj"])"),
            at + "peft_type must be 'LORA'.");
  EXPECT_EQ(refusal(R"("lora_alpha":8,"target_modules":["q_proj"])"), at + "r is missing.");
  EXPECT_EQ(refusal(R"("r":0,"lora_alpha":8,"target_modules":["q_proj"])"),
            at + "r must be a positive number.");
  EXPECT_EQ(refusal(R"("r":2.5,"lora_alpha":8,"target_modules":["q_proj"])"),
            at + "r must be a whole number up to 4096.");
  EXPECT_EQ(refusal(R"("r":4097,"lora_alpha":8,"target_modules":["q_proj"])"),
            at + "r must be a whole number up to 4096.");
  EXPECT_EQ(refusal(R"("r":4,"target_modules":["q_proj"])"), at + "lora_alpha is missing.");
  EXPECT_EQ(refusal(R"("r":4,"lora_alpha":8)"), at + "target_modules is missing.");
  EXPECT_EQ(refusal(R"("r":4,"lora_alpha":8,"target_modules":[1])"),
            at + "target_modules must be a list of names, or a pattern.");
  EXPECT_EQ(refusal(R"("r":4,"lora_alpha":8,"target_modules":"(")"),
            at + "target_modules is a pattern that cannot be read.");
  EXPECT_EQ(refusal(with(R"("rank_pattern":{"(":2})")),
            at + "rank_pattern: '(' is a pattern that cannot be read.");
  EXPECT_EQ(refusal(with(R"("alpha_pattern":{"q_proj":"x"})")),
            at + "alpha_pattern: the value of 'q_proj' must be a positive number.");
  for (const std::string rank : {"1e300", "4097", "1.5"}) {
    EXPECT_EQ(refusal(with(R"("rank_pattern":{"q_proj":)" + rank + "}")),
              at + "the values of rank_pattern must be whole numbers up to 4096.");
  }
  std::string many;
  for (int i = 0; i < 257; ++i) {
    many += (many.empty() ? "\"p" : ",\"p") + std::to_string(i) + "\":1";
  }
  EXPECT_EQ(refusal(with(R"("alpha_pattern":{)" + many + "}")),
            at + "alpha_pattern has more than 256 patterns.");
  EXPECT_EQ(refusal(with(R"("alpha_pattern":{")" + std::string(2000, 'a') + R"(":1})")),
            at + "alpha_pattern: '" + std::string(80, 'a') + "' is a pattern that cannot be read.");
  EXPECT_EQ(refusal(with(R"("x":")" + std::string(1 << 20, 'a') + '"')),
            "adapter_config.json is longer than 1048576 bytes.");
}

TEST_F(AdapterImportTest, RejectsNonFiniteNumbers) {
  adapter_.add(query_module, 4);
  const std::string why = "lora_b holds numbers that are not finite";
  EXPECT_NE(refusal(usual_members + R"(,"alpha_pattern":{"q_proj":1e300})").find(why),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(base_.file("adapter.gguf")));
  EXPECT_FALSE(std::filesystem::exists(base_.file("adapter.gguf.unchecked")));
  EXPECT_NE(refusal(R"("r":4,"lora_alpha":1e300,"target_modules":["q_proj"])").find("alpha"),
            std::string::npos);
}

TEST_F(AdapterImportTest, AcceptsSettingsWithoutEffect) {
  adapter_.add(query_module, 4);
  EXPECT_EQ(
      refusal(usual_members + R"(,"use_dora":false,"modules_to_save":null,"bias":"none",)"
                              R"("lora_dropout":0.1,"fan_in_fan_out":false,"rank_pattern":{},)"
                              R"("alpha_pattern":{},"task_type":"CAUSAL_LM","loftq_config":{},)"
                              R"("init_lora_weights":true,"layers_to_transform":null,)"
                              R"("inference_mode":true,"revision":null)"),
      "");
}

TEST_F(AdapterImportTest, RejectsMismatchedTensors) {
  const std::string at = "The adapter cannot be used: ";
  EXPECT_EQ(refusal(usual_members), at + "adapter_model.safetensors has no tensors.");
  adapter_.add(query_module, 4);
  EXPECT_EQ(refusal(R"("r":4,"lora_alpha":8,"target_modules":["v_proj"])"),
            at + query_module + " is not one of the target_modules.");
  EXPECT_EQ(refusal(R"("r":8,"lora_alpha":8,"target_modules":["q_proj"])"),
            at + query_module +
                " does not fit: for the rank 8 and this base model lora_A is [8, 32] and lora_B "
                "[32, 8].");
  EXPECT_EQ(refusal(usual_members, 3),
            at + query_module + " has the rank 4; at most 3 is supported.");
  EXPECT_EQ(refusal(usual_members, 4), "");
  adapter_.addTensor("base_model.model.model.embed_tokens.lora_embedding_A", {4, 264});
  EXPECT_EQ(refusal(usual_members),
            at + "the tensor base_model.model.model.embed_tokens.lora_embedding_A "
                 "is no part of a LoRA adapter.");
  adapter_.removeTensor("base_model.model.model.embed_tokens.lora_embedding_A");
  adapter_.removeTensor("base_model.model." + query_module + ".lora_B.weight");
  EXPECT_EQ(refusal(usual_members), at + query_module + " has no lora_B.");
  adapter_.removeTensor("base_model.model." + query_module + ".lora_A.weight");
  adapter_.addTensor("model.layers.7.self_attn.q_proj.lora_A.weight", {4, 32});
  adapter_.addTensor("model.layers.7.self_attn.q_proj.lora_B.weight", {32, 4});
  EXPECT_EQ(refusal(usual_members),
            at + "the base model has no place for model.layers.7.self_attn.q_proj.");
}

TEST_F(AdapterImportTest, RejectsBaseWithIncompleteHeads) {
  adapter_.add(query_module, 4);
  base_.setInFile("base.gguf", "llama.attention.key_length", 6);
  EXPECT_NE(refusal(usual_members).find("q_proj"), std::string::npos);
  base_.setInFile("base.gguf", "llama.attention.key_length", 0);
  base_.setInFile("base.gguf", "llama.embedding_length", 0);
  EXPECT_NE(refusal(usual_members).find("q_proj"), std::string::npos);
}

TEST_F(AdapterImportTest, NamesTheFileThatIsMissing) {
  const Result<AdapterImportResult> none = import();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(none.error().message().find("adapter_config.json"), std::string::npos);
  base_.write("adapter/adapter_config.json", "{" + usual_members + "}");
  const Result<AdapterImportResult> no_tensors = import();
  ASSERT_FALSE(no_tensors);
  EXPECT_NE(no_tensors.error().message().find("adapter_model.safetensors"), std::string::npos);
}

}  // namespace
}  // namespace spindle::weights
