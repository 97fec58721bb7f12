#include "trainer/model/model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/jobs/adapter_folder.h"
#include "trainer/jobs/base_model.h"
#include "trainer/model/base_for_test.h"
#include "trainer/model/llama_for_test.h"
#include "weights/adapters/adapter_import.h"
#include "weights/adapters/new_adapter.h"

namespace spindle::trainer {
namespace {

using Shape = BaseForTest::Shape;

const std::vector<std::int64_t> example_tokens = {259, 256, 7, 42, 99, 1, 13, 200, 31, 8, 8, 17};

std::int64_t lastOf(const Row& row) { return static_cast<std::int64_t>(row.tokens.size()) - 1; }

double largest(const std::vector<float>& numbers) {
  double most = 0;
  for (const float number : numbers) most = std::max(most, std::abs(static_cast<double>(number)));
  return most;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

/// Returns every token except the first as a target of the token before it.
Targets nextTokens(const std::vector<std::int64_t>& tokens, std::int64_t begin = 0) {
  Targets targets;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    targets.at.push_back(begin + static_cast<std::int64_t>(i) - 1);
    targets.tokens.push_back(tokens[i]);
  }
  return targets;
}

class ModelFamilies : public ::testing::TestWithParam<Shape> {
 protected:
  /// With F16 matrices, the engine also rounds the vectors that it multiplies.
  static double allowed() { return GetParam().dtype == "F32" ? 1e-3 : 1e-2; }
};

TEST_P(ModelFamilies, MatchTheEngine) {
  const BaseForTest base(GetParam());
  const std::unique_ptr<Model> model = base.load();
  const Row row = rowOf(example_tokens);
  const auto logits = model->logits(row, lastOf(row), Policy::kBase);
  ASSERT_TRUE(logits) << logits.error().message();
  const std::vector<float> expected = LlamaForTest(base.file()).logits(example_tokens);
  EXPECT_LT(distance(*logits, expected), allowed() * largest(expected));
}

TEST_P(ModelFamilies, MatchTheEngineWithASavedAdapter) {
  const BaseForTest base(GetParam());
  const std::unique_ptr<Model> model = base.load();
  ASSERT_TRUE(model->setAdapter(adapterForTest(model->shape())));
  const Row row = rowOf(example_tokens);
  const auto logits = model->logits(row, lastOf(row), Policy::kLearner);
  ASSERT_TRUE(logits) << logits.error().message();
  const auto without = model->logits(row, lastOf(row), Policy::kBase);
  EXPECT_GT(distance(*logits, *without), 0.1) << "the adapter does something";

  const std::string folder = base.at("adapter");
  ASSERT_TRUE(writeAdapterFolder(model->adapter(), folder));
  const auto imported = weights::importAdapter(
      {.folder = folder, .base_file = base.file(), .file = folder + "/adapter.gguf"});
  ASSERT_TRUE(imported) << imported.error().message();
  const std::vector<float> expected =
      LlamaForTest(base.file(), folder + "/adapter.gguf").logits(example_tokens);
  EXPECT_LT(distance(*logits, expected), allowed() * largest(expected));

  const Result<Adapter> read = readAdapterFolder(folder);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_TRUE(model->setAdapter(*read));
  EXPECT_EQ(*model->logits(row, lastOf(row), Policy::kLearner), *logits) << "to the bit";
  ASSERT_TRUE(model->setReference(*read));
  EXPECT_EQ(*model->logits(row, lastOf(row), Policy::kReference), *logits);
}

std::vector<Shape> models() {
  std::vector<Shape> all(9);
  all[1].type = "qwen2";
  all[2].type = "qwen3";
  all[2].head_width = 16;  // the heads together are wider than the hidden size
  all[3].tied = true;
  all[4].rope_scaling =
      R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
      R"("original_max_position_embeddings":64})";
  all[5].dtype = "F16";
  all[6].rope_scaling = R"({"rope_type":"linear","factor":4.0})";
  all[7].type = "qwen3";
  all[7].rope_scaling =
      R"({"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32})";
  all[8].kv_heads = 4;
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families,
                         ModelFamilies,
                         ::testing::ValuesIn(models()),
                         [](const ::testing::TestParamInfo<Shape>& tried) {
                           return tried.param.type + std::to_string(tried.index);
                         });

TEST(BaseModels, FolderAndFileGiveTheSameModel) {
  const BaseForTest base;
  const Row row = rowOf(example_tokens);
  std::vector<std::vector<float>> logits;
  for (const std::string& path : {base.file(), base.folder().path()}) {
    const Result<BaseModel> opened = openBaseModel(path);
    ASSERT_TRUE(opened) << opened.error().message();
    const auto model = Model::load(*opened->weights, {.threads = 1});
    ASSERT_TRUE(model) << model.error().message();
    logits.push_back(*(*model)->logits(row, lastOf(row), Policy::kBase));
    EXPECT_EQ(opened->codec->tokensOf("<|im_start|>he"), (std::vector<std::int64_t>{259, 256}));
    EXPECT_EQ(opened->codec->textOf({259, 256}), "<|im_start|>he");
    EXPECT_EQ(opened->codec->endToken(), 258);
  }
  EXPECT_EQ(logits[0], logits[1]) << "to the bit";
}

TEST(BaseModels, QuantizedFilesMatchTheEngine) {
  Shape shape;
  shape.width = 64;
  shape.head_width = 16;
  const BaseForTest base(shape, weights::TensorType::kQ8_0);
  const Result<BaseModel> opened = openBaseModel(base.file());
  ASSERT_TRUE(opened) << opened.error().message();
  const auto model = Model::load(*opened->weights, {.threads = 1});
  ASSERT_TRUE(model) << model.error().message();
  const Row row = rowOf(example_tokens);
  const auto logits = (*model)->logits(row, lastOf(row), Policy::kBase);
  const std::vector<float> expected = LlamaForTest(base.file()).logits(example_tokens);
  // The engine also quantizes the vectors that it multiplies.
  EXPECT_LT(distance(*logits, expected), 5e-2 * largest(expected));
}

TEST(BaseModels, ReportWhyTheyCannotBeUsed) {
  EXPECT_EQ(openBaseModel("/nowhere/model.gguf").error().code(), ErrorCode::kNotFound);
  const BaseForTest base;
  base.folder().write("model.safetensors", "");
  EXPECT_FALSE(openBaseModel(base.folder().path()));
}

TEST(BaseModels, RejectIncompleteHeads) {
  const BaseForTest base;
  base.folder().setInFile("out.gguf", "llama.attention.key_length", 6);
  base.folder().setInFile("out.gguf", "llama.rope.dimension_count", 6);
  const auto source = openGgufWeights(base.file(), plainNumbers);
  ASSERT_TRUE(source) << source.error().message();
  const auto model = Model::load(**source, {.threads = 1});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(model.error().message().find("q_proj"), std::string::npos) << model.error().message();
}

TEST(Adapters, StartLikeTheServersAdapter) {
  const BaseForTest base;
  const Result<weights::AdapterFiles> files =
      weights::newAdapter({.base_file = base.file(), .base_model = "tiny"});
  ASSERT_TRUE(files);
  std::filesystem::create_directory(base.at("v0"));
  std::string bytes;
  ASSERT_TRUE(files->tensors.writeTo([&bytes](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  }));
  base.folder().write("v0/adapter_model.safetensors", bytes);
  base.folder().write("v0/adapter_config.json", files->config);
  const Result<Adapter> read = readAdapterFolder(base.at("v0"));
  ASSERT_TRUE(read) << read.error().message();
  const Adapter fresh = createAdapter(base.load()->shape(), {});
  EXPECT_EQ(read->rank, fresh.rank);
  EXPECT_EQ(read->alpha, fresh.alpha);
  ASSERT_EQ(read->pairs.size(), fresh.pairs.size());
  for (const auto& [module, pair] : fresh.pairs) {
    EXPECT_EQ(read->pairs.at(module).down, pair.down) << module;
    EXPECT_EQ(read->pairs.at(module).up, pair.up) << module;
  }
}

TEST(Adapters, NewOnesChangeNothing) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  ASSERT_TRUE(model->setAdapter(createAdapter(model->shape(), {})));
  const Row row = rowOf(example_tokens);
  EXPECT_EQ(*model->logits(row, lastOf(row), Policy::kLearner),
            *model->logits(row, lastOf(row), Policy::kBase))
      << "to the bit";
}

TEST(Adapters, RejectMismatchedSizes) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  Adapter adapter = createAdapter(model->shape(), {});
  adapter.pairs["model.layers.9.mlp.up_proj"] = {};
  EXPECT_EQ(model->setAdapter(adapter).error().message(),
            "The adapter cannot be used: the base model has no model.layers.9.mlp.up_proj.");
  adapter = createAdapter(model->shape(), {});
  adapter.pairs.begin()->second.up.pop_back();
  EXPECT_EQ(model->setAdapter(adapter).error().message(),
            "The adapter cannot be used: model.layers.0.mlp.down_proj does not have the size "
            "of the base model's matrix.");
  EXPECT_FALSE(model->setAdapter({}));
}

/// A loss that is not linear in the logprobs: half the sum of their squares.
double halfSquares(const TokenScores& scores) {
  double sum = 0;
  for (const float logprob : scores.logprobs)
    sum += static_cast<double>(logprob) * static_cast<double>(logprob) / 2;
  return sum;
}

class Gradients : public ::testing::TestWithParam<std::string> {
 protected:
  Gradients() : base_(shape()), model_(base_.load()) {
    EXPECT_TRUE(model_->setAdapter(adapterForTest(model_->shape())));
    // Two sequences, and two more that share a prefix.
    row_ = rowOf({259, 256, 7, 42, 99});
    append(row_, {1, 13, 200});
    append(row_, {31, 8});
    for (int i = 0; i < 2; ++i) {
      const auto begin = static_cast<std::int64_t>(row_.tokens.size());
      for (const std::int64_t token : {8 + i, 17, 99}) row_.tokens.push_back(token);
      for (const std::int64_t position : {2, 3, 4}) row_.positions.push_back(position);
      row_.spans.push_back({.begin = begin, .length = 3, .parent_begin = 8, .parent_length = 2});
    }
    targets_ = {{0, 1, 3, 5, 6, 10, 11, 13, 14}, {256, 7, 99, 13, 200, 17, 99, 17, 99}};
  }

  static Shape shape() {
    Shape shape;
    shape.type = GetParam();
    shape.width = 16;
    shape.inner = 24;
    shape.heads = 2;
    shape.kv_heads = 1;
    return shape;
  }

  void expectSlopes(const std::vector<float>& gradient,
                    const std::function<double()>& loss,
                    double scale) {
    const std::vector<float> numbers = model_->parametersForTest();
    ASSERT_EQ(gradient.size(), numbers.size());
    std::mt19937 random(1);
    // First a direction of all numbers at once, then single numbers.
    for (int trial = 0; trial < 24; ++trial) {
      std::vector<float> direction(numbers.size(), 0);
      if (trial < 4) {
        for (float& part : direction) part = random() % 2 == 0 ? 1.0F : -1.0F;
      } else {
        direction[random() % direction.size()] = 1;
      }
      const float step = trial < 4 ? 2e-4F : 1e-2F;
      double expected = 0;
      std::vector<float> more = numbers;
      std::vector<float> less = numbers;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        expected += static_cast<double>(gradient[i]) * static_cast<double>(direction[i]);
        more[i] += step * direction[i];
        less[i] -= step * direction[i];
      }
      model_->setParametersForTest(more);
      const double above = loss();
      model_->setParametersForTest(less);
      const double below = loss();
      const double slope = (above - below) / (2 * static_cast<double>(step));
      EXPECT_NEAR(slope, expected, scale * (0.02 + 0.02 * std::abs(expected))) << trial;
    }
    model_->setParametersForTest(numbers);
  }

  BaseForTest base_;
  std::unique_ptr<Model> model_;
  Row row_;
  Targets targets_;
};

TEST_P(Gradients, OfAWeightedLossMatchFiniteDifferences) {
  const std::vector<float> weights = {1, 0.5, 2, 1, -1, 0.25, 1, 1, 3};
  const Result<double> loss = model_->learn(row_, targets_, weights);
  ASSERT_TRUE(loss) << loss.error().message();
  const std::vector<float> gradient = model_->gradientForTest();
  const auto again = [&] {
    const TokenScores scores = *model_->score(row_, targets_, Policy::kLearner);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      sum -= static_cast<double>(weights[i]) * static_cast<double>(scores.logprobs[i]);
    return sum;
  };
  EXPECT_NEAR(*loss, again(), 1e-4);
  expectSlopes(gradient, again, 1);
}

TEST_P(Gradients, OfAGeneralLossMatchFiniteDifferences) {
  const Result<void> learned = model_->learn(
      row_, targets_,
      [](const TokenScores& scores) -> Result<std::vector<float>> { return scores.logprobs; });
  ASSERT_TRUE(learned) << learned.error().message();
  expectSlopes(
      model_->gradientForTest(),
      [&] { return halfSquares(*model_->score(row_, targets_, Policy::kLearner)); }, 5);
}

TEST_P(Gradients, DoNotDependOnRecomputeAndChunks) {
  const std::vector<float> weights(targets_.at.size(), 1);
  ASSERT_TRUE(model_->learn(row_, targets_, weights));
  const std::vector<float> gradient = model_->gradientForTest();
  for (const Compute& compute : {Compute{.threads = 1, .recompute = false, .chunk = 2},
                                 Compute{.threads = 1, .keep_bytes = 1},
                                 Compute{.threads = 2, .keep_bytes = 1, .chunk = 5}}) {
    const std::unique_ptr<Model> other = base_.load(compute);
    ASSERT_TRUE(other->setAdapter(adapterForTest(other->shape())));
    ASSERT_TRUE(other->learn(row_, targets_, weights));
    EXPECT_LT(distance(other->gradientForTest(), gradient), 1e-5 * (1 + largest(gradient)));
  }
}

TEST_P(Gradients, OfAllWeightsMatchFiniteDifferences) {
  const ModelShape shape = model_->shape();
  Result<std::unique_ptr<Model>> made = Model::random(shape, 1, {.threads = 1});
  ASSERT_TRUE(made) << made.error().message();
  model_ = *std::move(made);
  const std::vector<float> weights(targets_.at.size(), 1);
  ASSERT_TRUE(model_->learn(row_, targets_, weights));
  expectSlopes(
      model_->gradientForTest(),
      [&] {
        double sum = 0;
        const TokenScores scores = *model_->score(row_, targets_, Policy::kLearner);
        for (const float logprob : scores.logprobs) sum -= static_cast<double>(logprob);
        return sum;
      },
      5);
}

INSTANTIATE_TEST_SUITE_P(Families, Gradients, ::testing::Values("llama", "qwen2", "qwen3"));

TEST(Rows, PackedSequencesMatchSingleOnes) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  ASSERT_TRUE(model->setAdapter(adapterForTest(model->shape())));
  const std::vector<std::vector<std::int64_t>> sequences = {
      {259, 256, 7, 42, 99, 1, 13}, {200, 31}, {8, 8, 17, 5, 6}};
  Row packed;
  Targets targets;
  std::vector<float> alone;
  for (const std::vector<std::int64_t>& tokens : sequences) {
    const Targets own = nextTokens(tokens);
    const TokenScores scores = *model->score(rowOf(tokens), own, Policy::kLearner, true);
    alone.insert(alone.end(), scores.logprobs.begin(), scores.logprobs.end());
    for (const float entropy : scores.entropies) EXPECT_GT(entropy, 0);
    const Targets there = nextTokens(tokens, static_cast<std::int64_t>(packed.tokens.size()));
    targets.at.insert(targets.at.end(), there.at.begin(), there.at.end());
    targets.tokens.insert(targets.tokens.end(), there.tokens.begin(), there.tokens.end());
    append(packed, tokens);
  }
  EXPECT_LT(distance(model->score(packed, targets, Policy::kLearner)->logprobs, alone), 1e-4);
}

TEST(Rows, SharedPrefixMatchesWholeSequences) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  // Longer than the blocks of the attention implementation.
  std::vector<std::int64_t> prompt;
  for (std::int64_t i = 0; i < 300; ++i) prompt.push_back((i * 37 + 11) % 256);
  Row row = rowOf(prompt);
  std::vector<float> alone;
  Targets targets;
  for (std::int64_t tail = 0; tail < 2; ++tail) {
    std::vector<std::int64_t> whole = prompt;
    const auto begin = static_cast<std::int64_t>(row.tokens.size());
    for (std::int64_t i = 0; i < 280; ++i) {
      whole.push_back((i * 13 + 5 + tail) % 256);
      row.tokens.push_back(whole.back());
      row.positions.push_back(300 + i);
    }
    row.spans.push_back({.begin = begin, .length = 280, .parent_begin = 0, .parent_length = 300});
    const Targets own = nextTokens(whole);
    const TokenScores scores = *model->score(rowOf(whole), own, Policy::kBase);
    for (std::size_t i = 1; i < 280; ++i) {
      targets.at.push_back(begin + static_cast<std::int64_t>(i) - 1);
      targets.tokens.push_back(whole[300 + i]);
      alone.push_back(scores.logprobs[299 + i]);
    }
  }
  EXPECT_LT(distance(model->score(row, targets, Policy::kBase)->logprobs, alone), 1e-4);
}

TEST(Rows, RejectInvalidRows) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  const auto problem = [&](const Row& row, const Targets& targets) {
    return model->score(row, targets, Policy::kBase).error().message();
  };
  const std::string before = "The row cannot be used: ";
  EXPECT_EQ(problem({}, {}), before + "there is nothing to learn from.");
  EXPECT_EQ(problem(rowOf({1, 999}), {{0}, {1}}),
            before + "the token 999 is not in the vocabulary.");
  EXPECT_EQ(problem(rowOf({1, 2}), {{2}, {1}}), before + "a target is outside.");
  Row row = rowOf({1, 2, 3});
  row.spans[0].length = 2;
  EXPECT_EQ(problem(row, {{0}, {1}}), before + "its spans do not cover it.");
  row = rowOf({1, 2});
  row.positions.pop_back();
  EXPECT_EQ(problem(row, {{0}, {1}}), before + "its parts differ in length.");
  row = rowOf({1, 2});
  row.spans[0].parent_length = 2;
  EXPECT_EQ(problem(row, {{0}, {1}}), before + "a span's parent is not before it.");
}

TEST(Steps, MatchAdamW) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  ASSERT_TRUE(model->setAdapter(adapterForTest(model->shape())));
  std::vector<double> first(model->parametersForTest().size(), 0);
  std::vector<double> second = first;
  const Row row = rowOf(example_tokens);
  const Targets targets = nextTokens(example_tokens);
  const std::vector<float> weights(targets.at.size(), 0.1F);
  for (int step = 1; step <= 3; ++step) {
    ASSERT_TRUE(model->learn(row, targets, weights));
    const std::vector<float> before = model->parametersForTest();
    std::vector<float> gradient = model->gradientForTest();
    double length = 0;
    for (const float part : gradient)
      length += static_cast<double>(part) * static_cast<double>(part);
    length = std::sqrt(length);
    const Result<double> stepped =
        model->step({.learning_rate = 0.01, .weight_decay = 0.1, .clip = 0.5});
    ASSERT_TRUE(stepped);
    EXPECT_NEAR(*stepped, length, 1e-3 * length);
    const std::vector<float> after = model->parametersForTest();
    for (std::size_t i = 0; i < before.size(); i += 7) {
      const double g = static_cast<double>(gradient[i]) * std::min(1.0, 0.5 / (length + 1e-6));
      first[i] = 0.9 * first[i] + 0.1 * g;
      second[i] = 0.99 * second[i] + 0.01 * g * g;
      const double m = first[i] / (1 - std::pow(0.9, step));
      const double v = second[i] / (1 - std::pow(0.99, step));
      const auto theta = static_cast<double>(before[i]);
      const double expected = theta - 0.01 * (m / (std::sqrt(v) + 1e-8) + 0.1 * theta);
      ASSERT_NEAR(static_cast<double>(after[i]), expected, 2e-5) << step << " " << i;
    }
    for (const float part : model->gradientForTest()) ASSERT_EQ(part, 0);
  }
}

TEST(Steps, NonFiniteGradientChangesNothing) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  ASSERT_TRUE(model->setAdapter(adapterForTest(model->shape())));
  const std::vector<float> before = model->parametersForTest();
  const Targets targets = nextTokens(example_tokens);
  const std::vector<float> weights(targets.at.size(), std::nanf(""));
  ASSERT_TRUE(model->learn(rowOf(example_tokens), targets, weights));
  const Result<double> stepped = model->step({.learning_rate = 0.01});
  ASSERT_TRUE(stepped);
  EXPECT_FALSE(std::isfinite(*stepped));
  EXPECT_EQ(model->parametersForTest(), before);
}

TEST(States, ResumeBitIdentically) {
  const BaseForTest base;
  const std::string path = base.at("state");
  const Row row = rowOf(example_tokens);
  const Targets targets = nextTokens(example_tokens);
  const std::vector<float> weights(targets.at.size(), 0.1F);
  const auto train = [&](Model& model, int steps) {
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(model.learn(row, targets, weights));
      ASSERT_TRUE(model.step({.learning_rate = 0.01, .weight_decay = 0.1}));
    }
  };
  const std::unique_ptr<Model> whole = base.load();
  ASSERT_TRUE(whole->setAdapter(adapterForTest(whole->shape())));
  train(*whole, 2);
  ASSERT_TRUE(whole->saveState(path, "two of four"));
  train(*whole, 2);

  const std::unique_ptr<Model> resumed = base.load();
  ASSERT_TRUE(resumed->setAdapter(createAdapter(resumed->shape(), {.rank = 4, .alpha = 8})));
  const Result<std::string> note = resumed->loadState(path);
  ASSERT_TRUE(note) << note.error().message();
  EXPECT_EQ(*note, "two of four");
  train(*resumed, 2);
  EXPECT_EQ(resumed->parametersForTest(), whole->parametersForTest());
}

TEST(States, RejectOtherModels) {
  const BaseForTest base;
  const std::unique_ptr<Model> model = base.load();
  ASSERT_TRUE(model->setAdapter(createAdapter(model->shape(), {.rank = 4})));
  ASSERT_TRUE(model->saveState(base.at("state"), ""));
  ASSERT_TRUE(model->setAdapter(createAdapter(model->shape(), {.rank = 8})));
  EXPECT_EQ(model->loadState(base.at("state")).error().message(),
            "The saved state cannot be used: it belongs to another model.");
  EXPECT_EQ(model->loadState(base.file()).error().message(),
            "The saved state cannot be used: it is not a state file.");
  EXPECT_EQ(model->loadState(base.at("none")).error().code(), ErrorCode::kNotFound);
}

TEST(RandomModels, DependOnlyOnTheSeed) {
  ModelShape shape;
  shape.family = weights::Family::kQwen3;
  shape.vocabulary = 32;
  shape.width = 8;
  shape.inner_width = 16;
  shape.layers = 2;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_width = 4;
  shape.context = 64;
  shape.norm_epsilon = 1e-6;
  shape.rope_base = 10000;
  const auto made = [&shape](std::uint64_t seed) {
    return (*Model::random(shape, seed, {.threads = 1}))->parametersForTest();
  };
  EXPECT_EQ(made(1), made(1));
  EXPECT_NE(made(1), made(2));
  shape.kv_heads = 3;
  EXPECT_EQ(
      Model::random(shape, 1, {}).error().message(),
      "The model's shape is invalid: the heads must be a multiple of the key and value heads.");
}

}  // namespace
}  // namespace spindle::trainer
