#include "runs/sampler.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::runs {
namespace {

/// Adds the values with their steps and returns the points.
std::vector<SamplePoint> pointsOf(Sampler& sampler,
                                  const std::vector<std::pair<std::int64_t, double>>& values) {
  for (const auto& [step, value] : values) sampler.add(step, value);
  return sampler.finish();
}

TEST(Sampler, ReturnsEveryValueOfAShortMetric) {
  Sampler sampler(0, 1000, 3);
  const std::vector<SamplePoint> points = pointsOf(sampler, {{0, 1.5}, {10, 2.5}, {1000, -1}});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[1].step, 10);
  EXPECT_EQ(points[1].last_step, 10);
  EXPECT_EQ(points[1].count, 1);
  EXPECT_EQ(points[1].min, 2.5);
  EXPECT_EQ(points[1].mean, 2.5);
  EXPECT_EQ(points[2].last, -1);
}

TEST(Sampler, KeepsPeaksOfALongMetric) {
  Sampler sampler(0, 99'999, 100);
  for (std::int64_t step = 0; step < 100'000; ++step) sampler.add(step, step == 54'321 ? 1e6 : 1);
  const std::vector<SamplePoint> points = sampler.finish();
  ASSERT_EQ(points.size(), 100U);
  EXPECT_EQ(sampler.count(), 100'000);
  EXPECT_EQ(points[54].max, 1e6);
  EXPECT_EQ(points[54].min, 1);
  EXPECT_EQ(points[54].step, 54'000);
  EXPECT_EQ(points[54].last_step, 54'999);
  EXPECT_EQ(points[54].mean, (999.0 + 1e6) / 1000);
  EXPECT_EQ(points[53].max, 1);
}

TEST(Sampler, CountsARepeatedStepOnce) {
  Sampler sampler(0, 1, 10);
  const std::vector<SamplePoint> points = pointsOf(sampler, {{0, 1}, {0, 5}, {1, 2}});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].last, 5);
  EXPECT_EQ(sampler.count(), 2);
}

TEST(Sampler, IgnoresNonFiniteValues) {
  Sampler sampler(0, 3, 1);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<SamplePoint> points =
      pointsOf(sampler, {{0, std::nan("")}, {1, 3}, {2, -infinity}, {3, 5}});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].count, 2);
  EXPECT_EQ(points[0].min, 3);
  EXPECT_EQ(points[0].max, 5);
  EXPECT_EQ(points[0].mean, 4);
  EXPECT_EQ(points[0].last_step, 3);
}

TEST(Sampler, NonFiniteValueIsAnEmptyPoint) {
  Sampler sampler(0, 0, 1);
  const std::vector<SamplePoint> points = pointsOf(sampler, {{0, std::nan("")}});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].count, 0);
}

TEST(Sampler, HasNoPointsWithoutValues) { EXPECT_TRUE(Sampler(0, 0, 5).finish().empty()); }

}  // namespace
}  // namespace spindle::runs
