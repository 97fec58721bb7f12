#include "automation/rules/metric_condition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "automation/rules/event_matcher.h"

namespace spindle::automation {
namespace {

double aggregate(const std::string& operation, std::span<const double> values) {
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (operation == "MIN") return *std::min_element(values.begin(), values.end());
  if (operation == "MAX") return *std::max_element(values.begin(), values.end());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool reaches(const std::string& direction, double change, double amount) {
  if (direction == "INCREASE") return change >= amount;
  if (direction == "DECREASE") return -change >= amount;
  return std::abs(change) >= amount;
}

/// Returns the size of a window, at least 1.
std::size_t sizeOf(const std::optional<std::int64_t>& window) {
  return static_cast<std::size_t>(std::max<std::int64_t>(window.value_or(1), 1));
}

std::optional<MetricFinding> evaluateThreshold(const MetricSpec& metric,
                                               std::span<const double> values) {
  const double value = metric.aggregation ? aggregate(*metric.aggregation, values) : values.back();
  const double threshold = metric.threshold.value_or(0);
  if (!compares(metric.comparison.value_or(""), value, threshold)) return std::nullopt;
  return MetricFinding{value, threshold};
}

std::optional<MetricFinding> evaluateChange(const MetricSpec& metric,
                                            std::span<const double> values) {
  const std::size_t current = metric.aggregation ? sizeOf(metric.current_window) : 1;
  const std::span<const double> before = values.first(values.size() - current);
  const std::span<const double> last = values.last(current);
  const double now = metric.aggregation ? aggregate(*metric.aggregation, last) : last.back();
  const double prior = metric.aggregation ? aggregate(*metric.aggregation, before) : before.back();
  const double amount = metric.amount.value_or(0);
  double change = now - prior;
  if (metric.change_type == "RELATIVE") {
    if (prior == 0) return std::nullopt;
    change /= std::abs(prior);
  }
  if (!reaches(metric.direction.value_or("ANY"), change, amount)) return std::nullopt;
  return MetricFinding{now, amount};
}

std::optional<MetricFinding> evaluateZscore(const MetricSpec& metric,
                                            std::span<const double> values) {
  const std::span<const double> before = values.first(values.size() - 1);
  const double mean = aggregate("AVERAGE", before);
  const auto count = static_cast<double>(before.size());
  const double variance = std::accumulate(before.begin(), before.end(), 0.0,
                                          [mean](double sum, double value) {
                                            return sum + (value - mean) * (value - mean);
                                          }) /
                          count;
  const double deviation = std::sqrt(variance);
  const double threshold = metric.threshold.value_or(0);
  if (!(deviation > 0)) return std::nullopt;
  const double score = (values.back() - mean) / deviation;
  if (!reaches(metric.direction.value_or("ANY"), score, threshold)) return std::nullopt;
  return MetricFinding{values.back(), threshold};
}

}  // namespace

std::size_t valuesNeeded(EventType type, const MetricSpec& metric) {
  if (type == EventType::kRunMetricZscore) return sizeOf(metric.window) + 1;
  if (type == EventType::kRunMetricChange) {
    return metric.aggregation ? sizeOf(metric.current_window) + sizeOf(metric.prior_window) : 2;
  }
  return metric.aggregation ? sizeOf(metric.window) : 1;
}

std::optional<MetricFinding> evaluate(EventType type,
                                      const MetricSpec& metric,
                                      std::span<const double> values) {
  const std::size_t needed = valuesNeeded(type, metric);
  if (values.size() < needed) return std::nullopt;
  values = values.last(needed);
  if (type == EventType::kRunMetricZscore) return evaluateZscore(metric, values);
  if (type == EventType::kRunMetricChange) return evaluateChange(metric, values);
  return evaluateThreshold(metric, values);
}

std::string metricText(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return "0";
  // d.ddde±xx: extract the digits and the exponent.
  char buffer[40];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 2) digits += text.substr(2, mark - 2);
  int exponent = 0;
  const std::size_t sign = text[mark + 1] == '+' ? mark + 2 : mark + 1;
  std::from_chars(text.data() + sign, text.data() + text.size(), exponent);
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // position of the decimal point among the digits
  std::string out = value < 0 ? "-" : "";
  if (point > 21 || point < -5) {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    return out + (exponent < 0 ? "e" : "e+") + std::to_string(exponent);
  }
  if (point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (count <= point)
    return out + digits + std::string(static_cast<std::size_t>(point - count), '0');
  return out + digits.substr(0, static_cast<std::size_t>(point)) + "." +
         digits.substr(static_cast<std::size_t>(point));
}

}  // namespace spindle::automation
