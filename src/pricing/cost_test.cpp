#include <limits>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "pricing/cost_json.h"

namespace spindle::pricing {
namespace {

Usage usageFrom(const std::string& text) {
  const auto parsed = json::Document::parse(text);
  EXPECT_TRUE(std::holds_alternative<json::Document>(parsed)) << text;
  return usageOf(std::get<json::Document>(parsed).root());
}

struct Example {
  std::string usage;
  TokenPrices prices;
  Cost cost;
};

class WorkedExample : public ::testing::TestWithParam<Example> {};

TEST_P(WorkedExample, MatchesTheSpecification) {
  const Example& example = GetParam();
  const Cost cost = costOf(usageFrom(example.usage), example.prices);
  EXPECT_DOUBLE_EQ(cost.prompt, example.cost.prompt);
  EXPECT_DOUBLE_EQ(cost.completion, example.cost.completion);
  EXPECT_DOUBLE_EQ(cost.cache_read, example.cost.cache_read);
  EXPECT_DOUBLE_EQ(cost.cache_creation, example.cost.cache_creation);
  EXPECT_DOUBLE_EQ(cost.total(), example.cost.total());
}

INSTANTIATE_TEST_SUITE_P(
    Costs,
    WorkedExample,
    ::testing::Values(Example{R"({"prompt_tokens":1000,"completion_tokens":500})",
                              {5e-6, 1.5e-5, 0, 0},
                              {0.005, 0.0075, 0, 0}},
                      Example{R"({"prompt_tokens":2000000,"completion_tokens":4000000})",
                              {3e-5, 6e-5, 0, 0},
                              {60, 240, 0, 0}},
                      Example{R"({"prompt_tokens":3000000,"completion_tokens":5000000})",
                              {5e-6, 1.5e-5, 0, 0},
                              {15, 75, 0, 0}},
                      Example{R"({"input_tokens":10,"prompt_tokens":5,"output_tokens":7})",
                              {1, 1, 0, 0},
                              {15, 7, 0, 0}},
                      Example{R"({"prompt_tokens":1000,"cache_read_input_tokens":600,)"
                              R"("cache_creation_input_tokens":100,"completion_tokens":200})",
                              {2.5e-6, 1e-5, 1.25e-6, 3e-6},
                              {0.00075, 0.002, 0.00075, 0.0003}},
                      Example{R"({"prompt_tokens":100,"cache_read_input_tokens":150})",
                              {1e-6, 0, 5e-7, 0},
                              {-0.00005, 0, 0.000075, 0}}));

TEST(Usage, CountsMissingAndInvalidNumbersAsZero) {
  EXPECT_EQ(usageFrom("{}"), Usage());
  EXPECT_EQ(usageFrom("null"), Usage());
  EXPECT_EQ(usageFrom(R"({"prompt_tokens":null,"input_tokens":"x","requests":[1],)"
                      R"("total_tokens":1.5,"output_tokens":1e300})"),
            Usage());
}

TEST(Usage, ReadsNumbersAsTheSchemaAcceptsThem) {
  Usage expected;
  expected.prompt_tokens = 12;
  expected.completion_tokens = 3;
  expected.requests = 1;
  expected.total_tokens = 15;
  EXPECT_EQ(usageFrom(R"({"prompt_tokens":"10","input_tokens":2.0,"completion_tokens":3,)"
                      R"("requests":true,"total_tokens":15,"other":9})"),
            expected);
}

TEST(Usage, AddsUpWithoutOverflow) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  Usage sum = usageFrom(R"({"prompt_tokens":9223372036854775807,"input_tokens":1,"requests":2})");
  EXPECT_EQ(sum.prompt_tokens, kMost);
  sum += sum;
  EXPECT_EQ(sum.prompt_tokens, kMost);
  EXPECT_EQ(sum.requests, 4);
  EXPECT_EQ(addTokens(std::numeric_limits<std::int64_t>::min(), -1),
            std::numeric_limits<std::int64_t>::min());
}

TEST(CostObject, HasEveryKey) {
  Price price;
  price.llm_id = "m";
  price.tokens = {0.5, 0.25, 0.125, 1};
  price.effective_date = timestampOfMicros(1'700'000'000'000'000);
  price.created_at = timestampOfMicros(1'700'000'001'000'000);
  price.created_by = "usr_1";
  std::string text;
  json::Writer out(text);
  writeCost(usageFrom(R"({"prompt_tokens":10,"completion_tokens":4,"requests":1,"total_tokens":14,)"
                      R"("cache_read_input_tokens":2,"cache_creation_input_tokens":1})"),
            price, "team/project", out);
  EXPECT_EQ(
      text,
      R"({"prompt_tokens":10,"completion_tokens":4,"requests":1,"total_tokens":14,)"
      R"("cache_creation_input_tokens":1,"cache_read_input_tokens":2,)"
      R"("prompt_tokens_total_cost":3.5,"completion_tokens_total_cost":1.0,)"
      R"("cache_read_input_tokens_total_cost":0.25,"cache_creation_input_tokens_total_cost":1.0,)"
      R"("prompt_token_cost":0.5,"completion_token_cost":0.25,"cache_read_input_token_cost":0.125,)"
      R"("cache_creation_input_token_cost":1.0,"prompt_token_cost_unit":"USD",)"
      R"("completion_token_cost_unit":"USD","effective_date":"2023-11-14T22:13:20Z",)"
      R"("provider_id":"default","pricing_level":"project","pricing_level_id":"team/project",)"
      R"("created_at":"2023-11-14T22:13:21Z","created_by":"usr_1"})");
}

TEST(CostObject, ShowsDefaultsWithoutAProject) {
  Price price;
  price.level = PriceLevel::kDefault;
  std::string text;
  json::Writer out(text);
  writeCost(Usage(), price, "team/project", out);
  EXPECT_NE(text.find(R"("pricing_level":"default","pricing_level_id":"default")"),
            std::string::npos);
}

}  // namespace
}  // namespace spindle::pricing
