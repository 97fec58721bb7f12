#include "pricing/project_prices.h"

#include <string>

#include <gtest/gtest.h>

#include "pricing/price_import.h"
#include "pricing/timestamp_for_test.h"

namespace spindle::pricing {
namespace {

Price price(const std::string& name, PriceLevel level, const std::string& date) {
  Price made;
  made.id = name;
  made.llm_id = "m";
  made.level = level;
  made.effective_date = at(date);
  return made;
}

ProjectPrices pricesOf(std::vector<Price> prices) {
  return ProjectPrices({std::make_shared<const PriceTable>(std::move(prices))});
}

std::string chosenAt(const ProjectPrices& prices, const std::string& date) {
  const Price* chosen = prices.choose("m", at(date));
  return chosen == nullptr ? "none" : chosen->id;
}

Price priceA() { return price("A", PriceLevel::kProject, "2024-01-01"); }
Price priceB() { return price("B", PriceLevel::kProject, "2025-01-01"); }
Price defaultD() { return price("D", PriceLevel::kDefault, "2022-01-01"); }

TEST(PriceChoice, TakesTheNewestInEffect) {
  const ProjectPrices prices = pricesOf({priceA(), priceB()});
  EXPECT_EQ(chosenAt(prices, "2024-06-01"), "A");
  EXPECT_EQ(chosenAt(prices, "2025-06-01"), "B");
  EXPECT_EQ(chosenAt(prices, "2024-01-01"), "A");
  EXPECT_EQ(chosenAt(prices, "2024-12-31T23:59:59.999999"), "A");
}

TEST(PriceChoice, TakesTheNewestWhenAllLieInTheFuture) {
  EXPECT_EQ(chosenAt(pricesOf({priceB(), priceA()}), "2023-01-01"), "B");
}

TEST(PriceChoice, PrefersADefaultInEffectToAFutureProjectPrice) {
  const ProjectPrices prices = pricesOf({priceA(), priceB(), defaultD()});
  EXPECT_EQ(chosenAt(prices, "2023-01-01"), "D");
  EXPECT_EQ(chosenAt(prices, "2024-06-01"), "A");
  EXPECT_EQ(chosenAt(prices, "2021-01-01"), "B");
}

TEST(PriceChoice, PrefersTheProjectToANewerDefault) {
  EXPECT_EQ(
      chosenAt(pricesOf({priceA(), price("N", PriceLevel::kDefault, "2024-05-01")}), "2024-06-01"),
      "A");
}

TEST(PriceChoice, FindsNothingForOtherModels) {
  const ProjectPrices prices = pricesOf({priceA()});
  EXPECT_EQ(prices.choose("M", at("2024-06-01")), nullptr);
  EXPECT_EQ(prices.choose("", at("2024-06-01")), nullptr);
  EXPECT_EQ(prices.current("m2"), nullptr);
}

TEST(PriceChoice, TakesTheCorrectionOfAPriceOfTheSameDate) {
  Price corrected = priceA();
  corrected.id = "corrected";
  corrected.created_at = at("2024-02-01");
  EXPECT_EQ(chosenAt(pricesOf({priceA(), corrected}), "2024-06-01"), "corrected");
  EXPECT_EQ(chosenAt(pricesOf({corrected, priceA()}), "2024-06-01"), "corrected");
  Price twin = priceA();
  twin.id = "twin";
  EXPECT_EQ(chosenAt(pricesOf({priceA(), twin}), "2024-06-01"), "twin");
}

TEST(PriceChoice, IgnoresTheDateForTheCurrentPrice) {
  EXPECT_EQ(pricesOf({priceB(), priceA(), defaultD()}).current("m")->id, "B");
  EXPECT_EQ(pricesOf({defaultD(), price("E", PriceLevel::kDefault, "2030-01-01")}).current("m")->id,
            "E");
  EXPECT_EQ(pricesOf({priceA(), price("E", PriceLevel::kDefault, "2030-01-01")}).current("m")->id,
            "A");
}

TEST(PriceChoice, SearchesEveryTable) {
  const ProjectPrices prices({std::make_shared<const PriceTable>(std::vector<Price>{defaultD()}),
                              std::make_shared<const PriceTable>(),
                              std::make_shared<const PriceTable>(std::vector<Price>{priceB()})});
  EXPECT_EQ(chosenAt(prices, "2023-01-01"), "D");
  EXPECT_EQ(chosenAt(prices, "2026-01-01"), "B");
}

TEST(PriceImport, SkipsPricesAlreadyInEffect) {
  Price known = defaultD();
  known.tokens = {1, 2, 0, 0};
  const ProjectPrices defaults = pricesOf({known});
  Price same = price("", PriceLevel::kDefault, "2024-01-01");
  same.tokens = known.tokens;
  Price other = same;
  other.tokens.completion = 3;
  Price fresh = same;
  fresh.llm_id = "new";
  const ImportPlan plan = planImport(defaults, {same, other, fresh}, at("2024-03-01"));
  EXPECT_EQ(plan.unchanged, 1U);
  ASSERT_EQ(plan.changes.size(), 2U);
  EXPECT_EQ(plan.changes[0].before, known.tokens);
  EXPECT_EQ(plan.changes[0].price.tokens.completion, 3);
  EXPECT_EQ(plan.changes[0].price.created_at, at("2024-03-01"));
  EXPECT_FALSE(plan.changes[0].price.id.empty());
  EXPECT_FALSE(plan.changes[1].before.has_value());
}

TEST(PriceImport, AddsAPriceForAnEarlierDate) {
  Price known = defaultD();
  known.tokens = {1, 2, 0, 0};
  Price earlier = price("", PriceLevel::kDefault, "2020-01-01");
  earlier.tokens = known.tokens;
  const ImportPlan plan = planImport(pricesOf({known}), {earlier}, at("2024-03-01"));
  ASSERT_EQ(plan.changes.size(), 1U);
  EXPECT_FALSE(plan.changes[0].before.has_value());
}

}  // namespace
}  // namespace spindle::pricing
