#include "pricing/price_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "pricing/project_prices.h"
#include "pricing/timestamp_for_test.h"

namespace spindle::pricing {
namespace {

std::string shippedText() {
  std::ifstream file(SPINDLE_SOURCE_DIR "/data/prices/prices.json");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class ShippedPrices : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(file_) << file_.error().message(); }
  ProjectPrices prices() const {
    return ProjectPrices({std::make_shared<const PriceTable>(file_->prices)});
  }
  void expect(const std::string& model, const std::string& date, const TokenPrices& tokens) const {
    const ProjectPrices all = prices();
    const Price* chosen = all.choose(model, at(date));
    ASSERT_NE(chosen, nullptr) << model;
    EXPECT_EQ(chosen->tokens, tokens) << model << " " << date;
  }

  Result<PriceFile> file_ = readBuiltInPriceFile(shippedText());
};

TEST_F(ShippedPrices, ContainTheSamplePrices) {
  expect("gpt-4", "2024-11-01", {3e-5, 6e-5, 0, 0});
  expect("gpt-4o", "2024-11-01", {5e-6, 1.5e-5, 0, 0});
  expect("gpt-4o", "2025-01-01", {2.5e-6, 1e-5, 0, 0});
  expect("gpt-4o", "2026-05-01", {2.5e-6, 1e-5, 1.25e-6, 0});
  expect("gpt-4o-mini", "2025-01-01", {1.5e-7, 6e-7, 0, 0});
  expect("o3-mini", "2025-06-01", {1.1e-6, 4.4e-6, 0, 0});
}

TEST_F(ShippedPrices, AreDatedAndOfTheDefaultLevel) {
  EXPECT_GT(file_->date, at("2025-01-01"));
  std::set<std::string> models;
  for (const Price& price : file_->prices) {
    models.insert(price.llm_id);
    EXPECT_EQ(price.level, PriceLevel::kDefault) << price.llm_id;
    EXPECT_EQ(price.created_by, "system") << price.llm_id;
    EXPECT_EQ(price.created_at, price.effective_date) << price.llm_id;
    EXPECT_NE(price.provider_id, "default") << price.llm_id;
    EXPECT_LE(price.effective_date, file_->date) << price.llm_id;
  }
  EXPECT_GE(models.size(), 60U);
}

TEST_F(ShippedPrices, ArePlausible) {
  for (const Price& price : file_->prices) {
    const TokenPrices& tokens = price.tokens;
    EXPECT_GT(tokens.prompt, 1e-9) << price.llm_id;
    EXPECT_LT(tokens.prompt, 2e-4) << price.llm_id;
    EXPECT_LT(tokens.completion, 1e-3) << price.llm_id;
    EXPECT_LE(tokens.cache_read, tokens.prompt) << price.llm_id;
  }
}

TEST(PriceTableFile, RejectsInvalidFiles) {
  for (const char* text :
       {"", "[]", "{}", R"({"date":"2026-01-01"})", R"({"date":"x","models":{}})",
        R"({"date":"2026-01-01","models":{"m":{}}})",
        R"({"date":"2026-01-01","models":{"m":[{}]}})",
        R"({"date":"2026-01-01","models":{"m":[{"date":"2026-01-01","input":1}]}})",
        R"({"date":"2026-01-01","models":{"m":[{"date":"2026-01-01","input":"1","output":1}]}})"}) {
    const Result<PriceFile> file = readBuiltInPriceFile(text);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(CommunityPriceFile, GivesOnePriceForEachModelThatHasOne) {
  const Result<CommunityPriceFile> file = readCommunityPriceFile(
      R"({"sample_spec":{"input_cost_per_token":0,"output_cost_per_token":0},)"
      R"("a":{"input_cost_per_token":1e-06,"output_cost_per_token":2e-06,)"
      R"("cache_read_input_token_cost":1e-07,"cache_creation_input_token_cost":1.25e-06,)"
      R"("litellm_provider":"anthropic","max_tokens":8192},)"
      R"("embed":{"input_cost_per_token":2e-08,"mode":"embedding"},)"
      R"("image":{"output_cost_per_image":0.04},"broken":7,)"
      R"("odd":{"input_cost_per_token":"1e-6","output_cost_per_token":-1}})",
      at("2026-02-03"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->skipped, 3U);
  ASSERT_EQ(file->prices.size(), 2U);
  const Price& first = file->prices[0];
  EXPECT_EQ(first.llm_id, "a");
  EXPECT_EQ(first.tokens, (TokenPrices{1e-6, 2e-6, 1e-7, 1.25e-6}));
  EXPECT_EQ(first.provider_id, "anthropic");
  EXPECT_EQ(first.level, PriceLevel::kDefault);
  EXPECT_EQ(first.effective_date, at("2026-02-03"));
  EXPECT_EQ(file->prices[1].llm_id, "embed");
  EXPECT_EQ(file->prices[1].tokens.completion, 0);
  EXPECT_EQ(file->prices[1].provider_id, "default");
}

TEST(CommunityPriceFile, IsAMap) {
  EXPECT_FALSE(readCommunityPriceFile("[1]", at("2026-01-01")));
  EXPECT_FALSE(readCommunityPriceFile("{", at("2026-01-01")));
}

}  // namespace
}  // namespace spindle::pricing
