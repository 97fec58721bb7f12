#include "training/data/trajectory_preview.h"

#include <limits>

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

Trajectory trajectory(double reward, const std::string& group, const std::string& answer = "a") {
  Trajectory made;
  made.row.messages = R"([{"role":"user","content":"q"}])";
  made.row.answers = {{R"({"role":"assistant","content":")" + answer + R"("})"}};
  made.reward = reward;
  made.group = group;
  made.notes = {{"call_id", "c"}};
  return made;
}

TEST(SummarizeRewardsTest, FewValuesHaveABucketEach) {
  const std::optional<RewardSummary> summary = summarizeRewards({1, 0, 1, 0.5});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 4);
  EXPECT_DOUBLE_EQ(summary->mean, 0.625);
  ASSERT_EQ(summary->histogram.size(), 3U);
  EXPECT_EQ(summary->histogram[2].from, 1);
  EXPECT_EQ(summary->histogram[2].to, 1);
  EXPECT_EQ(summary->histogram[2].count, 2);
}

TEST(SummarizeRewardsTest, ManyValuesHaveBucketsOfEqualWidth) {
  std::vector<double> rewards;
  for (int i = 0; i <= 100; ++i) rewards.push_back(i);
  const std::optional<RewardSummary> summary = summarizeRewards(rewards);
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->histogram.size(), kMostBuckets);
  EXPECT_EQ(summary->histogram.front().from, 0);
  EXPECT_EQ(summary->histogram.back().to, 100);
  std::int64_t total = 0;
  for (const RewardBucket& bucket : summary->histogram) total += bucket.count;
  EXPECT_EQ(total, 101);
  EXPECT_EQ(summary->histogram.back().count, 6);
}

TEST(SummarizeRewardsTest, ExtremeAndInfiniteValuesDoNotOverflow) {
  constexpr double kMax = std::numeric_limits<double>::max();
  std::vector<double> rewards = {-kMax, kMax, std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 30; ++i) rewards.push_back(i);
  const std::optional<RewardSummary> summary = summarizeRewards(rewards);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 32);
  EXPECT_EQ(summary->histogram.back().count, 1);
  EXPECT_FALSE(summarizeRewards({std::numeric_limits<double>::quiet_NaN()}));
}

TEST(TrajectoryPreviewTest, CountsGroupsWithDifferentRewardsAsTrainable) {
  TrajectoryPreview preview(true, true);
  for (const auto& [reward, group] : std::vector<std::pair<double, std::string>>{
           {0, "a"}, {1, "a"}, {1, "b"}, {1, "b"}, {0, "c"}}) {
    ASSERT_TRUE(preview.add(trajectory(reward, group)));
  }
  EXPECT_EQ(preview.trajectories(), 5);
  EXPECT_EQ(preview.lines(), 3);
  EXPECT_EQ(preview.trainableGroups(), 1);
}

TEST(TrajectoryPreviewTest, KeepsFewSamplesAndNoLargeText) {
  TrajectoryPreview preview(false, false);
  ASSERT_TRUE(preview.add(trajectory(0, "", std::string(TrajectoryPreview::kLargestSample, 'x'))));
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(preview.add(trajectory(0, "")));
  ASSERT_EQ(preview.samples().size(), TrajectoryPreview::kMostSamples);
  EXPECT_FALSE(preview.samples()[0].json);
  EXPECT_GT(preview.samples()[0].bytes, TrajectoryPreview::kLargestSample);
  EXPECT_TRUE(preview.samples()[1].json);
  EXPECT_FALSE(preview.samples()[1].reward);
  EXPECT_EQ(preview.lines(), 10);
}

}  // namespace
}  // namespace spindle::training
