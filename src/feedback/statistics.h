#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace spindle::feedback {

/// Which feedback is looked at.
struct PayloadScope {
  Timestamp start;  ///< inclusive
  Timestamp end;    ///< exclusive
  std::optional<std::string> feedback_type = {};
  std::optional<std::string> trigger_ref = {};
};

enum class ValueType { kNumeric, kBoolean, kCategorical };
enum class Aggregation { kSum, kAvg, kMin, kMax, kCount, kCountTrue, kCountFalse };

/// What to compute of the values at one path of the payloads.
struct Metric {
  std::vector<std::string> path;  ///< taken apart
  std::string key;                ///< the path as result names hold it: dots are underscores
  ValueType value_type = ValueType::kNumeric;
  std::vector<Aggregation> aggregations = {};
  std::vector<double> percentiles = {};  ///< 0 to 100
};

struct StatisticsQuestion {
  PayloadScope scope;
  std::int64_t granularity = 0;  ///< seconds
  std::string timezone = "UTC";
  std::vector<Metric> metrics = {};
};

/// One computed number; empty where there is nothing to compute it of.
struct StatisticValue {
  std::string metric;  ///< Metric::key
  std::string name;    ///< `avg`, `p95`
  std::optional<double> value = {};
  bool whole = false;  ///< a count
};

struct StatisticsBucket {
  Timestamp start;
  std::int64_t count = 0;
  std::vector<StatisticValue> values;
};

struct Statistics {
  std::vector<StatisticsBucket> buckets;  ///< all of the span, also empty ones
  std::vector<StatisticValue> window;     ///< over the whole span
};

std::string_view textOf(Aggregation aggregation);

/// `p95`, `p99_9`.
std::string percentileName(double percentile);

/// How long buckets are when nobody says: from 5 minutes to a day, by the length of the span.
std::int64_t automaticGranularity(Timestamp start, Timestamp end);

inline constexpr std::int64_t kMaxBuckets = 10'000;
inline constexpr std::chrono::hours kMaxSpan{31 * 24};

/// A granularity that makes at most kMaxBuckets buckets.
std::int64_t boundedGranularity(std::int64_t seconds, Timestamp start, Timestamp end);

}  // namespace spindle::feedback
