#include "trainer/jobs/rl_plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/jobs/logprob.h"

namespace spindle::trainer {
namespace {

TokenSequence sequenceOf(const std::vector<std::int64_t>& prompt,
                         const std::vector<std::int64_t>& answer) {
  TokenSequence sequence;
  for (const std::int64_t id : prompt) {
    sequence.ids.push_back(id);
    sequence.sampled.push_back(false);
    sequence.old_logprobs.push_back(kUnknownLogprob);
  }
  for (const std::int64_t id : answer) {
    sequence.ids.push_back(id);
    sequence.sampled.push_back(true);
    sequence.old_logprobs.push_back(-0.1 * static_cast<double>(id));
  }
  return sequence;
}

TokenTrajectory trajectoryOf(double reward, const std::vector<std::int64_t>& answer) {
  return {{sequenceOf({1, 2, 3, 4, 5}, answer)}, reward};
}

TEST(AdvantagesOfAGroup, AreCentredAndScaledByThePopulationsDeviation) {
  const Advantages advantages = advantagesOf({1, 0, 0, 3}, true);
  const double deviation = std::sqrt((0.0 + 1 + 1 + 4) / 4);
  EXPECT_TRUE(advantages.trainable);
  EXPECT_EQ(advantages.mean_reward, 1);
  EXPECT_NEAR(advantages.deviation, deviation, 1e-12);
  EXPECT_EQ(advantages.values[0], 0);
  EXPECT_NEAR(advantages.values[1], -1 / (deviation + 1e-6), 1e-12);
  EXPECT_NEAR(advantages.values[3], 2 / (deviation + 1e-6), 1e-12);
  EXPECT_NEAR(advantagesOf({1, 0, 0, 3}, false).values[3], 2, 1e-12);
}

TEST(AdvantagesOfAGroup, AreZeroForEqualRewards) {
  EXPECT_FALSE(advantagesOf({1, 1 + 1e-13, 1}, true).trainable);
  EXPECT_FALSE(advantagesOf({1}, true).trainable);
  EXPECT_FALSE(advantagesOf({}, true).trainable);
  EXPECT_TRUE(advantagesOf({0, 1e-9}, true).trainable);
}

TEST(SharedPrefix, EndsOneTokenBeforeSampledOrDifferentTokens) {
  const TokenSequence a = sequenceOf({1, 2, 3, 4}, {7});
  const TokenSequence b = sequenceOf({1, 2, 3, 4}, {8});
  const TokenSequence c = sequenceOf({1, 2, 9, 4}, {8});
  EXPECT_EQ(sharedPrefixLength({&a, &b}), 3U);
  EXPECT_EQ(sharedPrefixLength({&a, &b, &c}), 1U);
  const TokenSequence d = sequenceOf({5}, {8});
  EXPECT_EQ(sharedPrefixLength({&a, &d}), 0U);
  EXPECT_EQ(sharedPrefixLength({}), 0U);
}

TEST(RlPlan, NormalisesWeightsAndAdvantagesOverTheWholeJob) {
  const std::vector<TokenGroup> groups = {
      {{trajectoryOf(1, {10, 11, 12}), trajectoryOf(0, {13})}, 1},
      {{trajectoryOf(2, {10, 11}), trajectoryOf(5, {13, 14, 15, 16})}, 0},
      {{trajectoryOf(2, {10}), trajectoryOf(2, {13})}, 0},
  };
  const RlPlan plan = planRl(groups, {}, 4096);
  EXPECT_EQ(plan.groups, 3U);
  EXPECT_EQ(plan.trainable_groups, 2U);
  EXPECT_EQ(plan.trajectories, 6U);
  EXPECT_EQ(plan.exceptions, 1U);
  EXPECT_EQ(plan.trainable_tokens, 10U);
  EXPECT_EQ(plan.row_length, 2048U);
  EXPECT_NEAR(plan.mean_reward, 2, 1e-12);
  EXPECT_NEAR(plan.reward_deviation, (0.5 + 1.5 + 0) / 3, 1e-12);
  double weights = 0;
  double sizes = 0;
  for (const RlRow& row : plan.rows) {
    for (std::size_t i = 0; i < row.sampled.size(); ++i) {
      weights += row.sampled[i] ? row.weights[i] : 0;
      sizes += row.sampled[i] ? std::abs(row.advantages[i]) * row.weights[i] : 0;
      if (!row.sampled[i]) {
        EXPECT_EQ(row.weights[i], 0);
        EXPECT_EQ(row.advantages[i], 0);
      }
    }
  }
  EXPECT_NEAR(weights / 10, 1, 1e-9);
  EXPECT_NEAR(sizes / 10, 1, 1e-9);
}

/// Returns the weighted sum of advantages of one sign.
double sizeOf(const RlPlan& plan, bool positive) {
  double size = 0;
  for (const RlRow& row : plan.rows) {
    for (std::size_t i = 0; i < row.sampled.size(); ++i) {
      if (row.sampled[i] && (row.advantages[i] > 0) == positive)
        size += std::abs(row.advantages[i]) * row.weights[i];
    }
  }
  return size;
}

TEST(RlPlan, BalanceDampsOneSign) {
  const std::vector<TokenGroup> groups = {
      {{trajectoryOf(1, {10, 11, 12}), trajectoryOf(0, {13, 14})}, 0}};
  const auto ratio = [&](double balance) {
    RlOptions options;
    options.advantage_balance = balance;
    const RlPlan plan = planRl(groups, options, 4096);
    EXPECT_NEAR((sizeOf(plan, true) + sizeOf(plan, false)) / 5, 1, 1e-9);
    return sizeOf(plan, true) / sizeOf(plan, false);
  };
  EXPECT_NEAR(ratio(0), 1, 1e-4);
  EXPECT_NEAR(ratio(0.5), 2, 1e-3);
  EXPECT_NEAR(ratio(-0.5), 0.5, 1e-3);
}

TEST(RlPlan, PacksASharedPrefixOnce) {
  const std::vector<TokenGroup> groups = {
      {{trajectoryOf(1, {10, 11}), trajectoryOf(0, {12}), trajectoryOf(3, {13, 14, 15})}, 0}};
  const RlPlan plan = planRl(groups, {}, 4096);
  ASSERT_EQ(plan.rows.size(), 1U);
  const RlRow& row = plan.rows[0];
  ASSERT_EQ(row.row.tokens.size(), 4U + 3 + 2 + 4);
  EXPECT_EQ(std::vector<std::int64_t>(row.row.tokens.begin(), row.row.tokens.begin() + 4),
            (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(row.row.spans.size(), 4U);
  EXPECT_EQ(row.trajectories(), 3U);
  for (std::size_t i = 1; i < row.row.spans.size(); ++i) {
    const Span& span = row.row.spans[i];
    EXPECT_EQ(span.parent_begin, 0);
    EXPECT_EQ(span.parent_length, 4);
    const auto begin = static_cast<std::size_t>(span.begin);
    EXPECT_EQ(row.row.tokens[begin], 5) << "the last token of the prompt is each one's own";
    EXPECT_EQ(row.row.positions[begin], 4) << "positions go on behind what is shared";
    EXPECT_FALSE(row.sampled[begin]);
    EXPECT_NE(row.group_ids[begin], row.parent_ids[begin]);
    EXPECT_EQ(row.parent_ids[begin], row.group_ids[0]);
  }
  EXPECT_EQ(row.parent_ids[0], row.group_ids[0]);
}

TEST(RlPlan, SpansMatchGroupIds) {
  const std::vector<TokenGroup> groups = {{{trajectoryOf(1, {10, 11}), trajectoryOf(0, {12})}, 0},
                                          {{trajectoryOf(1, {20}), trajectoryOf(0, {22, 23})}, 0}};
  const RlPlan plan = planRl(groups, {}, 4096);
  for (const RlRow& row : plan.rows) {
    for (const Span& span : row.row.spans) {
      for (std::int64_t q = span.begin; q < span.begin + span.length; ++q) {
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(row.row.tokens.size()); ++k) {
          const auto group = [&](std::int64_t i) {
            return row.group_ids[static_cast<std::size_t>(i)];
          };
          const bool allowed = k <= q && (group(q) == group(k) ||
                                          row.parent_ids[static_cast<std::size_t>(q)] == group(k));
          const bool seen = (k >= span.begin && k <= q) ||
                            (k >= span.parent_begin && k < span.parent_begin + span.parent_length);
          EXPECT_EQ(seen, allowed) << q << " " << k;
        }
      }
    }
  }
}

TEST(RlPlan, OpensARowWhenTheRemainderDoesNotFit) {
  RlOptions options;
  options.packed_sequence_length = 8;
  const std::vector<TokenGroup> groups = {
      {{trajectoryOf(1, {10, 11}), trajectoryOf(0, {12, 13}), trajectoryOf(3, {14, 15})}, 0}};
  const RlPlan plan = planRl(groups, options, 4096);
  ASSERT_EQ(plan.rows.size(), 3U) << "4 shared and 3 of its own each";
  for (const RlRow& row : plan.rows) {
    EXPECT_EQ(row.row.tokens.size(), 7U) << "the shared beginning is in each of them";
    EXPECT_EQ(row.targets().at.size(), 2U);
    EXPECT_EQ(row.trajectories(), 1U);
  }
}

TEST(RlPlan, TruncatesLongSequencesAndDropsEmptyOnes) {
  RlOptions options;
  options.packed_sequence_length = 6;
  const std::vector<TokenGroup> groups = {
      {{trajectoryOf(1, {10, 11, 12, 13}), {{sequenceOf({1, 2, 3, 4, 5, 6, 7, 8}, {9})}, 0}}, 0}};
  const RlPlan plan = planRl(groups, options, 4096);
  ASSERT_EQ(plan.rows.size(), 1U);
  EXPECT_EQ(plan.trainable_tokens, 1U);
  EXPECT_EQ(plan.truncated, 1U);
}

TEST(RlPlan, TargetsFollowTheTokensBeforeThem) {
  const RlPlan plan = planRl({{{trajectoryOf(1, {10, 11}), trajectoryOf(0, {12})}, 0}}, {}, 4096);
  for (const RlRow& row : plan.rows) {
    const Targets targets = row.targets();
    EXPECT_EQ(targets.at.size(), 3U);
    for (std::size_t i = 0; i < targets.at.size(); ++i) {
      const auto at = static_cast<std::size_t>(targets.at[i]);
      EXPECT_EQ(row.row.tokens[at + 1], targets.tokens[i]);
      EXPECT_EQ(row.group_ids[at], row.group_ids[at + 1]) << "never across sequences";
      EXPECT_NEAR(row.old_logprobs[at + 1], -0.1 * static_cast<double>(targets.tokens[i]), 1e-12);
    }
  }
}

TEST(RlPlan, IsTheSameForASeed) {
  std::vector<TokenGroup> groups;
  for (std::int64_t i = 0; i < 6; ++i)
    groups.push_back({{trajectoryOf(1, {10 + i, 11}), trajectoryOf(0, {12 + i})}, 0});
  RlOptions options;
  options.packed_sequence_length = 16;
  const RlPlan once = planRl(groups, options, 4096);
  const RlPlan again = planRl(groups, options, 4096);
  ASSERT_EQ(once.rows.size(), again.rows.size());
  for (std::size_t i = 0; i < once.rows.size(); ++i)
    EXPECT_EQ(once.rows[i].row.tokens, again.rows[i].row.tokens);
}

TEST(RlPlan, HasNoRowsWhenThereIsNothingToLearn) {
  const RlPlan plan = planRl({{{trajectoryOf(1, {10}), trajectoryOf(1, {11})}, 0}}, {}, 4096);
  EXPECT_TRUE(plan.rows.empty());
  EXPECT_EQ(plan.trainable_groups, 0U);
  EXPECT_TRUE(planRl({}, {}, 4096).rows.empty());
  EXPECT_NE(plan.whyEmpty().find("rewards"), std::string::npos);
}

TEST(RlPlan, ReportsWhyThereIsNothingToLearn) {
  const RlPlan bare = planRl({{{trajectoryOf(1, {}), trajectoryOf(0, {})}, 0}}, {}, 4096);
  EXPECT_TRUE(bare.rows.empty());
  EXPECT_EQ(bare.trainable_groups, 0U) << "nothing in it was sampled";
  EXPECT_NE(bare.whyEmpty().find("logprobs"), std::string::npos);
  RlOptions options;
  options.packed_sequence_length = 4;
  const RlPlan narrow =
      planRl({{{trajectoryOf(1, {10}), trajectoryOf(0, {11})}, 0}}, options, 4096);
  EXPECT_TRUE(narrow.rows.empty());
  EXPECT_NE(narrow.whyEmpty().find("packed_sequence_length"), std::string::npos);
}

TEST(RlPlan, SequencesOfATrajectoryShareItsAdvantageAndWeight) {
  const TokenTrajectory two{{sequenceOf({1, 2}, {10, 11}), sequenceOf({3, 4}, {12})}, 1};
  const RlPlan plan = planRl({{{two, trajectoryOf(0, {13})}, 0}}, {}, 4096);
  std::set<double> weights;
  for (const RlRow& row : plan.rows) {
    for (std::size_t i = 0; i < row.sampled.size(); ++i) {
      if (row.sampled[i] && row.advantages[i] > 0) weights.insert(row.weights[i]);
    }
  }
  EXPECT_EQ(weights.size(), 1U) << "three tokens over both sequences";
}

}  // namespace
}  // namespace spindle::trainer
