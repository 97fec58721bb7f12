#include "tracing/stats/usage_rollup.h"

#include <limits>

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

CostedUsage used(std::int64_t prompt, std::optional<double> cost = {}) {
  CostedUsage usage;
  usage.usage.prompt_tokens = prompt;
  if (cost) usage.cost = pricing::Cost{*cost, 2 * *cost, 0, 0};
  return usage;
}

UsageNode node(const std::string& id, std::optional<std::string> parent, UsageByModel own = {}) {
  return {id, std::move(parent), true, std::move(own)};
}

TEST(UsageRollUp, AddsChildrenToTheirParents) {
  const auto sums = rollUp({node("grandchild", "child", {{"m", used(1)}, {"n", used(5)}}),
                            node("root", std::nullopt, {{"m", used(100)}}), node("child", "root"),
                            node("other", "root", {{"m", used(10)}})});
  EXPECT_EQ(sums.at("root").at("m").usage.prompt_tokens, 111);
  EXPECT_EQ(sums.at("root").at("n").usage.prompt_tokens, 5);
  EXPECT_EQ(sums.at("child").at("m").usage.prompt_tokens, 1);
  EXPECT_EQ(sums.at("other").size(), 1U);
}

TEST(UsageRollUp, CountsOnlyParentsAmongTheNodes) {
  const auto sums = rollUp({node("child", "elsewhere", {{"m", used(1)}})});
  EXPECT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums.at("child").at("m").usage.prompt_tokens, 1);
}

TEST(UsageRollUp, OmitsModelsWithoutUsage) {
  const auto sums = rollUp({node("a", std::nullopt, {{"m", used(0, 0.0)}}), node("b", "a")});
  EXPECT_TRUE(sums.at("a").empty());
  EXPECT_TRUE(sums.at("b").empty());
}

TEST(UsageRollUp, AddsCosts) {
  const auto sums =
      rollUp({node("a", std::nullopt, {{"m", used(1, 0.5)}}),
              node("b", "a", {{"m", used(1, 0.25)}}), node("c", "a", {{"n", used(1)}})});
  EXPECT_EQ(sums.at("a").at("m").cost->prompt, 0.75);
  EXPECT_EQ(sums.at("a").at("m").cost->completion, 1.5);
  EXPECT_FALSE(sums.at("a").at("n").cost);
}

TEST(UsageRollUp, TerminatesOnCycles) {
  const auto sums =
      rollUp({node("a", "b", {{"m", used(1)}}), node("b", "a", {{"m", used(2)}}),
              node("self", "self", {{"m", used(4)}}), node("leaf", "a", {{"m", used(8)}})});
  EXPECT_EQ(sums.at("a").at("m").usage.prompt_tokens, 9);
  EXPECT_EQ(sums.at("b").at("m").usage.prompt_tokens, 2);
  EXPECT_EQ(sums.at("self").at("m").usage.prompt_tokens, 4);
}

TEST(UsageRollUp, SupportsDeepTraces) {
  std::vector<UsageNode> chain;
  chain.reserve(100'000);
  for (int i = 0; i < 100'000; ++i) {
    chain.push_back(node(std::to_string(i),
                         i == 0 ? std::nullopt : std::optional(std::to_string(i - 1)),
                         {{"m", used(1)}}));
  }
  EXPECT_EQ(rollUp(std::move(chain)).at("0").at("m").usage.prompt_tokens, 100'000);
}

TEST(UsageRollUp, DoesNotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto sums =
      rollUp({node("a", std::nullopt, {{"m", used(kMost)}}), node("b", "a", {{"m", used(kMost)}})});
  EXPECT_EQ(sums.at("a").at("m").usage.prompt_tokens, kMost);
}

TEST(UsageTotal, IsFilledIn) {
  pricing::Usage usage;
  usage.prompt_tokens = 3;
  usage.completion_tokens = 4;
  EXPECT_EQ(withTotal(usage).total_tokens, 7);
  usage.total_tokens = 100;
  EXPECT_EQ(withTotal(usage).total_tokens, 100);
}

}  // namespace
}  // namespace spindle::tracing
