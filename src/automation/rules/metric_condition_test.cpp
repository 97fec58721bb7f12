#include "automation/rules/metric_condition.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::automation {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Returns the positions at which the condition is true, if the values arrive one by one.
std::vector<std::size_t> holdsAt(EventType type,
                                 const MetricSpec& metric,
                                 const std::vector<double>& values) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (evaluate(type, metric, std::span(values).first(i + 1))) places.push_back(i);
  }
  return places;
}
using Places = std::vector<std::size_t>;

MetricSpec threshold(const std::string& comparison, double limit) {
  return {.name = "m", .window = 1, .comparison = comparison, .threshold = limit};
}
MetricSpec threshold(const std::string& aggregation,
                     std::int64_t window,
                     const std::string& comparison,
                     double limit) {
  MetricSpec metric = threshold(comparison, limit);
  metric.aggregation = aggregation;
  metric.window = window;
  return metric;
}
MetricSpec change(const std::string& type, const std::string& direction, double amount) {
  return {.name = "m",
          .current_window = 1,
          .prior_window = 1,
          .change_type = type,
          .direction = direction,
          .amount = amount};
}
MetricSpec zscore(std::int64_t window, double limit, const std::string& direction) {
  return {.name = "m", .window = window, .threshold = limit, .direction = direction};
}

constexpr auto kThreshold = EventType::kRunMetricThreshold;
constexpr auto kChange = EventType::kRunMetricChange;
constexpr auto kZscore = EventType::kRunMetricZscore;

// The examples of the specification. The silence period after a first event is tested elsewhere.
TEST(MetricConditions, M01AverageBelow) {
  EXPECT_EQ(holdsAt(kThreshold, threshold("AVERAGE", 3, "lt", 0.5), {0.9, 0.6, 0.4, 0.3, 0.2}),
            (Places{3, 4}));
}
TEST(MetricConditions, M02And03LatestAbove) {
  EXPECT_EQ(holdsAt(kThreshold, threshold("gt", 0.9), {0.5, 0.95, 0.97}), (Places{1, 2}));
}
TEST(MetricConditions, M04LeastOfTwo) {
  EXPECT_EQ(holdsAt(kThreshold, threshold("MIN", 2, "gte", 1), {1, 0.5, 1, 2}), (Places{3}));
}
TEST(MetricConditions, M05RelativeDecreaseOfAverages) {
  MetricSpec metric = change("RELATIVE", "DECREASE", 0.25);
  metric.aggregation = "AVERAGE";
  metric.current_window = metric.prior_window = 2;
  EXPECT_EQ(holdsAt(kChange, metric, {1.0, 1.0, 0.8, 0.7}), (Places{3}));
}
TEST(MetricConditions, M06AbsoluteChange) {
  EXPECT_EQ(holdsAt(kChange, change("ABSOLUTE", "ANY", 2), {1, 2, 5}), (Places{2}));
  EXPECT_EQ(holdsAt(kChange, change("ABSOLUTE", "ANY", 2), {5, 2, 1}), (Places{1}));
}
TEST(MetricConditions, M07NoRelativeChangeFromZero) {
  EXPECT_EQ(holdsAt(kChange, change("RELATIVE", "INCREASE", 0.1), {0, 5}), Places());
}
TEST(MetricConditions, M08ZscoreAbove) {
  EXPECT_EQ(holdsAt(kZscore, zscore(5, 2, "ANY"), {1, 2, 3, 2, 2, 10}), (Places{5}));
}
TEST(MetricConditions, M09ZscoreBelow) {
  EXPECT_EQ(holdsAt(kZscore, zscore(5, 2, "INCREASE"), {1, 2, 3, 2, 2, -10}), Places());
  EXPECT_EQ(holdsAt(kZscore, zscore(5, 2, "DECREASE"), {1, 2, 3, 2, 2, -10}), (Places{5}));
}
TEST(MetricConditions, M10NanIsOnlyUnequal) {
  EXPECT_EQ(holdsAt(kThreshold, threshold("gt", 0), {kNan, 1}), (Places{1}));
  EXPECT_EQ(holdsAt(kThreshold, threshold("ne", 0), {kNan}), (Places{0}));
  for (const char* comparison : {"gt", "gte", "lt", "lte", "eq"}) {
    EXPECT_EQ(holdsAt(kThreshold, threshold(comparison, 0), {kNan}), Places()) << comparison;
    EXPECT_EQ(holdsAt(kThreshold, threshold("MIN", 2, comparison, 0), {0, kNan}), Places());
  }
}
TEST(MetricConditions, M11GreatestOfTwo) {
  // Values that are not numbers are filtered out before.
  EXPECT_EQ(holdsAt(kThreshold, threshold("MAX", 2, "gt", 3), {1, 4}), (Places{1}));
}
TEST(MetricConditions, M12NoZscoreWithoutVariance) {
  EXPECT_EQ(holdsAt(kZscore, zscore(3, 1, "ANY"), {5, 5, 5, 9}), Places());
}

TEST(MetricConditions, ApplyTheNamedComparison) {
  const auto holds = [](const char* comparison, double value) {
    return !holdsAt(kThreshold, threshold(comparison, 1), {value}).empty();
  };
  EXPECT_EQ(holds("gt", 1), false);
  EXPECT_EQ(holds("gte", 1), true);
  EXPECT_EQ(holds("lt", 1), false);
  EXPECT_EQ(holds("lte", 1), true);
  EXPECT_EQ(holds("eq", 1), true);
  EXPECT_EQ(holds("ne", 1), false);
  EXPECT_EQ(holds("ne", 2), true);
}

TEST(MetricConditions, ReturnValueAndThreshold) {
  const std::vector<double> values = {0.6, 0.4, 0.3};
  const auto average = evaluate(kThreshold, threshold("AVERAGE", 3, "lt", 0.5), values);
  ASSERT_TRUE(average);
  EXPECT_EQ(metricText(average->value), "0.43333333333333335");
  EXPECT_EQ(metricText(average->threshold), "0.5");
  const auto changed = evaluate(kChange, change("ABSOLUTE", "ANY", 0.05), values);
  ASSERT_TRUE(changed);
  EXPECT_EQ(metricText(changed->value), "0.3");
  EXPECT_EQ(metricText(changed->threshold), "0.05");
}

TEST(MetricTexts, UseTheEcmaScriptFormat) {
  const std::vector<std::pair<double, std::string>> texts = {
      {0, "0"},
      {3, "3"},
      {-3.25, "-3.25"},
      {100, "100"},
      {0.1, "0.1"},
      {0.000001, "0.000001"},
      {0.0000001, "1e-7"},
      {1.5e-9, "1.5e-9"},
      {123456789012345680000.0, "123456789012345680000"},
      {1e21, "1e+21"},
      {1.25e+22, "1.25e+22"},
      {kNan, "null"},
      {std::numeric_limits<double>::infinity(), "null"}};
  for (const auto& [value, text] : texts) EXPECT_EQ(metricText(value), text) << value;
}

}  // namespace
}  // namespace spindle::automation
