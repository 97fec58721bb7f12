#include "pricing/price_cache.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "pricing/pricing_for_test.h"

namespace spindle::pricing {
namespace {

class PriceCacheTest : public PricingTest {
 protected:
  static Price builtIn(const std::string& llm_id, double prompt) {
    Price price;
    price.llm_id = llm_id;
    price.level = PriceLevel::kDefault;
    price.tokens.prompt = prompt;
    return price;
  }
  void add(const std::string& project, const std::string& llm_id, double prompt) {
    NewPrice price;
    price.llm_id = llm_id;
    price.prompt = prompt;
    ASSERT_TRUE(prices_.insert(project, "u", {price}));
  }
  void import(const std::string& llm_id, double prompt) {
    Price price = builtIn(llm_id, prompt);
    price.id = "imported-" + llm_id + "-" + std::to_string(prompt);
    price.created_by = kSystemUser;
    price.effective_date = price.created_at = clock_.now();
    ASSERT_TRUE(prices_.putDefaults({price}));
  }
  double costOf(const std::string& project, const std::string& llm_id) {
    const auto prices = cache_.forProject(project);
    EXPECT_TRUE(prices);
    const Price* price = prices ? (*prices)->choose(llm_id, clock_.now()) : nullptr;
    return price == nullptr ? -1 : price->tokens.prompt;
  }

  PriceCache cache_{prices_, {builtIn("built-in", 1)}};
};

TEST_P(PriceCacheTest, ReturnsBuiltInPricesForEveryProject) {
  EXPECT_EQ(costOf(first_, "built-in"), 1);
  EXPECT_EQ(costOf("", "built-in"), 1);
  EXPECT_EQ(costOf(first_, "other"), -1);
}

TEST_P(PriceCacheTest, SeesEveryChangeAtOnce) {
  EXPECT_EQ(costOf(first_, "built-in"), 1);
  add(first_, "built-in", 2);
  EXPECT_EQ(costOf(first_, "built-in"), 2);
  import("other", 3);
  EXPECT_EQ(costOf(first_, "other"), 3);
  const Result<std::vector<Price>> own = prices_.ofProject(first_);
  ASSERT_TRUE(own);
  ASSERT_TRUE(prices_.remove(first_, {own->at(0).id}));
  EXPECT_EQ(costOf(first_, "built-in"), 1);
}

TEST_P(PriceCacheTest, SeesChangesOfAnotherProcess) {
  EXPECT_EQ(costOf(first_, "built-in"), 1);
  PriceRepository other(*database_, clock_);
  Price price = builtIn("built-in", 7);
  price.id = "x";
  price.created_by = kSystemUser;
  price.effective_date = price.created_at = clock_.now();
  ASSERT_TRUE(other.putDefaults({price}));
  EXPECT_EQ(costOf(first_, "built-in"), 7);
}

TEST_P(PriceCacheTest, KeepsProjectsApart) {
  add(first_, "mine", 2);
  EXPECT_EQ(costOf(first_, "mine"), 2);
  EXPECT_EQ(costOf(second_, "mine"), -1);
  EXPECT_EQ(costOf("", "mine"), -1);
}

TEST_P(PriceCacheTest, ReturnsTheSameObjectUntilPricesChange) {
  add(first_, "mine", 2);
  const auto before = cache_.forProject(first_);
  add(second_, "mine", 3);
  person("someone");
  const auto after = cache_.forProject(first_);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->get(), after->get());
}

TEST_P(PriceCacheTest, DropsCachedProjectsAtTheLimit) {
  for (int i = 0; i < 600; ++i) EXPECT_EQ(costOf("p" + std::to_string(i), "built-in"), 1);
}

TEST_P(PriceCacheTest, ReadsConcurrentlyWithChanges) {
  constexpr int kChanges = 10;
  const Timestamp later = clock_.now() + std::chrono::hours(1);
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (const std::string& project : {first_, second_, first_}) {
    readers.emplace_back([this, &done, later, project] {
      double before = -1;
      while (!done) {
        const auto prices = cache_.forProject(project);
        ASSERT_TRUE(prices);
        const Price* price = (*prices)->choose("rising", later);
        const double now = price == nullptr ? -1 : price->tokens.prompt;
        EXPECT_GE(now, before);
        before = now;
      }
    });
  }
  for (int i = 1; i <= kChanges; ++i) {
    clock_.advance(std::chrono::seconds(1));
    import("rising", i);
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(costOf(first_, "rising"), kChanges);
}

SPINDLE_ON_BOTH_ENGINES(PriceCacheTest);

}  // namespace
}  // namespace spindle::pricing
