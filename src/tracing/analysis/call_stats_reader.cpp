#include "tracing/analysis/call_stats_reader.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "statistics/bucket_sql.h"
#include "tracing/analysis/call_dimension.h"
#include "tracing/analysis/call_usage_reader.h"

namespace spindle::tracing {
namespace {

using query::Sql;

Sql conditionOf(const CallStatsQuery& query, const Sql& selected, bool of_usage) {
  const bool roots = query.selection.filter.trace_roots_only.value_or(false);
  Sql sql = selected;
  sql.add(" AND c.started_at >= ").param(query.buckets.start);
  sql.add(" AND c.started_at < ").param(query.buckets.end);
  // OpenTelemetry spans do not add up usage to their roots, so their children count too.
  if (roots && of_usage) sql.add(" AND (c.parent_id IS NULL OR c.otel_dump IS NOT NULL)");
  if (roots && !of_usage) sql.add(" AND c.parent_id IS NULL");
  return sql;
}

/// Returns the most frequent values of the dimension; then the groups of missing and other values.
Result<std::vector<CallGroup>> readGroups(CallEngine& engine,
                                          const Sql& condition,
                                          const CallDimension& dimension) {
  Sql sql(
      "SELECT v.g, v.calls, CAST(sum(v.calls) OVER () AS BIGINT) FROM (SELECT t.g, count(*) AS ");
  sql.add("calls FROM (")
      .add(selectByDimension(engine, Sql(), condition, dimension))
      .add(") AS t GROUP BY t.g) AS v ORDER BY v.g IS NULL DESC, ")
      .add(engine.dialect().bytes(Sql("v.g")))
      .add(" > " + SqlText::number(kMaxDimensionBytes) + ", v.calls DESC, v.g LIMIT " +
           SqlText::number(kMaxGroups + 1));
  std::vector<CallGroup> groups;
  CallGroup missing{CallGroup::Kind::kMissing};
  CallGroup other{CallGroup::Kind::kOther};
  std::int64_t left = 0;
  TRY(engine.read(sql, [&](const EngineRow& row) -> Result<void> {
    if (groups.empty() && missing.calls == 0) left = row.integer(2);
    if (row.isNull(0)) {
      missing.calls = row.integer(1);
      left -= missing.calls;
    } else if (groups.size() < kMaxGroups && row.text(0).size() <= kMaxDimensionBytes) {
      groups.push_back({CallGroup::Kind::kValue, std::string(row.text(0)), row.integer(1)});
      left -= row.integer(1);
    }
    return {};
  }));
  other.calls = left;
  groups.push_back(std::move(missing));
  groups.push_back(std::move(other));
  return groups;
}

/// Returns SQL that maps the value `t.g` of a row to the place of its group.
GroupPlaces placesOf(const CallEngine& engine,
                     const std::vector<CallGroup>& groups,
                     CallDimension dimension) {
  std::vector<std::string> values;
  for (const CallGroup& group : groups) {
    if (group.kind == CallGroup::Kind::kValue) values.push_back(group.value);
  }
  const SqlText missing = SqlText::number(values.size());
  const SqlText other = SqlText::number(values.size() + 1);
  GroupPlaces places;
  places.dimension = std::move(dimension);
  const Sql indexes("range(" + SqlText::number(values.size()) + ")");
  places.join.add(" LEFT JOIN ")
      .add(engine.dialect().tableOf(
          {{"value", query::FieldKind::kText, Sql().param(std::move(values))},
           {"place", query::FieldKind::kInteger, indexes}}))
      .add(" AS k ON k.value = t.g");
  places.place =
      "CASE WHEN t.g IS NULL THEN " + missing + " ELSE COALESCE(k.place, " + other + ") END";
  return places;
}

/// Removes the groups of missing and other values if they have neither calls nor usage: with
/// `trace_roots_only`, calls that are not counted can report usage.
void removeEmptyGroups(CallStats& stats) {
  const auto has_rows = [&stats](std::size_t group) {
    return std::any_of(stats.usage.begin(), stats.usage.end(),
                       [group](const BucketRow& row) { return row.group == group; });
  };
  for (std::size_t i = stats.groups.size(); i-- > 0;) {
    if (stats.groups[i].kind == CallGroup::Kind::kValue) return;
    if (stats.groups[i].calls > 0 || has_rows(i)) continue;
    stats.groups.erase(stats.groups.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::vector<BucketRow>* rows : {&stats.usage, &stats.calls}) {
      for (BucketRow& row : *rows) row.group -= row.group > i ? 1 : 0;
    }
  }
}

/// Reads the figures of calls. Percentiles of the latency are those of one call in `step`, a power
/// of two.
Result<std::vector<BucketRow>> readCalls(CallEngine& engine,
                                         const StatsRows& rows,
                                         const Sql& condition,
                                         const CallStatsQuery& query,
                                         const GroupPlaces* groups,
                                         std::int64_t step) {
  Sql columns = statistics::bucketSql(query.buckets, "c.started_at", engine.dialect());
  columns.add(" AS bucket, " + rows.latency + " AS latency, c.exception AS exception, ");
  if (step == 1) {
    columns.add(rows.latency + " AS measured");
  } else {
    columns.add("CASE WHEN " + engine.isOneIn("c.started_at", step) + " THEN " + rows.latency +
                " END AS measured");
  }
  Sql sql("SELECT t.bucket, '', ");
  if (groups == nullptr) {
    sql.add("0 AS series_place, count(*)")
        .add(figureColumns(engine, query.call_figures))
        .add(" FROM (SELECT ");
    sql.add(columns).add(" FROM ").add(engine.calls()).add(" AS c WHERE ").add(condition);
    sql.add(") AS t");
  } else {
    sql.add("CAST(" + groups->place + " AS BIGINT) AS series_place, count(*)" +
            figureColumns(engine, query.call_figures) + " FROM (");
    sql.add(selectByDimension(engine, columns, condition, groups->dimension));
    sql.add(") AS t").add(groups->join);
  }
  sql.add(" GROUP BY t.bucket, series_place ORDER BY t.bucket, series_place");
  return readBuckets(engine, sql, query.call_figures);
}

/// Returns the `step` of readCalls() for a selection that could contain all calls of the project.
Result<std::int64_t> samplingStep(CallEngine& engine, const CallStatsQuery& query) {
  const bool measured =
      std::any_of(query.call_figures.begin(), query.call_figures.end(), [](const Figure& figure) {
        return figure.metric == Metric::kLatency && !figure.aggregation;
      });
  std::int64_t rows = query.sampling.max_exact;
  if (!measured || !TRY(engine.hasMoreThan(rows))) return std::int64_t{1};
  while (TRY(engine.hasMoreThan(2 * rows))) rows *= 2;
  const auto times = static_cast<std::uint64_t>(rows / query.sampling.sample);
  return static_cast<std::int64_t>(std::bit_floor(std::max<std::uint64_t>(2, times)));
}

/// Returns the condition of the calls in buckets that have few calls in the sample; nothing if
/// there is no such bucket.
std::optional<Sql> inSmallBuckets(const CallEngine& engine,
                                  const std::vector<BucketRow>& rows,
                                  const CallStatsQuery& query,
                                  std::int64_t step) {
  std::vector<std::size_t> small;
  for (const BucketRow& row : rows) {
    if (row.count / step < query.sampling.least && (small.empty() || small.back() != row.bucket))
      small.push_back(row.bucket);
  }
  if (small.empty()) return std::nullopt;
  Sql sql = statistics::bucketSql(query.buckets, "c.started_at", engine.dialect());
  sql.add(" IN (");
  for (std::size_t i = 0; i < small.size(); ++i)
    sql.add((i == 0 ? SqlText() : SqlText(", ")) + SqlText::number(small[i]));
  return std::optional<Sql>(sql.add(")"));
}

/// Replaces the rows of which there is an exact one. Both lists have the order of readCalls().
void replaceRows(std::vector<BucketRow>& rows, std::vector<BucketRow> exact) {
  const auto place = [](const BucketRow& row) { return std::pair(row.bucket, row.group); };
  auto next = exact.begin();
  for (BucketRow& row : rows) {
    if (next != exact.end() && place(*next) == place(row)) row = std::move(*next++);
  }
}

/// Reads the figures of calls; if there are many, with percentiles of a sample. A percentile of all
/// calls takes longer than all other figures together.
Result<std::vector<BucketRow>> readCallFigures(CallEngine& engine,
                                               const StatsRows& rows,
                                               const Sql& condition,
                                               const CallStatsQuery& query,
                                               const GroupPlaces* groups,
                                               bool& sampled) {
  const std::int64_t step = TRY(samplingStep(engine, query));
  std::vector<BucketRow> read = TRY(readCalls(engine, rows, condition, query, groups, step));
  if (step == 1) return read;
  std::int64_t calls = 0;
  for (const BucketRow& row : read) calls += row.count;
  if (calls <= query.sampling.max_exact)
    return readCalls(engine, rows, condition, query, groups, 1);
  sampled = true;
  if (const std::optional<Sql> small = inSmallBuckets(engine, read, query, step)) {
    Sql chosen = condition;
    chosen.add(" AND ").add(*small);
    replaceRows(read, TRY(readCalls(engine, rows, chosen, query, groups, 1)));
  }
  return read;
}

}  // namespace

Result<CallStats> readStats(CallEngine& engine,
                            const StatsRows& rows,
                            const query::Fields& fields,
                            const CallStatsQuery& query) {
  CallStats stats;
  std::optional<GroupPlaces> groups;
  const Sql calls = conditionOf(query, rows.selected, false);
  if (query.group_by) {
    CallDimension dimension = TRY(dimensionOf(*query.group_by, fields));
    if (query.buckets.begins.empty()) return stats;
    std::vector<CallGroup> found = TRY(readGroups(engine, calls, dimension));
    groups = placesOf(engine, found, std::move(dimension));
    stats.groups = std::move(found);
  }
  if (query.buckets.begins.empty()) return stats;
  const GroupPlaces* by_group = groups ? &*groups : nullptr;
  if (!query.usage_figures.empty()) {
    std::vector<BucketRow> usage =
        TRY(readUsage(engine, conditionOf(query, rows.selected, true), query, by_group));
    stats.usage = std::move(usage);
  }
  if (!query.call_figures.empty()) {
    std::vector<BucketRow> read =
        TRY(readCallFigures(engine, rows, calls, query, by_group, stats.sampled));
    stats.calls = std::move(read);
  }
  removeEmptyGroups(stats);
  return stats;
}

}  // namespace spindle::tracing
