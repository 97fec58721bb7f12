#include "app/server/default_model.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "identity/store/identity_for_test.h"
#include "inference/catalogue/migrations.h"

namespace spindle::app {
namespace {

class DefaultModel : public identity::IdentityTest {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), inference::inferenceSchema()}, clock_.now());
  }

  bool offer(const std::string& file) {
    const Result<bool> offered = addDefaultModel(catalogue_, file);
    EXPECT_TRUE(offered);
    return offered && *offered;
  }

  inference::CatalogueRepository catalogue_{*database_, clock_, sha256("upstream-keys")};
};

TEST_P(DefaultModel, IsAddedToAnUnchangedCatalogue) {
  EXPECT_TRUE(offer("/models/spindle-nano.gguf"));
  const Result<inference::Model> model = catalogue_.findModel("spindle-nano");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->file, "/models/spindle-nano.gguf");
  ASSERT_EQ(model->targets.size(), 1U);
  EXPECT_EQ(model->targets[0].upstream_id, "");
}

TEST_P(DefaultModel, IsAddedOnce) {
  EXPECT_TRUE(offer("/models/spindle-nano.gguf"));
  EXPECT_FALSE(offer("/models/spindle-nano.gguf"));
  ASSERT_TRUE(catalogue_.removeModel("spindle-nano", false));
  EXPECT_FALSE(offer("/models/spindle-nano.gguf"));
  EXPECT_FALSE(catalogue_.findModel("spindle-nano"));
}

TEST_P(DefaultModel, MissingFileAddsNothing) {
  EXPECT_FALSE(offer(""));
  EXPECT_TRUE(offer("/models/other.gguf"));
  EXPECT_TRUE(catalogue_.findModel("other"));
}

SPINDLE_ON_BOTH_ENGINES(DefaultModel);

TEST(DefaultModelFile, UsesTheSetting) {
  EXPECT_EQ(defaultModelFile("none"), "");
  EXPECT_EQ(defaultModelFile("/somewhere/a.gguf"), "/somewhere/a.gguf");
  EXPECT_EQ(defaultModelFile("a.gguf"), (std::filesystem::current_path() / "a.gguf").string());
}

}  // namespace
}  // namespace spindle::app
