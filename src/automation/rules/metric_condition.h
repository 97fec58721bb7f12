#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "automation/rules/event_spec.h"

namespace spindle::automation {

/// The values for which a condition is true.
struct MetricFinding {
  double value = 0;      ///< the aggregate, or the latest value
  double threshold = 0;  ///< the threshold, or the minimum change
};

/// Returns the number of latest values that a condition needs.
std::size_t valuesNeeded(EventType type, const MetricSpec& metric);

/// Evaluates the condition of a RUN_METRIC_* event for the latest values of a metric of one run,
/// newest last. Ignores values before those that are needed. Returns nothing if the condition is
/// false, or if there are not enough values yet.
std::optional<MetricFinding> evaluate(EventType type,
                                      const MetricSpec& metric,
                                      std::span<const double> values);

/// Formats a number with the shortest digits that read back as the same number, in the layout of
/// ECMAScript: `0.5`, `3`, `1e+21`. `null` if the number is not finite.
std::string metricText(double value);

}  // namespace spindle::automation
