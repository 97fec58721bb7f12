#include "feedback/store/statistics_statements.h"

#include <array>
#include <string>
#include <utility>

#include "query/json_value.h"
#include "statistics/bucket_sql.h"

namespace spindle::feedback {
namespace {

using query::Dialect, query::FieldKind, query::Sql;

/// Returns the columns of each metric: number, boolean, and whether a value is present:
/// `, n0, t0, p0, n1, …`.
Sql valuesOf(const std::vector<PayloadMetric>& metrics, const Dialect& dialect) {
  Sql sql;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const query::JsonValue value(Sql("f.payload"), metrics[i].path, dialect);
    const SqlText number = SqlText::number(i);
    switch (metrics[i].value_type) {
      case ValueType::kNumeric:
        sql.add(", ").add(value.real()).add(" AS n" + number);
        sql.add(", ").add(value.boolean()).add(" AS t" + number);
        sql.add(", n" + number + " IS NOT NULL AS p" + number);
        break;
      case ValueType::kBoolean:
        sql.add(", ").add(value.boolean()).add(" AS t" + number);
        sql.add(", ").add(dialect.realOf(FieldKind::kBoolean, Sql("t" + number)));
        sql.add(" AS n" + number + ", t" + number + " IS NOT NULL AS p" + number);
        break;
      case ValueType::kCategorical:
        sql.add(", NULLIF(CAST(0 AS DOUBLE), 0) AS n" + number);
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

/// Returns `, <aggregate as a double>` for each requested value.
Sql aggregatesOf(const std::vector<PayloadMetric>& metrics, const Dialect& dialect) {
  Sql sql;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const SqlText number = SqlText::number(i);
    for (const Aggregation aggregation : metrics[i].aggregations) {
      const Sql value(aggregateOf(aggregation, number));
      sql.add(", ").add(dialect.realOf(FieldKind::kReal, value));
    }
    for (const double percentile : metrics[i].percentiles)
      sql.add(", ").add(dialect.quantile(Sql("n" + number), percentile / 100));
  }
  return sql;
}

/// Returns true if the aggregation of no values is a number.
bool hasEmptyValue(Aggregation aggregation) {
  return aggregation != Aggregation::kMin && aggregation != Aggregation::kMax;
}

}  // namespace

StatisticsReader::StatisticsReader(const FeedbackRows& rows, const FeedbackStatisticsQuery& query)
    : query_(query), dialect_(rows.dialect) {
  picked_.add("(SELECT ").add(statistics::bucketSql(query.buckets, "f.created_at", dialect_));
  picked_.add(" AS bucket").add(valuesOf(query.metrics, dialect_)).add(" FROM ").add(rows.source);
  picked_.add(" AS f WHERE ").add(conditionOf(query.filter)).add(")");
  aggregates_ = aggregatesOf(query.metrics, dialect_);
  found_.buckets.reserve(query.buckets.begins.size());
  for (const Timestamp begin : query.buckets.begins)
    found_.buckets.push_back({begin, 0, valuesWithoutFeedback()});
}

Sql StatisticsReader::bucketsStatement() const {
  Sql sql("SELECT bucket, count(*)");
  return sql.add(aggregates_).add(" FROM ").add(picked_).add(" AS picked GROUP BY bucket");
}

Sql StatisticsReader::windowStatement() const {
  if (query_.metrics.empty()) return {};
  Sql sql("SELECT count(*)");
  return sql.add(aggregates_).add(" FROM ").add(picked_).add(" AS picked");
}

std::vector<StatisticValue> StatisticsReader::valuesWithoutFeedback() const {
  std::vector<StatisticValue> values;
  for (const PayloadMetric& metric : query_.metrics) {
    for (const Aggregation aggregation : metric.aggregations) {
      StatisticValue& value = values.emplace_back();
      value.metric = metric.key;
      value.name = textOf(aggregation);
      value.whole = isCount(aggregation);
      if (hasEmptyValue(aggregation)) value.value = 0;
    }
    for (const double percentile : metric.percentiles) {
      StatisticValue& value = values.emplace_back();
      value.metric = metric.key;
      value.name = percentileName(percentile);
    }
  }
  return values;
}

}  // namespace spindle::feedback
