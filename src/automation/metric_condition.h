#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "automation/event_spec.h"

namespace spindle::automation {

/// What made a condition true.
struct MetricFinding {
  double value = 0;      ///< the aggregate, or the latest value
  double threshold = 0;  ///< what it was held against: the threshold, or the least change
};

/// How many of the last values a condition looks at.
std::size_t valuesNeeded(EventType type, const MetricSpec& metric);

/// Holds the condition of a RUN_METRIC_* event against the last values of a metric of one run, the
/// newest at the end; values before those that are needed do not matter. Nothing when it does not
/// hold, or when there are not enough values yet.
std::optional<MetricFinding> evaluate(EventType type,
                                      const MetricSpec& metric,
                                      std::span<const double> values);

/// The shortest digits that read back as the same number, laid out as ECMAScript does it: `0.5`,
/// `3`, `1e+21`. `null` when the number is not finite.
std::string metricText(double value);

}  // namespace spindle::automation
