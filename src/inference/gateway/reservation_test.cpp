#include "inference/gateway/reservation.h"

#include <limits>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

constexpr pricing::TokenPrices kPrices{.prompt = 2e-6, .completion = 10e-6, .cache_read = 1e-6};

Model modelWith(std::int64_t max_output_tokens) {
  Model model;
  model.max_output_tokens = max_output_tokens;
  return model;
}

TEST(Money, RoundsCostUpAndBudgetsDown) {
  EXPECT_EQ(costInNanoDollars(1), 1'000'000'000);
  EXPECT_EQ(costInNanoDollars(0.1), 100'000'000);
  EXPECT_EQ(costInNanoDollars(0.0000000011), 2);
  EXPECT_EQ(costInNanoDollars(3e-9), 3);
  EXPECT_EQ(costInNanoDollars(0), 0);
  EXPECT_EQ(costInNanoDollars(-5), 0);
  EXPECT_EQ(budgetInNanoDollars(0.3), 300'000'000);
  EXPECT_EQ(budgetInNanoDollars(0.0000000019), 1);
  EXPECT_EQ(budgetInNanoDollars(-1), 0);
  EXPECT_EQ(usdOf(1'500'000'000), 1.5);
}

TEST(Money, IsLimitedToAMaximum) {
  const double absurd = std::numeric_limits<double>::infinity();
  EXPECT_EQ(costInNanoDollars(absurd), kMaxNanoDollars);
  EXPECT_EQ(costInNanoDollars(1e300), kMaxNanoDollars);
  EXPECT_EQ(costInNanoDollars(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(addNanoDollars(kMaxNanoDollars, kMaxNanoDollars), kMaxNanoDollars);
}

TEST(Reserving, CountsOneTokenPerByteAndTheMaximumLength) {
  const Reservation most = reservationFor({.bytes = 976, .max_tokens = 100}, modelWith(0), kPrices);
  EXPECT_EQ(most.tokens, 976 + kTemplateTokens + 100);
  EXPECT_EQ(most.cost, 2'000 * 2'000 + 100 * 10'000);
  EXPECT_FALSE(most.set_max_tokens);
}

TEST(Reserving, CountsEveryChoice) {
  const Reservation most =
      reservationFor({.bytes = 0, .choices = 8, .max_tokens = 100}, modelWith(0), kPrices);
  EXPECT_EQ(most.tokens, kTemplateTokens + 800);
}

TEST(Reserving, SetsTheMaximumLengthOfTheModel) {
  const Reservation most = reservationFor({.bytes = 10}, modelWith(512), kPrices);
  EXPECT_EQ(most.set_max_tokens, 512);
  EXPECT_EQ(most.tokens, 10 + kTemplateTokens + 512);
  EXPECT_EQ(reservationFor({.bytes = 10}, modelWith(0), kPrices).set_max_tokens, kDefaultMaxTokens);
}

TEST(Reserving, UsesTheMaximumLengthOfTheRequest) {
  const Reservation most =
      reservationFor({.bytes = 0, .max_tokens = 9'000}, modelWith(512), kPrices);
  EXPECT_FALSE(most.set_max_tokens);
  EXPECT_EQ(most.tokens, kTemplateTokens + 9'000);
}

TEST(Reserving, CountsImages) {
  const Reservation most =
      reservationFor({.bytes = 0, .images = 2, .max_tokens = 1}, modelWith(0), kPrices);
  EXPECT_EQ(most.tokens, kTemplateTokens + 2 * kTokensOfImage + 1);
}

TEST(Reserving, AnEmbeddingHasNoCompletion) {
  const Reservation most =
      reservationFor({.bytes = 100, .generates_tokens = false}, modelWith(512), kPrices);
  EXPECT_FALSE(most.set_max_tokens);
  EXPECT_EQ(most.tokens, 100 + kTemplateTokens);
}

TEST(Reserving, AssumesTheHighestPromptPrice) {
  pricing::TokenPrices prices = kPrices;
  prices.cache_creation = 5e-6;
  const Reservation most =
      reservationFor({.bytes = 0, .generates_tokens = false}, modelWith(0), prices);
  EXPECT_EQ(most.cost, kTemplateTokens * 5'000);
}

TEST(Reserving, IsLimitedToTheMaximum) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Reservation absurd = reservationFor({.bytes = std::numeric_limits<std::size_t>::max(),
                                             .images = most,
                                             .choices = most,
                                             .max_tokens = most},
                                            modelWith(0), kPrices);
  EXPECT_EQ(absurd.tokens, most);
  EXPECT_EQ(absurd.cost, kMaxNanoDollars);
  EXPECT_EQ(reservationFor({.choices = -3, .max_tokens = -7}, modelWith(0), kPrices).tokens,
            kTemplateTokens);
}

TEST(Reserving, AModelWithoutAPriceCostsNothing) {
  EXPECT_EQ(reservationFor({.bytes = 1'000'000}, modelWith(0), {}).cost, 0);
}

TEST(Reserving, NoCompletionWithinTheLimitExceedsTheReservation) {
  pricing::TokenPrices dear = kPrices;
  dear.cache_read = 3e-6;
  for (const pricing::TokenPrices& prices : {kPrices, dear}) {
    for (const std::int64_t bytes : {0, 1, 999, 123'457}) {
      for (const std::int64_t length : {1, 333, 4'096}) {
        const Reservation most = reservationFor(
            {.bytes = static_cast<std::size_t>(bytes), .max_tokens = length}, modelWith(0), prices);
        for (const std::int64_t cached : {std::int64_t{0}, bytes / 2, bytes}) {
          const TokenUsage usage{.prompt = bytes, .completion = length, .cached = cached};
          EXPECT_LE(costOf(usage, prices), most.cost) << bytes << ' ' << length << ' ' << cached;
        }
      }
    }
  }
}

TEST(Reserving, CachedTokensHaveTheCachePrice) {
  EXPECT_EQ(costOf({.prompt = 100, .completion = 10, .cached = 40}, kPrices),
            60 * 2'000 + 40 * 1'000 + 10 * 10'000);
  EXPECT_EQ(costOf({.prompt = 0, .completion = 0, .cached = 1'000}, kPrices), 0);
}

}  // namespace
}  // namespace spindle::inference
