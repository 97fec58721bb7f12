#include "engine/runtime/sampler.h"

#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

namespace spindle::engine {
namespace {

const std::vector<float> few_logits = {1.0F, 3.0F, 2.0F, 0.0F};

/// Returns how often each token is chosen in many samples.
std::map<Token, int> tries(const SamplingParams& params, int count = 20000) {
  Sampler sampler(params, {});
  std::map<Token, int> chosen;
  for (int i = 0; i < count; ++i)
    ++chosen[sampler.choose(few_logits.data(), few_logits.size(), {}, {}, {})];
  return chosen;
}

Token greedy(SamplingParams params,
             const std::vector<Token>& accepted,
             const std::vector<Token>& prompt = {},
             const std::vector<Token>& banned = {}) {
  params.temperature = 0;
  Sampler sampler(params, prompt);
  for (const Token token : accepted) sampler.accept(token);
  return sampler.choose(few_logits.data(), few_logits.size(), banned, {}, {});
}

TEST(Sampler, GreedyTakesTheMostLikely) {
  EXPECT_EQ(greedy({}, {}), 1);
  const std::vector<float> equal = {2, 5, 5, 1};
  Sampler sampler({.temperature = 0}, {});
  EXPECT_EQ(sampler.choose(equal.data(), equal.size(), {}, {}, {}), 1) << "the first of equals";
}

TEST(Sampler, SamplesByProbability) {
  const std::map<Token, int> chosen = tries({.seed = 1});
  double sum = 0;
  for (const float logit : few_logits) sum += std::exp(static_cast<double>(logit));
  for (const auto& [token, times] : chosen) {
    const double expected =
        std::exp(static_cast<double>(few_logits[static_cast<std::size_t>(token)])) / sum * 20000;
    EXPECT_NEAR(times, expected, 5 * std::sqrt(expected)) << token;
  }
  EXPECT_EQ(chosen.size(), 4U);
}

TEST(Sampler, TheSameSeedChoosesTheSame) {
  EXPECT_EQ(tries({.seed = 5}, 50), tries({.seed = 5}, 50));
  EXPECT_NE(tries({.seed = 5}, 50), tries({.seed = 6}, 50));
}

TEST(Sampler, AppliesTopKTopPAndMinP) {
  EXPECT_EQ(tries({.top_k = 1, .seed = 1}).size(), 1U);
  EXPECT_EQ(tries({.top_k = 2, .seed = 1}).size(), 2U);
  EXPECT_EQ(tries({.top_k = 9, .seed = 1}).size(), 4U);
  // The probabilities are 0.64, 0.24, 0.09 and 0.03.
  EXPECT_EQ(tries({.top_p = 0.6, .seed = 1}).size(), 1U);
  EXPECT_EQ(tries({.top_p = 0.7, .seed = 1}).size(), 2U);
  EXPECT_EQ(tries({.top_p = 0.9, .seed = 1}).size(), 3U);
  EXPECT_EQ(tries({.min_p = 0.3, .seed = 1}).size(), 2U) << "0.24 is 0.37 of 0.64, 0.09 is 0.14";
  EXPECT_EQ(tries({.min_p = 1, .seed = 1}).size(), 1U);
}

TEST(Sampler, TemperatureAppliesBeforeTopP) {
  // At temperature 2 the probabilities are 0.46, 0.28, 0.17 and 0.10.
  EXPECT_EQ(tries({.temperature = 2, .top_p = 0.6, .seed = 1}).size(), 2U);
}

TEST(Sampler, AppliesPenalties) {
  EXPECT_EQ(greedy({.presence_penalty = 1.5}, {1}), 2);
  EXPECT_EQ(greedy({.presence_penalty = 0.9}, {1, 1, 1}), 1) << "once, however often";
  EXPECT_EQ(greedy({.frequency_penalty = 0.4}, {1, 1, 1}), 2);
  EXPECT_EQ(greedy({.frequency_penalty = 0.4}, {1, 1}), 1);
  EXPECT_EQ(greedy({.presence_penalty = 1.5}, {}, {1}), 1) << "the prompt does not count";
  EXPECT_EQ(greedy({.repetition_penalty = 2}, {1}), 2);
  EXPECT_EQ(greedy({.repetition_penalty = 2}, {}, {1}), 2) << "here the prompt counts";
}

TEST(Sampler, AppliesBiasAndBans) {
  EXPECT_EQ(greedy({.logit_bias = {{3, 100}}}, {}), 3);
  EXPECT_EQ(greedy({.logit_bias = {{1, -100}}}, {}), 2);
  EXPECT_EQ(greedy({.logit_bias = {{99, 100}, {-1, 100}}}, {}), 1) << "unknown tokens";
  EXPECT_EQ(greedy({}, {}, {}, {1, 2}), 0);
}

TEST(Sampler, ChecksTheGrammarLast) {
  Sampler sampler({.temperature = 0}, {});
  int masked = 0;
  const auto mask = [&masked](std::vector<float>& logits) {
    ++masked;
    for (const std::size_t i : {0U, 1U, 2U}) logits[i] = -std::numeric_limits<float>::infinity();
  };
  const auto choose = [&](bool fits) {
    return sampler.choose(
        few_logits.data(), few_logits.size(), {}, [fits](Token) { return fits; }, mask);
  };
  EXPECT_EQ(choose(true), 1);
  EXPECT_EQ(masked, 0);
  EXPECT_EQ(choose(false), 3);
  EXPECT_EQ(masked, 1);
}

TEST(Logprobs, IgnoreSamplingParameters) {
  double sum = 0;
  for (const float logit : few_logits) sum += std::exp(static_cast<double>(logit));
  const TokenLogprobs logprobs = logprobsOf(few_logits.data(), few_logits.size(), 2, 2);
  EXPECT_NEAR(logprobs.logprob, 2 - std::log(sum), 1e-9);
  const std::vector<TopTokenLogprob>& top = logprobs.top;
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].token, 1);
  EXPECT_EQ(top[1].token, 2);
  EXPECT_NEAR(top[0].logprob, 3 - std::log(sum), 1e-9);
  const std::vector<float> far = {0, -1e9F};
  EXPECT_EQ(logprobsOf(far.data(), far.size(), 1, 0).logprob, -9999);
  const std::vector<float> broken(4, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(logprobsOf(broken.data(), broken.size(), 1, 0).logprob, -9999);
  EXPECT_TRUE(logprobsOf(far.data(), far.size(), 1, 0).top.empty());
}

TEST(Logprobs, TopTokensAreSortedWithTiesById) {
  const std::vector<float> logits = {1, 5, 2, 5, 0, 5, 2};
  std::vector<Token> order;
  for (const TopTokenLogprob& chance : logprobsOf(logits.data(), logits.size(), 0, 5).top)
    order.push_back(chance.token);
  EXPECT_EQ(order, (std::vector<Token>{1, 3, 5, 2, 6}));
  EXPECT_EQ(logprobsOf(logits.data(), logits.size(), 0, 20).top.size(), logits.size());
  EXPECT_EQ(rankOf(logits.data(), logits.size(), 3), 1);
  EXPECT_EQ(rankOf(logits.data(), logits.size(), 6), 4);
}

TEST(Sampler, LargeNucleusIsComplete) {
  // Nearly equal probabilities: half of the total needs half of the tokens.
  std::vector<float> logits;
  logits.reserve(5000);
  for (int i = 0; i < 5000; ++i) logits.push_back(static_cast<float>(i % 10) * 1e-3F);
  SamplingParams params;
  params.top_p = 0.5;
  Sampler sampler(params, {});
  Token unlikely = 0;
  for (int i = 0; i < 2000; ++i) {
    const Token token = sampler.choose(logits.data(), logits.size(), {}, {}, {});
    if (token % 10 < 4) ++unlikely;
  }
  EXPECT_EQ(unlikely, 0);
}

}  // namespace
}  // namespace spindle::engine
