#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/store/span_query.h"
#include "agents/store/span_results.h"
#include "statistics/buckets.h"

namespace spindle::agents {

/// The aggregations and percentiles of one value of spans.
struct StatsMetric {
  std::string alias;
  ValueType value_type = ValueType::kNumber;
  ValueRef value;
  std::vector<SpanAggregation> aggregations = {};
  std::vector<double> percentiles = {};  ///< 0 to 100
};

/// Numeric buckets: of a value of spans, or of a measure of groups.
struct NumericBuckets {
  std::string alias = "value";
  std::int64_t bins = 24;
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::optional<ValueRef> value = {};
  std::vector<GroupBy> group_by = {};
  std::optional<Measure> measure = {};
};

struct SpanStatsQuery {
  std::optional<query::Query> query = {};
  statistics::Buckets buckets = {};  ///< buckets of time
  std::vector<GroupBy> group_by = {};
  std::vector<StatsMetric> metrics = {};
  std::int64_t group_limit = 50;
  std::optional<NumericBuckets> numeric = {};
  std::vector<GroupFilter> group_filters = {};
  SignalFilters signals = {};
};

struct StatsColumn {
  std::string name;
  std::string role;  ///< time, bucket, group, metric
  ValueType type = ValueType::kNumber;
  std::optional<std::string> metric = {};
  std::optional<std::string> aggregation = {};
};

/// A table. Every row has one cell per column.
struct SpanStats {
  std::vector<StatsColumn> columns;
  std::vector<std::vector<Cell>> rows;
};

}  // namespace spindle::agents
