#include "pricing/price_repository.h"

#include <gtest/gtest.h>

#include "pricing/pricing_for_test.h"

namespace spindle::pricing {
namespace {

class PriceRepositoryTest : public PricingTest {
 protected:
  static NewPrice wanted(const std::string& llm_id) {
    NewPrice price;
    price.llm_id = llm_id;
    static_cast<TokenPrices&>(price) = {5e-6, 1.5e-5, 0.1, -0.25};
    return price;
  }
  std::vector<Price> listed(const std::string& project) {
    Result<std::vector<Price>> prices = prices_.ofProject(project);
    EXPECT_TRUE(prices);
    return prices ? *std::move(prices) : std::vector<Price>();
  }
  PriceRevisions revisions(const std::string& project) {
    const Result<PriceRevisions> revisions = prices_.revisions(project);
    EXPECT_TRUE(revisions);
    return revisions ? *revisions : PriceRevisions();
  }
};

TEST_P(PriceRepositoryTest, SetsDefaultsForMissingFields) {
  ASSERT_TRUE(prices_.insert(first_, "usr_1", {wanted("gpt-4o")}));
  const std::vector<Price> prices = listed(first_);
  ASSERT_EQ(prices.size(), 1U);
  EXPECT_EQ(prices[0].llm_id, "gpt-4o");
  EXPECT_EQ(prices[0].tokens, (TokenPrices{5e-6, 1.5e-5, 0.1, -0.25}));
  EXPECT_EQ(prices[0].prompt_unit, "USD");
  EXPECT_EQ(prices[0].completion_unit, "USD");
  EXPECT_EQ(prices[0].provider_id, "default");
  EXPECT_EQ(prices[0].effective_date, clock_.now());
  EXPECT_EQ(prices[0].created_at, clock_.now());
  EXPECT_EQ(prices[0].created_by, "usr_1");
  EXPECT_EQ(prices[0].level, PriceLevel::kProject);
  EXPECT_EQ(prices[0].id.size(), 36U);
}

TEST_P(PriceRepositoryTest, StoresTheGivenFields) {
  NewPrice price = wanted("m");
  price.prompt_unit = "EUR";
  price.completion_unit = "";
  price.provider_id = "openai";
  price.effective_date = timestampOfMicros(1'000'000'000'000'001);
  ASSERT_TRUE(prices_.insert(first_, "usr_1", {price}));
  const std::vector<Price> prices = listed(first_);
  EXPECT_EQ(prices.at(0).prompt_unit, "EUR");
  EXPECT_EQ(prices.at(0).completion_unit, "");
  EXPECT_EQ(prices.at(0).provider_id, "openai");
  EXPECT_EQ(prices.at(0).effective_date, timestampOfMicros(1'000'000'000'000'001));
}

TEST_P(PriceRepositoryTest, ListsInInsertionOrderIncludingDuplicates) {
  const auto made = prices_.insert(first_, "u", {wanted("b"), wanted("a"), wanted("b")});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->size(), 3U);
  const std::vector<Price> prices = listed(first_);
  ASSERT_EQ(prices.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(prices[i].id, (*made)[i].id);
}

TEST_P(PriceRepositoryTest, RemovesOnlyFromTheProject) {
  const auto here = prices_.insert(first_, "u", {wanted("a"), wanted("b")});
  const auto there = prices_.insert(second_, "u", {wanted("a")});
  ASSERT_TRUE(here && there);
  ASSERT_TRUE(prices_.remove(first_, {here->at(0).id, there->at(0).id, "unknown"}));
  ASSERT_EQ(listed(first_).size(), 1U);
  EXPECT_EQ(listed(first_)[0].llm_id, "b");
  EXPECT_EQ(listed(second_).size(), 1U);
}

TEST_P(PriceRepositoryTest, CountsChangesPerProjectAndOfDefaults) {
  EXPECT_EQ(revisions(first_), PriceRevisions());
  const auto made = prices_.insert(first_, "u", {wanted("a")});
  ASSERT_TRUE(made);
  EXPECT_EQ(revisions(first_), (PriceRevisions{1, 0}));
  EXPECT_EQ(revisions(second_), PriceRevisions());
  ASSERT_TRUE(prices_.remove(first_, {"unknown"}));
  ASSERT_TRUE(prices_.insert(first_, "u", {}));
  EXPECT_EQ(revisions(first_), (PriceRevisions{1, 0}));
  ASSERT_TRUE(prices_.remove(first_, {made->at(0).id}));
  EXPECT_EQ(revisions(first_), (PriceRevisions{2, 0}));
  Price price;
  price.id = "p1";
  price.llm_id = "a";
  price.created_by = kSystemUser;
  ASSERT_TRUE(prices_.putDefaults({price}));
  EXPECT_EQ(revisions(first_), (PriceRevisions{2, 1}));
  EXPECT_EQ(revisions(second_), (PriceRevisions{0, 1}));
}

TEST_P(PriceRepositoryTest, ReplacesADefaultOfTheSameModelAndDate) {
  Price price;
  price.id = "p1";
  price.llm_id = "a";
  price.tokens.prompt = 1;
  price.effective_date = clock_.now();
  Price later = price;
  later.id = "p2";
  later.effective_date += std::chrono::hours(24);
  ASSERT_TRUE(prices_.putDefaults({price, later}));
  price.id = "p3";
  price.tokens.prompt = 2;
  ASSERT_TRUE(prices_.putDefaults({price}));
  const Result<std::vector<Price>> defaults = prices_.defaults();
  ASSERT_TRUE(defaults);
  ASSERT_EQ(defaults->size(), 2U);
  EXPECT_EQ((*defaults)[0].id, "p2");
  EXPECT_EQ((*defaults)[1].tokens.prompt, 2);
  EXPECT_EQ((*defaults)[1].level, PriceLevel::kDefault);
  EXPECT_TRUE(listed(first_).empty());
}

SPINDLE_ON_BOTH_ENGINES(PriceRepositoryTest);

}  // namespace
}  // namespace spindle::pricing
