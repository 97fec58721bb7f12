#include "trainer/model/schedule.h"

#include <cmath>

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

TEST(LearningRate, WarmsUpThenDecaysLinearly) {
  const Schedule schedule{.peak = 1, .floor = 0.2, .warmup_ratio = 0.2, .decay = Decay::kLinear};
  // 10 steps, 2 of them warm-up.
  EXPECT_NEAR(learningRate(schedule, 0, 10), 0.2 + 0.8 * 1 / 2, 1e-12);
  EXPECT_NEAR(learningRate(schedule, 1, 10), 1, 1e-12);
  EXPECT_NEAR(learningRate(schedule, 2, 10), 1, 1e-12);
  EXPECT_NEAR(learningRate(schedule, 5, 10), 1 - 0.8 * 3 / 7, 1e-12);
  EXPECT_NEAR(learningRate(schedule, 9, 10), 0.2, 1e-12);
}

TEST(LearningRate, FallsAsACosine) {
  const Schedule schedule{.peak = 1, .floor = 0, .warmup_ratio = 0, .decay = Decay::kCosine};
  EXPECT_NEAR(learningRate(schedule, 0, 5), 1, 1e-12);
  EXPECT_NEAR(learningRate(schedule, 1, 5), 0.5 * (1 + std::cos(std::acos(-1.0) / 4)), 1e-12);
  EXPECT_NEAR(learningRate(schedule, 4, 5), 0, 1e-12);
}

TEST(LearningRate, ConstantDecayKeepsThePeak) {
  const Schedule schedule{.peak = 3, .floor = 0, .warmup_ratio = 0.1, .decay = Decay::kConstant};
  EXPECT_EQ(learningRate(schedule, 5, 10), 3);
  EXPECT_EQ(learningRate(schedule, 9, 10), 3);
}

TEST(LearningRate, OfOneStepIsThePeak) {
  EXPECT_EQ(learningRate({.peak = 2, .decay = Decay::kCosine}, 0, 1), 2);
}

TEST(Decay, HasThreeNames) {
  EXPECT_EQ(decayOf("linear"), Decay::kLinear);
  EXPECT_EQ(decayOf("cosine"), Decay::kCosine);
  EXPECT_EQ(decayOf("constant"), Decay::kConstant);
  EXPECT_FALSE(decayOf("exponential"));
}

TEST(TrajectoriesFactor, IsAPower) {
  EXPECT_EQ(trajectoriesFactor(4, 0), 1);
  EXPECT_NEAR(trajectoriesFactor(4, 0.5), 2, 1e-12);
  EXPECT_EQ(trajectoriesFactor(0, 2), 1);
}

TEST(SpreadFactor, FollowsTheRegressionLine) {
  // 0.5 - 0.1 * step
  EXPECT_NEAR(spreadFactor({{0, 0.5}, {1, 0.4}, {2, 0.3}}), 0.3 / 0.5, 1e-12);
  EXPECT_EQ(spreadFactor({{0, 0.5}}), 1);
  EXPECT_EQ(spreadFactor({}), 1);
  EXPECT_EQ(spreadFactor({{1, 0.5}, {1, 0.7}}), 1) << "no line";
  EXPECT_EQ(spreadFactor({{1, 0.1}, {2, 0.3}}), 1) << "it begins below 0";
}

}  // namespace
}  // namespace spindle::trainer
