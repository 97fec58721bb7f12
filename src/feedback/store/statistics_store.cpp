#include <array>
#include <utility>

#include "feedback/store/columnar_feedback_store.h"
#include "query/json_value.h"
#include "statistics/bucket_sql.h"

namespace spindle::feedback {
namespace {

using columnar::Cursor, columnar::Snapshot;
using query::Sql;

Sql conditionOf(const PayloadFilter& filter) {
  Sql where = Sql("f.created_at >= ").param(filter.start);
  where.add(" AND f.created_at < ").param(filter.end);
  if (filter.feedback_type) where.add(" AND f.feedback_type = ").param(*filter.feedback_type);
  if (filter.trigger_ref) where.add(" AND f.trigger_ref = ").param(*filter.trigger_ref);
  return where;
}

/// Returns the columns of each metric: number, boolean, and whether a value is present:
/// `, n0, t0, p0, n1, …`.
Sql valuesOf(const std::vector<PayloadMetric>& metrics) {
  Sql sql;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const query::JsonValue value(Sql("f.payload"), metrics[i].path);
    const SqlText number = SqlText::number(i);
    switch (metrics[i].value_type) {
      case ValueType::kNumeric:
        sql.add(", ").add(value.real()).add(" AS n" + number);
        sql.add(", ").add(value.boolean()).add(" AS t" + number);
        sql.add(", n" + number + " IS NOT NULL AS p" + number);
        break;
      case ValueType::kBoolean:
        sql.add(", ").add(value.boolean()).add(" AS t" + number);
        sql.add(", CAST(CAST(t" + number + " AS TINYINT) AS DOUBLE) AS n" + number);
        sql.add(", t" + number + " IS NOT NULL AS p" + number);
        break;
      case ValueType::kCategorical:
        sql.add(", CAST(NULL AS DOUBLE) AS n" + number);
        sql.add(", ").add(value.boolean()).add(" AS t" + number);
        sql.add(", ").add(value.looseText()).add(" <> '' AS p" + number);
        break;
    }
  }
  return sql;
}

/// The SQL of an aggregation, before and after the number of the metric.
struct AggregateSql {
  Aggregation aggregation;
  SqlView before;
  SqlView after;
};
constexpr auto kAggregates = std::to_array<AggregateSql>({
    {Aggregation::kSum, "COALESCE(sum(n", "), 0)"},
    {Aggregation::kAvg, "COALESCE(avg(n", "), 0)"},
    {Aggregation::kMin, "min(n", ")"},
    {Aggregation::kMax, "max(n", ")"},
    {Aggregation::kCount, "count(*) FILTER (WHERE p", ")"},
    {Aggregation::kCountTrue, "count(*) FILTER (WHERE t", ")"},
    {Aggregation::kCountFalse, "count(*) FILTER (WHERE NOT t", ")"},
});

SqlText aggregateOf(Aggregation aggregation, const SqlText& number) {
  for (const AggregateSql& sql : kAggregates) {
    if (sql.aggregation == aggregation) return sql.before + number + sql.after;
  }
  return SqlText("NULL");
}

/// Returns `, CAST(<aggregate> AS DOUBLE)` for each requested value.
Sql aggregatesOf(const std::vector<PayloadMetric>& metrics) {
  Sql sql;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const SqlText number = SqlText::number(i);
    for (const Aggregation aggregation : metrics[i].aggregations) {
      sql.add(", CAST(" + aggregateOf(aggregation, number) + " AS DOUBLE)");
    }
    for (const double percentile : metrics[i].percentiles) {
      sql.add(", quantile_cont(n" + number + ", " + SqlText::real(percentile / 100) + ")");
    }
  }
  return sql;
}

std::vector<StatisticValue> valuesAt(const Cursor& row,
                                     std::size_t column,
                                     const std::vector<PayloadMetric>& metrics) {
  std::vector<StatisticValue> values;
  const auto add = [&](const PayloadMetric& metric, std::string name, bool whole) {
    StatisticValue& value = values.emplace_back();
    value.metric = metric.key;
    value.name = std::move(name);
    value.whole = whole;
    if (!row.isNull(column)) value.value = row.real(column);
    ++column;
  };
  for (const PayloadMetric& metric : metrics) {
    for (const Aggregation aggregation : metric.aggregations) {
      add(metric, std::string(textOf(aggregation)), isCount(aggregation));
    }
    for (const double percentile : metric.percentiles) {
      add(metric, percentileName(percentile), false);
    }
  }
  return values;
}

}  // namespace

Result<Statistics> ColumnarFeedbackStore::statistics(std::string_view project_id,
                                                     const FeedbackStatisticsQuery& query) const {
  Statistics found;
  if (query.buckets.begins.empty()) return found;
  Snapshot snapshot = TRY(store_.snapshot());
  const Sql aggregates = aggregatesOf(query.metrics);
  Sql picked =
      Sql("SELECT ").add(statistics::bucketSql(query.buckets, "f.created_at")).add(" AS bucket");
  picked.add(valuesOf(query.metrics))
      .add(" FROM " + snapshot.from(family_, project_id) + " AS f WHERE ")
      .add(conditionOf(query.filter));
  const Sql by_time = Sql("WITH picked AS (")
                          .add(picked)
                          .add("), buckets AS (SELECT unnest(range(" +
                               SqlText::number(query.buckets.begins.size()) +
                               ")) AS number) SELECT number, count(picked.bucket)")
                          .add(aggregates)
                          .add(
                              " FROM buckets LEFT JOIN picked ON picked.bucket = buckets.number "
                              "GROUP BY number ORDER BY number");
  TRY(forEachRow(snapshot.query(by_time.text, by_time.params), [&](const Cursor& row) {
    found.buckets.push_back({query.buckets.begins.at(static_cast<std::size_t>(row.integer(0))),
                             row.integer(1), valuesAt(row, 2, query.metrics)});
  }));
  if (query.metrics.empty()) return found;
  const Sql overall =
      Sql("SELECT count(*)").add(aggregates).add(" FROM (").add(picked).add(") AS picked");
  TRY(forEachRow(snapshot.query(overall.text, overall.params),
                 [&](const Cursor& row) { found.window = valuesAt(row, 1, query.metrics); }));
  return found;
}

Result<std::vector<std::string>> ColumnarFeedbackStore::payloads(std::string_view project_id,
                                                                 const PayloadFilter& filter,
                                                                 std::int64_t limit) const {
  Snapshot snapshot = TRY(store_.snapshot());
  Sql sql("SELECT f.payload FROM " + snapshot.from(family_, project_id) + " AS f WHERE ");
  sql.add(conditionOf(filter)).add(" ORDER BY f.created_at DESC LIMIT ").param(limit);
  return collectRows(snapshot.query(sql.text, sql.params),
                     [](const Cursor& row) { return std::string(row.text(0)); });
}

}  // namespace spindle::feedback
