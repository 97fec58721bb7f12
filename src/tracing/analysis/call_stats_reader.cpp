#include "tracing/analysis/call_stats_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "columnar/store/snapshot.h"
#include "statistics/bucket_sql.h"
#include "tracing/analysis/call_dimension.h"
#include "tracing/analysis/call_usage_reader.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
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
Result<std::vector<CallGroup>> readGroups(columnar::Snapshot& snapshot,
                                          SqlView from,
                                          const Sql& condition,
                                          const CallDimension& dimension) {
  Sql sql(
      "SELECT v.g, v.calls, CAST(sum(v.calls) OVER () AS BIGINT) FROM (SELECT t.g, count(*) AS ");
  sql.add("calls FROM (")
      .add(selectByDimension(from, Sql(), condition, dimension))
      .add(") AS t GROUP BY t.g) AS v ORDER BY v.g IS NULL DESC, strlen(v.g) > " +
           SqlText::number(kMaxDimensionBytes) + ", v.calls DESC, v.g LIMIT " +
           SqlText::number(kMaxGroups + 1));
  std::vector<CallGroup> groups;
  CallGroup missing{CallGroup::Kind::kMissing};
  CallGroup other{CallGroup::Kind::kOther};
  std::int64_t left = 0;
  TRY(forEachRow(snapshot.query(sql.text, sql.params), [&](const Cursor& row) {
    if (groups.empty() && missing.calls == 0) left = row.integer(2);
    if (row.isNull(0)) {
      missing.calls = row.integer(1);
      left -= missing.calls;
    } else if (groups.size() < kMaxGroups && row.text(0).size() <= kMaxDimensionBytes) {
      groups.push_back({CallGroup::Kind::kValue, std::string(row.text(0)), row.integer(1)});
      left -= row.integer(1);
    }
  }));
  other.calls = left;
  groups.push_back(std::move(missing));
  groups.push_back(std::move(other));
  return groups;
}

/// Returns SQL that maps the value `t.g` of a row to the place of its group.
GroupPlaces placesOf(const std::vector<CallGroup>& groups, CallDimension dimension) {
  std::vector<std::string> values;
  for (const CallGroup& group : groups) {
    if (group.kind == CallGroup::Kind::kValue) values.push_back(group.value);
  }
  const SqlText missing = SqlText::number(values.size());
  const SqlText other = SqlText::number(values.size() + 1);
  GroupPlaces places;
  places.dimension = std::move(dimension);
  const SqlText count = SqlText::number(values.size());
  places.join.add(" LEFT JOIN (SELECT unnest(CAST(")
      .param(std::move(values))
      .add(" AS VARCHAR[])) AS value, unnest(range(" + count +
           ")) AS place) AS k ON k.value = t.g");
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

Result<std::vector<BucketRow>> readCalls(columnar::Snapshot& snapshot,
                                         const StatsRows& rows,
                                         const Sql& condition,
                                         const CallStatsQuery& query,
                                         const GroupPlaces* groups) {
  Sql columns = statistics::bucketSql(query.buckets, "c.started_at");
  columns.add(" AS bucket, ").add(rows.latency);
  columns.add(" AS latency, CASE WHEN c.exception IS NULL THEN 0 ELSE 1 END AS failed");
  Sql sql("SELECT t.bucket, '', ");
  if (groups == nullptr) {
    sql.add("0 AS series_place, count(*)")
        .add(figureColumns(query.call_figures))
        .add(" FROM (SELECT ");
    sql.add(columns).add(" FROM " + rows.from + " AS c WHERE ").add(condition).add(") AS t");
  } else {
    sql.add("CAST(" + groups->place + " AS BIGINT) AS series_place, count(*)" +
            figureColumns(query.call_figures) + " FROM (");
    sql.add(selectByDimension(rows.from, columns, condition, groups->dimension));
    sql.add(") AS t").add(groups->join);
  }
  sql.add(" GROUP BY t.bucket, series_place ORDER BY t.bucket, series_place");
  return readBuckets(snapshot, sql, query.call_figures);
}

}  // namespace

Result<CallStats> readStats(columnar::Snapshot& snapshot,
                            const StatsRows& rows,
                            const query::Fields& fields,
                            const CallStatsQuery& query) {
  CallStats stats;
  std::optional<GroupPlaces> groups;
  const Sql calls = conditionOf(query, rows.selected, false);
  if (query.group_by) {
    CallDimension dimension = TRY(dimensionOf(*query.group_by, fields));
    if (query.buckets.begins.empty()) return stats;
    std::vector<CallGroup> found = TRY(readGroups(snapshot, rows.from, calls, dimension));
    groups = placesOf(found, std::move(dimension));
    stats.groups = std::move(found);
  }
  if (query.buckets.begins.empty()) return stats;
  const GroupPlaces* by_group = groups ? &*groups : nullptr;
  if (!query.usage_figures.empty()) {
    std::vector<BucketRow> usage = TRY(
        readUsage(snapshot, rows.from, conditionOf(query, rows.selected, true), query, by_group));
    stats.usage = std::move(usage);
  }
  if (!query.call_figures.empty()) {
    std::vector<BucketRow> read = TRY(readCalls(snapshot, rows, calls, query, by_group));
    stats.calls = std::move(read);
  }
  removeEmptyGroups(stats);
  return stats;
}

}  // namespace spindle::tracing
