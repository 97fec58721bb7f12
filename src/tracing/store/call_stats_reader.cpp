#include "tracing/store/call_stats_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "columnar/store/snapshot.h"
#include "pricing/price_table_sql.h"
#include "pricing/project_prices.h"
#include "query/sql.h"
#include "statistics/aggregation.h"
#include "statistics/bucket_sql.h"
#include "tracing/store/call_fields.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::Sql;

/// The counts of one entry of `usage`, as doubles, so that absurd reports cannot overflow.
constexpr SqlView kReported =
    R"(json_transform(u.value, '{"prompt_tokens":"DOUBLE","input_tokens":"DOUBLE",)"
    R"("completion_tokens":"DOUBLE","output_tokens":"DOUBLE","total_tokens":"DOUBLE",)"
    R"("cache_read_input_tokens":"DOUBLE","cache_creation_input_tokens":"DOUBLE"}'))";

/// The same by metric, over rows `r` of reports.
constexpr SqlView kTokens =
    "COALESCE(r.said.prompt_tokens, 0) + COALESCE(r.said.input_tokens, 0) AS input, "
    "COALESCE(r.said.completion_tokens, 0) + COALESCE(r.said.output_tokens, 0) AS output, "
    "COALESCE(r.said.total_tokens, 0) AS total, "
    "COALESCE(r.said.cache_read_input_tokens, 0) AS cache_read, "
    "COALESCE(r.said.cache_creation_input_tokens, 0) AS cache_creation";

/// The SQL of each metric over rows `t` of tokens and prices, or of calls, in the order of Metric.
constexpr auto kMetricExpressions = std::to_array<SqlView>({
    "t.input",
    "t.output",
    "(CASE WHEN t.total = 0 THEN t.input + t.output ELSE t.total END)",
    "t.cache_read",
    "t.cache_creation",
    "((t.input - t.cache_read - t.cache_creation) * p.prompt)",
    "(t.output * p.completion)",
    "((t.input - t.cache_read - t.cache_creation) * p.prompt + t.output * p.completion + "
    "t.cache_read * p.cache_read + t.cache_creation * p.cache_creation)",
    "t.latency",
    "1",
    "t.failed",
});

SqlText expressionOf(const Figure& figure) {
  const SqlText value(kMetricExpressions.at(static_cast<std::size_t>(figure.metric)));
  if (!figure.aggregation)
    return "quantile_cont(" + value + ", " + SqlText::real(figure.percentile / 100) + ")";
  if (*figure.aggregation == Aggregation::kCountTrue) return "count_if(" + value + " <> 0)";
  if (*figure.aggregation == Aggregation::kCountFalse) return "count_if(" + value + " = 0)";
  return SqlText(statistics::sqlFunctionOf(*figure.aggregation)) + "(" + value + ")";
}

SqlText expressionsOf(const std::vector<Figure>& figures) {
  SqlText list;
  for (const Figure& figure : figures) list += ", CAST(" + expressionOf(figure) + " AS DOUBLE)";
  return list;
}

Sql conditionOf(const CallStatsQuery& query, bool of_usage) {
  CallFilter filter = query.filter;
  const bool roots = std::exchange(filter.trace_roots_only, std::nullopt).value_or(false);
  Sql sql("c.presence = 1 AND c.started_at >= ");
  sql.param(query.buckets.start).add(" AND c.started_at < ").param(query.buckets.end);
  sql.add(" AND ").add(compileFilter(filter));
  // OpenTelemetry spans do not add up usage to their roots, so their children count too.
  if (roots && of_usage) sql.add(" AND (c.parent_id IS NULL OR c.otel_dump IS NOT NULL)");
  if (roots && !of_usage) sql.add(" AND c.parent_id IS NULL");
  if (of_usage) sql.add(R"( AND contains(c.summary, '"usage"'))");
  return sql;
}

/// Selects the reported usage, one row for each model of each call.
Sql reportsOf(SqlView from, const CallStatsQuery& query) {
  Sql sql("SELECT c.bucket, u.key AS model, ");
  sql.add(kReported)
      .add(" AS said FROM (SELECT ")
      .add(statistics::bucketSql(query.buckets, "c.started_at"));
  sql.add(" AS bucket, c.summary FROM " + SqlText(from) + " AS c WHERE ")
      .add(conditionOf(query, true));
  return sql.add(") AS c, json_each(c.summary, '$.usage') AS u");
}

Result<std::vector<std::string>> modelsIn(columnar::Snapshot& snapshot,
                                          SqlView from,
                                          const CallStatsQuery& query) {
  Sql sql("SELECT DISTINCT r.model FROM (");
  sql.add(reportsOf(from, query)).add(") AS r");
  return collectRows(snapshot.query(sql.text, sql.params),
                     [](const Cursor& row) { return std::string(row.text(0)); });
}

/// Reads rows of bucket, model, count and figures.
Result<std::vector<BucketRow>> rowsOf(columnar::Snapshot& snapshot,
                                      const Sql& sql,
                                      const std::vector<Figure>& figures) {
  std::vector<BucketRow> rows;
  const auto add = [&](const Cursor& cursor) -> Result<void> {
    if (rows.size() == kMaxBucketRows) {
      return Error::invalidArgument(
          "Too many models and buckets: choose a larger granularity or a shorter range");
    }
    BucketRow row;
    row.bucket = static_cast<std::size_t>(cursor.integer(0));
    row.model = std::string(cursor.text(1));
    row.count = cursor.integer(2);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      std::optional<double> number;
      if (!cursor.isNull(3 + i)) number = cursor.real(3 + i);
      row.values.push_back(valueOf(figures[i], number));
    }
    rows.push_back(std::move(row));
    return {};
  };
  TRY(forEachRow(snapshot.query(sql.text, sql.params), add));
  return rows;
}

Result<std::vector<BucketRow>> readUsage(columnar::Snapshot& snapshot,
                                         SqlView from,
                                         const CallStatsQuery& query) {
  const bool costs = query.prices != nullptr &&
                     std::any_of(query.usage_figures.begin(), query.usage_figures.end(),
                                 [](const Figure& figure) { return isCost(figure.metric); });
  Sql sql("SELECT t.bucket, t.model, count(*)" + expressionsOf(query.usage_figures) +
          " FROM (SELECT r.bucket, r.model, ");
  sql.add(kTokens).add(" FROM (").add(reportsOf(from, query)).add(") AS r) AS t");
  if (costs) {
    const std::vector<std::string> models = TRY(modelsIn(snapshot, from, query));
    sql.add(" LEFT JOIN ")
        .add(pricing::priceTableSql(models, *query.prices))
        .add(" AS p ON p.model = t.model");
  }
  sql.add(" GROUP BY t.bucket, t.model ORDER BY t.bucket, t.model");
  return rowsOf(snapshot, sql, query.usage_figures);
}

Result<std::vector<BucketRow>> readCalls(columnar::Snapshot& snapshot,
                                         SqlView from,
                                         const CallStatsQuery& query) {
  Sql sql("SELECT t.bucket, '', count(*)" + expressionsOf(query.call_figures) + " FROM (SELECT ");
  sql.add(statistics::bucketSql(query.buckets, "c.started_at"))
      .add(" AS bucket, ")
      .add(latencySql());
  sql.add(" AS latency, CASE WHEN c.exception IS NULL THEN 0 ELSE 1 END AS failed FROM " +
          SqlText(from) + " AS c WHERE ");
  sql.add(conditionOf(query, false)).add(") AS t GROUP BY t.bucket ORDER BY t.bucket");
  return rowsOf(snapshot, sql, query.call_figures);
}

}  // namespace

Result<CallStats> readStats(columnar::Snapshot& snapshot,
                            SqlView from,
                            const CallStatsQuery& query) {
  CallStats stats;
  if (query.buckets.begins.empty()) return stats;
  if (!query.usage_figures.empty()) {
    std::vector<BucketRow> usage = TRY(readUsage(snapshot, from, query));
    stats.usage = std::move(usage);
  }
  if (!query.call_figures.empty()) {
    std::vector<BucketRow> calls = TRY(readCalls(snapshot, from, query));
    stats.calls = std::move(calls);
  }
  return stats;
}

}  // namespace spindle::tracing
