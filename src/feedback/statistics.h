#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"
#include "statistics/aggregation.h"
#include "statistics/buckets.h"

namespace spindle::feedback {

using statistics::Aggregation;

/// Filter on the feedback to aggregate.
struct PayloadFilter {
  Timestamp start;  ///< inclusive
  Timestamp end;    ///< exclusive
  std::optional<std::string> feedback_type = {};
  std::optional<std::string> trigger_ref = {};
};

enum class ValueType { kNumeric, kBoolean, kCategorical };

/// The aggregations of the values at one payload path.
struct PayloadMetric {
  std::vector<std::string> path;  ///< path components
  std::string key;                ///< path as used in result names: dots become underscores
  ValueType value_type = ValueType::kNumeric;
  std::vector<Aggregation> aggregations = {};
  std::vector<double> percentiles = {};  ///< 0 to 100
};

struct FeedbackStatisticsQuery {
  PayloadFilter filter;
  statistics::Buckets buckets;  ///< of the time of the filter
  std::vector<PayloadMetric> metrics = {};
};

/// One computed number; empty if there are no values.
struct StatisticValue {
  std::string metric;  ///< PayloadMetric::key
  std::string name;    ///< `avg`, `p95`
  std::optional<double> value = {};
  bool whole = false;  ///< true for a count
};

struct StatisticsBucket {
  Timestamp start;
  std::int64_t count = 0;
  std::vector<StatisticValue> values;
};

struct Statistics {
  std::vector<StatisticsBucket> buckets;  ///< all buckets of the time range, including empty ones
  std::vector<StatisticValue> window;     ///< over the whole time range
};

/// Returns `p95`, `p99_9`.
std::string percentileName(double percentile);

}  // namespace spindle::feedback
