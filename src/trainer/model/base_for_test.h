#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "trainer/model/gguf_weights.h"
#include "trainer/model/model.h"
#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::trainer {

/// A tiny model as a Hugging Face folder and as a GGUF file; a seed determines the weights.
class BaseForTest {
 public:
  using Shape = weights::HfFolderForTest::Model;

  explicit BaseForTest(const Shape& model = {}, std::optional<weights::TensorType> type = {})
      : folder_(model) {
    const auto done = weights::importHfFolder(
        {.folder = folder_.path(), .file = file(), .name = "tiny", .type = type, .progress = {}});
    EXPECT_TRUE(done) << done.error().message();
  }

  std::string file() const { return folder_.file("out.gguf"); }
  std::string at(const std::string& name) const { return folder_.file(name); }
  const weights::HfFolderForTest& folder() const { return folder_; }

  std::unique_ptr<Model> load(const Compute& compute = {.threads = 1}) const {
    const auto source = openGgufWeights(file(), plainNumbers);
    EXPECT_TRUE(source) << source.error().message();
    Result<std::unique_ptr<Model>> model = Model::load(**source, compute);
    EXPECT_TRUE(model) << model.error().message();
    return *std::move(model);
  }

 private:
  weights::HfFolderForTest folder_;
};

/// Returns an adapter in which every number differs from 0.
inline Adapter adapterForTest(const ModelShape& shape, unsigned seed = 3) {
  Adapter adapter = createAdapter(shape, {.rank = 4, .alpha = 8, .seed = seed});
  std::mt19937 random(seed);
  for (auto& [module, pair] : adapter.pairs) {
    for (float& number : pair.up) number = static_cast<float>(random() % 2001) / 4000.0F - 0.25F;
  }
  return adapter;
}

}  // namespace spindle::trainer
