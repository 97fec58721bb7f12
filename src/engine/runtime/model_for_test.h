#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/runtime/generation.h"
#include "engine/runtime/model.h"
#include "weights/formats/gguf_writer.h"
#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::engine {

/// A tiny model with random weights from a fixed seed, in a file and loaded.
class ModelForTest {
 public:
  ModelForTest() {
    startBackend();
    const auto done = weights::importHfFolder(
        {.folder = folder_.path(), .file = file(), .name = "tiny", .type = {}});
    EXPECT_TRUE(done);
    Result<std::unique_ptr<Model>> loaded = Model::load(file());
    EXPECT_TRUE(loaded);
    model_ = *std::move(loaded);
  }

  const Model& operator*() const { return *model_; }
  const Model* operator->() const { return model_.get(); }
  std::string file() const { return folder_.file("model.gguf"); }

  /// Creates an adapter of the model with random weights from `seed`.
  std::shared_ptr<Adapter> adapter(unsigned seed) const {
    const std::string path = folder_.file("adapter-" + std::to_string(seed) + ".gguf");
    weights::GgufWriter writer;
    writer.addText("general.architecture", "llama");
    writer.addText("general.type", "adapter");
    writer.addText("adapter.type", "lora");
    writer.addF32("adapter.lora.alpha", 8);
    std::mt19937 random(seed);
    const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape) {
      std::vector<float> numbers;
      for (std::uint64_t i = 0; i < shape[0] * shape[1]; ++i)
        numbers.push_back(static_cast<float>(random() % 2001) / 1000.0F - 1);
      writer.addTensor({name, std::move(shape), weights::TensorType::kF32},
                       [bytes = weights::encoded(weights::TensorType::kF32, numbers)](
                           const weights::ByteSink& sink) { return sink(bytes); });
    };
    for (const std::string layer : {"blk.0.", "blk.1."}) {
      add(layer + "attn_q.weight.lora_a", {4, 32});
      add(layer + "attn_q.weight.lora_b", {32, 4});
    }
    EXPECT_TRUE(writer.writeTo(path));
    Result<std::shared_ptr<Adapter>> adapter = Adapter::load(*model_, path);
    EXPECT_TRUE(adapter);
    return *std::move(adapter);
  }

 private:
  weights::HfFolderForTest folder_{weights::HfFolderForTest::Model{}};
  std::unique_ptr<Model> model_;
};

/// A fixture of tests that share one model.
class SharedModelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<ModelForTest>(); }
  static void TearDownTestSuite() { model_.reset(); }

  static inline std::unique_ptr<ModelForTest> model_;
};

/// Collects the results of a generation and waits for its end.
class SinkForTest final : public GenerationSink {
 public:
  bool isWanted() const override {
    const std::lock_guard lock(mutex_);
    return limit_ == 0 || tokens_.size() < limit_;
  }
  void onPrompt(std::vector<GeneratedToken> tokens) override {
    const std::lock_guard lock(mutex_);
    prompt_ = std::move(tokens);
  }
  void onDelta(GenerationDelta delta) override {
    const std::lock_guard lock(mutex_);
    text_ += delta.text;
    for (GeneratedToken& token : delta.tokens) tokens_.push_back(std::move(token));
  }
  void onEnd(const GenerationEnd& end) override {
    const std::lock_guard lock(mutex_);
    end_ = end;
    ended_.notify_all();
  }

  /// Cancels the generation after this number of tokens.
  void wantOnly(std::size_t tokens) { limit_ = tokens; }
  GenerationEnd end() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return end_.has_value(); });
    return *end_;
  }
  std::vector<Token> tokens() {
    end();
    std::vector<Token> ids;
    for (const GeneratedToken& token : tokens_) ids.push_back(token.token);
    return ids;
  }
  const std::vector<GeneratedToken>& details() {
    end();
    return tokens_;
  }
  const std::string& text() {
    end();
    return text_;
  }
  const std::vector<GeneratedToken>& prompt() {
    end();
    return prompt_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t limit_ = 0;
  std::string text_;
  std::vector<GeneratedToken> prompt_;
  std::vector<GeneratedToken> tokens_;
  std::optional<GenerationEnd> end_;
};

}  // namespace spindle::engine
