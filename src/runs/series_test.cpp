#include "runs/series.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace spindle::runs {
namespace {

TEST(Series, RoundTripsValues) {
  const std::vector<double> values = {0.1, -0.0, 1e308, 5e-324,
                                      std::numeric_limits<double>::infinity()};
  EXPECT_EQ(decodeValues(encodeValues(values)), values);
  EXPECT_TRUE(std::isnan(decodeValues(encodeValues({std::nan("")})).at(0)));
  EXPECT_TRUE(decodeValues(encodeValues({})).empty());
}

TEST(Series, RoundTripsSteps) {
  const std::vector<std::int64_t> steps = {7, 7, 8, 200, 1'000'000'000'000, 1'000'000'000'001};
  EXPECT_EQ(decodeSteps(encodeSteps(steps), 7, steps.size()), steps);
}

TEST(Series, ConsecutiveStepsAreEmpty) {
  EXPECT_EQ(encodeSteps({5, 6, 7}), "");
  EXPECT_EQ(decodeSteps("", 5, 3), (std::vector<std::int64_t>{5, 6, 7}));
  EXPECT_EQ(encodeSteps({9}), "");
}

TEST(Series, RefusesInvalidTexts) {
  EXPECT_TRUE(decodeValues("?").empty());
  EXPECT_TRUE(decodeValues("AAAA").empty());
  EXPECT_TRUE(decodeSteps("AQ==", 0, 7).empty());
}

TEST(Sampler, ReturnsEveryValueOfAShortMetric) {
  Sampler sampler(0, 1000, 3);
  sampler.add(0, 1.5);
  sampler.add(10, 2.5);
  sampler.add(1000, -1);
  const std::vector<SamplePoint> points = sampler.finish();
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
  sampler.add(0, 1);
  sampler.add(0, 5);
  sampler.add(1, 2);
  const std::vector<SamplePoint> points = sampler.finish();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].last, 5);
  EXPECT_EQ(sampler.count(), 2);
}

TEST(Sampler, IgnoresNonFiniteValues) {
  Sampler sampler(0, 3, 1);
  sampler.add(0, std::nan(""));
  sampler.add(1, 3);
  sampler.add(2, -std::numeric_limits<double>::infinity());
  sampler.add(3, 5);
  const std::vector<SamplePoint> points = sampler.finish();
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].count, 2);
  EXPECT_EQ(points[0].min, 3);
  EXPECT_EQ(points[0].max, 5);
  EXPECT_EQ(points[0].mean, 4);
  EXPECT_EQ(points[0].last_step, 3);
}

TEST(Sampler, NonFiniteValueIsAnEmptyPoint) {
  Sampler sampler(0, 0, 1);
  sampler.add(0, std::nan(""));
  const std::vector<SamplePoint> points = sampler.finish();
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].count, 0);
}

TEST(Sampler, HasNoPointsWithoutValues) { EXPECT_TRUE(Sampler(0, 0, 5).finish().empty()); }

}  // namespace
}  // namespace spindle::runs
