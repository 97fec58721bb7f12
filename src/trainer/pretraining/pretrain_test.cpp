#include "trainer/pretraining/pretrain.h"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/model/llama_for_test.h"
#include "trainer/pretraining/documents.h"
#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::trainer {
namespace {

/// The vocabulary of weights::HfFolderForTest; token 257 ends documents.
constexpr std::int64_t kEnd = 257;

class PretrainTest : public ::testing::Test {
 protected:
  PretrainTest() {
    std::vector<std::uint16_t> tokens;
    for (int document = 0; document < 64; ++document) {
      for (int i = 0; i < 12; ++i)
        tokens.push_back(static_cast<std::uint16_t>(97 + (document + i) % 5));
      tokens.push_back(kEnd);
    }
    write("tokens.bin", tokens);
    options_.shape.family = weights::Family::kQwen3;
    options_.shape.vocabulary = weights::HfFolderForTest::kVocabulary;
    options_.shape.width = 16;
    options_.shape.inner_width = 32;
    options_.shape.layers = 2;
    options_.shape.heads = 2;
    options_.shape.kv_heads = 1;
    options_.shape.head_width = 8;
    options_.shape.context = 64;
    options_.shape.norm_epsilon = 1e-6;
    options_.shape.rope_base = 10000;
    options_.token_files = {folder_.file("tokens.bin")};
    options_.held_out_file = folder_.file("tokens.bin");
    options_.document_end = kEnd;
    options_.out = folder_.file("made");
    options_.steps = 20;
    options_.batch_tokens = 128;
    options_.micro_tokens = 64;
    options_.schedule.peak = 0.02;
    options_.measure_every = 10;
    options_.compute.threads = 1;
  }

  void write(const std::string& name, const std::vector<std::uint16_t>& tokens) const {
    folder_.write(name, std::string(reinterpret_cast<const char*>(tokens.data()),
                                    tokens.size() * sizeof(tokens[0])));
  }
  std::string contentOf(const std::string& name) const {
    std::ifstream file(folder_.file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  weights::HfFolderForTest folder_{weights::HfFolderForTest::Model{}};
  PretrainOptions options_;
};

TEST_F(PretrainTest, TrainsAndWritesAFolderThatTheEngineReads) {
  std::vector<PretrainProgress> progress;
  const Result<void> done =
      pretrain(options_, [&](const PretrainProgress& one) { progress.push_back(one); });
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_EQ(progress.size(), 20U);
  EXPECT_LT(progress.back().loss, 0.6 * progress.front().loss);
  EXPECT_TRUE(std::isnan(progress[0].held_out_loss));
  EXPECT_LT(progress.back().held_out_loss, 0.6 * progress.front().loss);
  EXPECT_GT(progress.back().epoch, 1);

  for (const char* file : {"tokenizer.json", "tokenizer_config.json"})
    folder_.write(std::string("made/") + file, contentOf(file));
  const auto imported = weights::importHfFolder({.folder = options_.out,
                                                 .file = folder_.file("made.gguf"),
                                                 .name = "made",
                                                 .type = {},
                                                 .progress = {}});
  ASSERT_TRUE(imported) << imported.error().message();
  const std::vector<float> logits =
      LlamaForTest(folder_.file("made.gguf")).logits({97, 98, 99, 100, 101, 97});
  EXPECT_EQ(std::max_element(logits.begin(), logits.end()) - logits.begin(), 98) << "b follows a";
}

TEST_F(PretrainTest, SameSeedGivesSameModelAlsoAfterResume) {
  const auto told = [](const PretrainProgress&) {};
  options_.steps = 6;
  ASSERT_TRUE(pretrain(options_, told));
  const std::string whole = contentOf("made/model.safetensors");
  ASSERT_FALSE(whole.empty());

  // A run whose state says that it stopped after four steps.
  options_.state = folder_.file("state");
  options_.save_every = 4;
  ASSERT_TRUE(pretrain(options_, told));
  EXPECT_EQ(contentOf("made/model.safetensors"), whole);
  std::vector<std::uint64_t> steps;
  ASSERT_TRUE(pretrain(options_, [&](const PretrainProgress& one) { steps.push_back(one.step); }));
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{5, 6}));
  EXPECT_EQ(contentOf("made/model.safetensors"), whole);
}

TEST_F(PretrainTest, ReportsErrors) {
  const auto problem = [this] {
    const Result<void> done = pretrain(options_, [](const PretrainProgress&) {});
    return done ? std::string() : done.error().message();
  };
  options_.mask_files = {folder_.file("config.json")};
  EXPECT_NE(problem().find("it does not have a byte for every token."), std::string::npos);
  options_.mask_files.clear();
  options_.shape.vocabulary = 200;
  EXPECT_NE(problem().find("the token 257 is not in the vocabulary."), std::string::npos);
  options_.token_files = {folder_.file("none")};
  EXPECT_NE(problem().find("none"), std::string::npos);
  options_.token_files.clear();
  EXPECT_EQ(problem(), "There are no token files.");
}

TEST_F(PretrainTest, UsesEveryDocumentOncePerEpoch) {
  Documents documents;
  ASSERT_TRUE(documents.add(options_.token_files[0], {}, kEnd, 264));
  EXPECT_EQ(documents.size(), 64U);
  DocumentOrder order(documents, 1, 64);
  std::size_t tokens = 0;
  std::size_t dealt = 0;
  while (order.position() < 64) {
    const DocumentBatch batch = order.next(40);
    EXPECT_EQ(batch.row.tokens.size(), batch.row.spans.size() * 13);
    EXPECT_EQ(batch.targets.at.size(), batch.row.spans.size() * 12);
    tokens += batch.row.tokens.size();
    dealt += batch.row.spans.size();
  }
  EXPECT_GE(dealt, 64U);
  EXPECT_EQ(tokens, dealt * 13);
}

TEST_F(PretrainTest, TrainsOnMaskedTokensOnly) {
  folder_.write("mask.bin", std::string(64UL * 13, '\0').replace(5, 1, 1, '\1'));
  Documents documents;
  ASSERT_TRUE(documents.add(options_.token_files[0], folder_.file("mask.bin"), kEnd, 264));
  DocumentOrder order(documents, 1, 64);
  std::size_t targets = 0;
  while (const auto batch = order.nextInFileOrder(100)) targets += batch->targets.at.size();
  EXPECT_EQ(targets, 1U);
}

TEST(PretrainOptionsOf, ReadsTheCommandLine) {
  const std::vector<std::string> line = {
      "--vocabulary", "64",    "--width",    "16",   "--inner",      "32",    "--layers",  "2",
      "--heads",      "2",     "--kv-heads", "1",    "--head-width", "8",     "--context", "128",
      "--family",     "qwen3", "--tied",     "yes",  "--tokens",     "a.bin", "--tokens",  "b.bin",
      "--out",        "x",     "--rate",     "0.01", "--steps",      "7"};
  const Result<PretrainOptions> options = pretrainOptionsOf(line);
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->shape.width, 16U);
  EXPECT_EQ(options->shape.family, weights::Family::kQwen3);
  EXPECT_TRUE(options->shape.tied);
  EXPECT_EQ(options->token_files, (std::vector<std::string>{"a.bin", "b.bin"}));
  EXPECT_EQ(options->schedule.peak, 0.01);
  EXPECT_EQ(options->steps, 7U);
  const auto problem = [&line](std::vector<std::string> more) {
    std::vector<std::string> all = line;
    all.insert(all.end(), more.begin(), more.end());
    return pretrainOptionsOf(all).error().message();
  };
  EXPECT_EQ(problem({"--colour", "red"}), "There is no option --colour.");
  EXPECT_EQ(problem({"--steps", "many"}), "--steps needs a valid value.");
  EXPECT_EQ(problem({"--steps"}), "--steps needs a valid value.");
  EXPECT_EQ(
      problem({"--kv-heads", "3"}),
      "The model's shape is invalid: the heads must be a multiple of the key and value heads.");
  EXPECT_EQ(pretrainOptionsOf({}).error().message(), "--out is missing.");
  EXPECT_NE(pretrainHelp().find("--held-out"), std::string::npos);
}

}  // namespace
}  // namespace spindle::trainer
