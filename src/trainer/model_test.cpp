#include "trainer/model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/gguf_weights.h"
#include "trainer/llama_for_test.h"
#include "weights/hf_folder_for_test.h"
#include "weights/hf_import.h"

namespace spindle::trainer {
namespace {

using Folder = weights::HfFolderForTest;

const std::vector<std::int64_t> kTokens = {259, 256, 7, 42, 99, 1, 13, 200, 31, 8, 8, 17};

/// A tiny model in a GGUF file.
class Base {
 public:
  explicit Base(const Folder::Model& model, std::optional<weights::TensorType> type = {})
      : folder_(model) {
    const auto done = weights::importHfFolder(
        {.folder = folder_.path(), .file = file(), .name = "tiny", .type = type});
    EXPECT_TRUE(done) << done.error().message();
  }
  std::string file() const { return folder_.file("out.gguf"); }
  const Folder& folder() const { return folder_; }

  std::unique_ptr<Model> load(const Compute& compute = {.threads = 1}) const {
    auto source = openGgufWeights(file(), plainNumbers);
    EXPECT_TRUE(source) << source.error().message();
    auto model = Model::load(**source, compute);
    EXPECT_TRUE(model) << model.error().message();
    return *std::move(model);
  }

 private:
  Folder folder_;
};

double largest(const std::vector<float>& numbers) {
  double most = 0;
  for (const float number : numbers) most = std::max(most, std::abs(static_cast<double>(number)));
  return most;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

class ModelFamilies : public ::testing::TestWithParam<Folder::Model> {};

TEST_P(ModelFamilies, ComputeWhatTheEngineDoes) {
  const Base base(GetParam());
  const std::unique_ptr<Model> model = base.load();
  const Row row = rowOf(kTokens);
  const auto logits =
      model->logits(row, static_cast<std::int64_t>(kTokens.size()) - 1, Policy::kBase);
  ASSERT_TRUE(logits) << logits.error().message();
  const std::vector<float> expected = LlamaForTest(base.file()).logits(kTokens);
  // Beside matrices of halves the engine rounds what it multiplies them with too.
  const double allowed = GetParam().dtype == "F32" ? 1e-3 : 1e-2;
  EXPECT_LT(distance(*logits, expected), allowed * largest(expected));
}

std::vector<Folder::Model> models() {
  std::vector<Folder::Model> all(9);
  all[1].type = "qwen2";
  all[2].type = "qwen3";
  all[2].head_width = 16;  // the heads together are wider than the model
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
                         [](const ::testing::TestParamInfo<Folder::Model>& tried) {
                           return tried.param.type + std::to_string(tried.index);
                         });

}  // namespace
}  // namespace spindle::trainer
