#include "runs/store/series_encoding.h"

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

}  // namespace
}  // namespace spindle::runs
