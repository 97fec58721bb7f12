#include "training/data/group_summary.h"

#include <cmath>

#include <gtest/gtest.h>

#include "training/data/metrics.h"

namespace spindle::training {
namespace {

GroupStats groupOf(const std::vector<double>& rewards) {
  GroupStats group;
  for (const double reward : rewards) group.trajectories.push_back({reward, {}, {}});
  return group;
}

TEST(Groups, AreTrainableWhenRewardsDiffer) {
  EXPECT_TRUE(isTrainable(groupOf({0, 1})));
  EXPECT_TRUE(isTrainable(groupOf({1, 1, 1 + 1e-9})));
  EXPECT_FALSE(isTrainable(groupOf({1, 1, 1})));
  EXPECT_FALSE(isTrainable(groupOf({1, 1 + 1e-13})));
  EXPECT_FALSE(isTrainable(groupOf({1})));
  EXPECT_FALSE(isTrainable(groupOf({})));
}

TEST(Groups, AreAggregatedAsDocumented) {
  GroupSummary summary;
  GroupStats first;
  first.trajectories = {{1, {{"turns", 2}}, "\"a\""}, {0, {{"turns", 4}}, "\"a\""}};
  first.exceptions = 1;
  first.metrics = {{"judge", 0.5}};
  GroupStats second;
  second.trajectories = {{0.5, {}, "\"b\""}};
  second.metrics = {{"judge", 1}};
  summary.add(first);
  summary.add(second);
  EXPECT_EQ(summary.groups(), 2);
  EXPECT_EQ(summary.trainableGroups(), 1);
  EXPECT_EQ(summary.trajectories(), 3);
  const Metrics expected = {{"train/reward", 0.5},
                            {"train/reward_std_dev", 0.5},
                            {"train/exception_rate", 0.25},
                            {"train/turns", 3},
                            {"train/group_judge", 0.75},
                            {"training_step", 7},
                            {"data/step_num_scenarios", 2},
                            {"data/step_num_trajectories", 4},
                            {"data/step_num_groups_submitted", 2},
                            {"data/step_num_groups_trainable", 1}};
  EXPECT_EQ(summary.metrics("train", 7), expected);
}

TEST(Groups, OtherSplitsHaveNoStepMetrics) {
  GroupSummary summary;
  summary.add(groupOf({0.25}));
  const Metrics expected = {{"val/reward", 0.25}, {"val/exception_rate", 0}, {"training_step", 0}};
  EXPECT_EQ(summary.metrics("val", 0), expected);
}

TEST(MetricsOfCheckpoints, SurviveJsonRoundTrip) {
  EXPECT_EQ(metricsJson({{"a", 1.5}, {"b", NAN}, {"c/d", 2}}), R"({"a":1.5,"c/d":2.0})");
  EXPECT_EQ(metricsOf(R"({"a":1.5,"t":"x","n":null,"i":3})"), (Metrics{{"a", 1.5}, {"i", 3}}));
  EXPECT_EQ(metricsOf("[1]"), Metrics());
  EXPECT_EQ(mergedMetrics({{"a", 1}, {"b", 2}}, {{"b", 3}, {"c", 4}}),
            (Metrics{{"a", 1}, {"b", 3}, {"c", 4}}));
}

}  // namespace
}  // namespace spindle::training
