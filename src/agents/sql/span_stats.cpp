#include "agents/store/span_stats.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "agents/sql/span_view.h"
#include "agents/sql/sql_span_store.h"
#include "agents/store/span_column.h"
#include "json/writer.h"
#include "statistics/bucket_sql.h"

namespace spindle::agents {
namespace {

using query::Field, query::Sql;

constexpr std::int64_t kMaxStatsRows = 10'000;

/// One metric column and its SQL over spans `c`.
struct MetricColumn {
  StatsColumn column;
  Aggregate aggregate;
  bool zero_when_empty = false;
};

bool isZeroWithoutRows(SpanAggregation aggregation) {
  return aggregation != SpanAggregation::kAvg && aggregation != SpanAggregation::kMin &&
         aggregation != SpanAggregation::kMax;
}

std::string percentileName(double percentile) {
  std::string text = json::shortestNumber(percentile);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  std::replace(text.begin(), text.end(), '.', '_');
  return "p" + text;
}

Result<std::vector<MetricColumn>> metricColumnsOf(const std::vector<StatsMetric>& metrics,
                                                  const SpanDialect& dialect) {
  std::vector<MetricColumn> metric_columns;
  std::set<std::string> names;
  for (const StatsMetric& metric : metrics) {
    const SpanValue value = TRY(valueOf(metric.value, dialect));
    if (value.type != metric.value_type) {
      return Error::invalidArgument(metric.value.key + " is of type " +
                                    std::string(nameOf(value.type)));
    }
    std::vector<SpanAggregation> aggregations = metric.aggregations;
    if (aggregations.empty() && metric.percentiles.empty()) {
      aggregations.push_back(value.type == ValueType::kNumber ? SpanAggregation::kSum
                                                              : SpanAggregation::kCount);
    }
    for (const SpanAggregation aggregation : aggregations) {
      Aggregate aggregate = TRY(aggregateOf(aggregation, &value, Sql(), dialect));
      const std::string how(nameOf(aggregation));
      MetricColumn& metric_column = metric_columns.emplace_back();
      metric_column.column = {how + "_" + metric.alias, "metric", aggregate.type, metric.alias,
                              how};
      metric_column.aggregate = std::move(aggregate);
      metric_column.zero_when_empty = isZeroWithoutRows(aggregation);
    }
    for (const double percentile : metric.percentiles) {
      if (value.type != ValueType::kNumber)
        return Error::invalidArgument("Only numbers have percentiles");
      const std::string how = percentileName(percentile);
      MetricColumn& metric_column = metric_columns.emplace_back();
      metric_column.column = {how + "_" + metric.alias, "metric", ValueType::kNumber, metric.alias,
                              how};
      metric_column.aggregate.whole = false;
      metric_column.aggregate.sql =
          query::castSql(dialect.values().quantile(value.sql, percentile / 100), "DOUBLE");
    }
  }
  for (const MetricColumn& metric_column : metric_columns) {
    if (!names.insert(metric_column.column.name).second)
      return Error::invalidArgument("Duplicate metric: " + metric_column.column.name);
  }
  return metric_columns;
}

Cell emptyValue(const MetricColumn& metric_column) {
  if (!metric_column.zero_when_empty) return {};
  return metric_column.aggregate.whole ? Cell(std::int64_t{0}) : Cell(0.0);
}

/// The SQL of the spans that match the query.
struct Scope {
  std::unique_ptr<SpanRows> rows;
  Sql view;
  Sql condition;

  Sql from() const { return Sql(" FROM ").add(view).add(" AS c WHERE ").add(condition); }
};

bool needsCosts(const SpanStatsQuery& stats_query) {
  const auto any = [](const auto& list, auto test) {
    return std::any_of(list.begin(), list.end(), test);
  };
  const bool numeric =
      stats_query.numeric &&
      ((stats_query.numeric->value && agents::needsCosts(*stats_query.numeric->value)) ||
       (stats_query.numeric->measure && agents::needsCosts(*stats_query.numeric->measure)));
  return numeric ||
         any(stats_query.metrics,
             [](const StatsMetric& m) { return agents::needsCosts(m.value); }) ||
         any(stats_query.group_filters,
             [](const GroupFilter& f) { return agents::needsCosts(f.measure); });
}

bool touchesIdentity(const std::vector<GroupBy>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const GroupBy& group) {
    const SpanColumn* column = findGroupColumn(group.key);
    return !customTypeOf(group.source) && column != nullptr && isIdentity(column->name);
  });
}

bool needsIdentity(const SpanStatsQuery& stats_query) {
  const auto of_value = [](const ValueRef& ref) {
    const SpanColumn* column = findQueryColumn(ref.key);
    return ref.source == "field" && column != nullptr && isIdentity(column->name);
  };
  return (stats_query.query && usesIdentity(*stats_query.query)) ||
         touchesIdentity(stats_query.group_by) || !stats_query.group_filters.empty() ||
         !stats_query.signals.empty() ||
         (stats_query.numeric && touchesIdentity(stats_query.numeric->group_by)) ||
         std::any_of(stats_query.metrics.begin(), stats_query.metrics.end(),
                     [&](const StatsMetric& metric) { return of_value(metric.value); });
}

Result<Scope> scopeOf(const SqlSpanStore& spans,
                      std::string_view project_id,
                      const SpanStatsQuery& stats_query,
                      const pricing::ProjectPrices& prices) {
  SpanFilter filter;
  filter.query = stats_query.query;
  filter.started_after = stats_query.buckets.start;
  filter.started_before = stats_query.buckets.end;
  std::unique_ptr<SpanRows> rows = TRY(spans.rows(project_id));
  const SpanDialect& dialect = rows->dialect();
  Sql condition = TRY(conditionOf(filter, dialect));
  SpanViewOptions view_options = viewOptionsFor(filter);
  view_options.identity = needsIdentity(stats_query);
  view_options.costs = needsCosts(stats_query);
  view_options.prices = &prices;
  Sql view = TRY(spanView(*rows, view_options));
  condition.add(signalCondition(stats_query.signals, *rows));
  const Sql filters =
      TRY(groupFilterCondition(stats_query.group_filters, view, condition, dialect));
  condition.add(filters);
  return Scope{std::move(rows), std::move(view), std::move(condition)};
}

/// Returns the maximum number of groups in a response.
std::int64_t maxGroupsOf(const SpanStatsQuery& stats_query) {
  const auto range =
      std::chrono::ceil<std::chrono::seconds>(stats_query.buckets.end - stats_query.buckets.start);
  const std::int64_t length = stats_query.buckets.granularity.count();
  const std::int64_t buckets = (range.count() + length - 1) / length + 1;
  return std::min(stats_query.group_limit, std::max<std::int64_t>(kMaxStatsRows / buckets, 1));
}

Result<SpanStats> timeStats(Scope& scope,
                            const SpanStatsQuery& stats_query,
                            const std::vector<MetricColumn>& metric_columns) {
  SpanStats stats;
  stats.columns.push_back({"timestamp", "time", ValueType::kDateTime});
  std::vector<Field> keys;
  for (const GroupBy& group : stats_query.group_by) {
    Field key = TRY(groupField(group, scope.rows->dialect()));
    keys.push_back(std::move(key));
    stats.columns.push_back({aliasOf(group), "group", ValueType::kString});
  }
  for (const MetricColumn& metric_column : metric_columns)
    stats.columns.push_back(metric_column.column);

  Sql key_list;
  for (const Field& key : keys) key_list.add(", ").add(key.sql);
  std::vector<std::vector<Cell>> groups;
  if (!keys.empty()) {
    Sql top("SELECT count(*)");
    top.add(key_list).add(scope.from()).add(" GROUP BY ALL ORDER BY 1 DESC");
    for (std::size_t i = 0; i < keys.size(); ++i) top.add(", " + SqlText::number(i + 2));
    top.add(" LIMIT ").param(maxGroupsOf(stats_query));
    TRY(forEachRow(*scope.rows, top, [&](const ResultRow& row) {
      std::vector<Cell>& group = groups.emplace_back();
      for (std::size_t i = 0; i < keys.size(); ++i)
        group.push_back(cellAt(row, i + 1, keys[i].kind));
    }));
  } else {
    groups.emplace_back();
  }

  // Rows of groups beyond the limit are read and discarded. A filter by group would cost more.
  Sql sql("SELECT ");
  sql.add(
         statistics::bucketSql(stats_query.buckets, "c.started_at", scope.rows->dialect().values()))
      .add(" AS bucket")
      .add(key_list);
  for (const MetricColumn& metric_column : metric_columns)
    sql.add(", ").add(metric_column.aggregate.sql);
  sql.add(scope.from()).add(" GROUP BY bucket").add(key_list);
  std::map<std::pair<std::vector<Cell>, std::size_t>, std::vector<Cell>> counted;
  TRY(forEachRow(*scope.rows, sql, [&](const ResultRow& row) {
    std::vector<Cell> group;
    for (std::size_t i = 0; i < keys.size(); ++i) group.push_back(cellAt(row, i + 1, keys[i].kind));
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) return;
    std::vector<Cell>& values =
        counted[{std::move(group), static_cast<std::size_t>(row.integer(0))}];
    for (std::size_t i = 0; i < metric_columns.size(); ++i) {
      Cell cell = cellAt(row, 1 + keys.size() + i, metric_columns[i].aggregate);
      if (std::holds_alternative<std::monostate>(cell)) cell = emptyValue(metric_columns[i]);
      values.push_back(std::move(cell));
    }
  }));
  for (std::size_t bucket = 0; bucket < stats_query.buckets.begins.size(); ++bucket) {
    for (const std::vector<Cell>& group : groups) {
      std::vector<Cell>& cells = stats.rows.emplace_back();
      cells.emplace_back(stats_query.buckets.begins[bucket]);
      cells.insert(cells.end(), group.begin(), group.end());
      const auto found = counted.find({group, bucket});
      for (std::size_t i = 0; i < metric_columns.size(); ++i)
        cells.push_back(found == counted.end() ? emptyValue(metric_columns[i]) : found->second[i]);
    }
  }
  return stats;
}

/// Returns a sub-query of the numbers `v` to put into bins; for a value of spans, with the columns
/// of the spans too.
Result<Sql> numbersOf(const Scope& scope, const NumericBuckets& numeric) {
  if (numeric.value) {
    const SpanValue value = TRY(valueOf(*numeric.value, scope.rows->dialect()));
    if (value.type != ValueType::kNumber)
      return Error::invalidArgument(numeric.value->key + " is not a number");
    return Sql("(SELECT c.*, CAST(")
        .add(value.sql)
        .add(" AS DOUBLE) AS v")
        .add(scope.from())
        .add(")");
  }
  const Aggregate aggregate = TRY(aggregateOf(*numeric.measure, scope.rows->dialect()));
  if (aggregate.type != ValueType::kNumber)
    return Error::invalidArgument(numeric.measure->alias + " is not a number");
  Sql keys;
  for (const GroupBy& group : numeric.group_by) {
    const Field key = TRY(groupField(group, scope.rows->dialect()));
    keys.add(keys.text.empty() ? SqlView("") : SqlView(", ")).add(key.sql);
  }
  return Sql("(SELECT CAST(")
      .add(aggregate.sql)
      .add(" AS DOUBLE) AS v")
      .add(scope.from())
      .add(" GROUP BY ")
      .add(keys)
      .add(")");
}

Result<SpanStats> numericStats(Scope& scope,
                               const NumericBuckets& numeric,
                               const std::vector<MetricColumn>& metric_columns) {
  SpanStats stats;
  for (const std::string_view name : {"bucket_index", "bucket_min", "bucket_max"})
    stats.columns.push_back({std::string(name), "bucket", ValueType::kNumber, numeric.alias});
  if (metric_columns.empty())
    stats.columns.push_back({"count", "metric", ValueType::kNumber, numeric.alias, "count"});
  for (const MetricColumn& metric_column : metric_columns)
    stats.columns.push_back(metric_column.column);

  const Sql numbers = TRY(numbersOf(scope, numeric));
  std::optional<double> low = numeric.min;
  std::optional<double> high = numeric.max;
  const Sql range = Sql("SELECT min(c.v), max(c.v) FROM ").add(numbers).add(" AS c");
  bool any = false;
  TRY(forEachRow(*scope.rows, range, [&](const ResultRow& row) {
    if (row.isNull(0)) return;
    any = true;
    low = low.value_or(row.real(0));
    high = high.value_or(row.real(1));
  }));
  if (!any || *high < *low) return stats;

  const std::int64_t bins = *high == *low ? 1 : numeric.bins;
  const double width = (*high - *low) / static_cast<double>(bins);
  Sql sql("SELECT ");
  if (bins == 1) {
    sql.add("0");
  } else {
    sql.add("least(" + SqlText::number(bins - 1) + ", CAST(floor((c.v - ").param(*low);
    sql.add(") / ").param(width).add(") AS BIGINT))");
  }
  sql.add(" AS bin");
  if (metric_columns.empty()) sql.add(", count(*)");
  for (const MetricColumn& metric_column : metric_columns)
    sql.add(", ").add(metric_column.aggregate.sql);
  sql.add(" FROM ").add(numbers).add(" AS c WHERE c.v BETWEEN ").param(*low);
  sql.add(" AND ").param(*high).add(" GROUP BY bin");
  for (std::int64_t i = 0; i < bins; ++i) {
    const double begin = *low + width * static_cast<double>(i);
    const double end = i + 1 == bins ? *high : *low + width * static_cast<double>(i + 1);
    std::vector<Cell>& cells = stats.rows.emplace_back();
    cells = {i, begin, end};
    if (metric_columns.empty()) cells.emplace_back(std::int64_t{0});
    for (const MetricColumn& metric_column : metric_columns)
      cells.push_back(emptyValue(metric_column));
  }
  TRY(forEachRow(*scope.rows, sql, [&](const ResultRow& row) {
    std::vector<Cell>& cells = stats.rows.at(static_cast<std::size_t>(row.integer(0)));
    if (metric_columns.empty()) cells[3] = row.integer(1);
    for (std::size_t i = 0; i < metric_columns.size(); ++i) {
      Cell cell = cellAt(row, 1 + i, metric_columns[i].aggregate);
      if (!std::holds_alternative<std::monostate>(cell)) cells[3 + i] = std::move(cell);
    }
  }));
  return stats;
}

}  // namespace

Result<SpanStats> SqlSpanStore::readSpanStats(std::string_view project_id,
                                              const SpanStatsQuery& stats_query,
                                              const pricing::ProjectPrices& prices) const {
  Scope scope = TRY(scopeOf(*this, project_id, stats_query, prices));
  const std::vector<MetricColumn> metric_columns =
      TRY(metricColumnsOf(stats_query.metrics, scope.rows->dialect()));
  if (stats_query.numeric) return numericStats(scope, *stats_query.numeric, metric_columns);
  return timeStats(scope, stats_query, metric_columns);
}

}  // namespace spindle::agents
