#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::feedback {

/// Filter on the feedback to aggregate.
struct PayloadFilter {
  Timestamp start;  ///< inclusive
  Timestamp end;    ///< exclusive
  std::optional<std::string> feedback_type = {};
  std::optional<std::string> trigger_ref = {};
};

enum class ValueType { kNumeric, kBoolean, kCategorical };
enum class Aggregation { kSum, kAvg, kMin, kMax, kCount, kCountTrue, kCountFalse };

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
  std::int64_t granularity = 0;  ///< seconds
  std::string timezone = "UTC";
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

std::string_view textOf(Aggregation aggregation);

/// Returns `p95`, `p99_9`.
std::string percentileName(double percentile);

/// Returns the default bucket length: from 5 minutes to a day, depending on the time range.
std::int64_t automaticGranularity(Timestamp start, Timestamp end);

inline constexpr std::int64_t kMaxBuckets = 10'000;
inline constexpr std::chrono::hours kMaxTimeRange{31 * 24};

/// Returns a granularity that yields at most kMaxBuckets buckets.
std::int64_t boundedGranularity(std::int64_t seconds, Timestamp start, Timestamp end);

}  // namespace spindle::feedback
