#include "tracing/clickhouse/call_time_bound.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// Adds ` AND <column> <comparison> <time>`.
void require(Sql& sql, SqlView column, SqlView comparison, Timestamp time) {
  sql.add(" AND ").add(column).add(comparison).param(time);
}

}  // namespace

Result<std::optional<Timestamp>> timeBound(clickhouse::Client& client,
                                           const std::string& project,
                                           TimeOrder order,
                                           std::optional<Timestamp> after,
                                           std::int64_t rows) {
  const bool newest = order == TimeOrder::kNewestFirst;
  const SqlView direction = newest ? SqlView(" DESC") : SqlView(" ASC");
  const SqlView not_before = newest ? SqlView(" <= ") : SqlView(" >= ");
  Sql sql(
      "SELECT b.started_at FROM (SELECT k.started_at AS started_at FROM calls AS k WHERE "
      "k.project_id = ");
  sql.param(project);
  // Ids without a time have 1970.
  require(sql, "k.id_at", " > ", Timestamp());
  if (after) require(sql, "k.id_at", not_before, *after);
  sql.add(" ORDER BY k.id_at").add(direction).add(", k.id").add(direction);
  sql.add(" LIMIT " + SqlText::number(2 * rows + 1) + ") AS b WHERE TRUE");
  if (after) require(sql, "b.started_at", not_before, *after);
  sql.add(" ORDER BY b.started_at").add(direction);
  sql.add(" LIMIT 1 OFFSET " + SqlText::number(rows));
  std::optional<Timestamp> bound;
  TRY(forEachRow(client.query(sql.text, sql.params),
                 [&bound](const Cursor& row) { bound = row.time(0); }));
  return bound;
}

query::Sql startedWithin(const std::string& project,
                         TimeOrder order,
                         std::optional<Timestamp> after,
                         Timestamp bound) {
  const bool newest = order == TimeOrder::kNewestFirst;
  const SqlView until_bound = newest ? SqlView(" >= ") : SqlView(" <= ");
  const SqlView not_before = newest ? SqlView(" <= ") : SqlView(" >= ");
  Sql sql("(r.id_at, r.id) IN (SELECT k.id_at, k.id FROM calls AS k WHERE k.project_id = ");
  sql.param(project);
  require(sql, "k.started_at", until_bound, bound);
  if (after) require(sql, "k.started_at", not_before, *after);
  sql.add(")");
  require(sql, "r.started_at", until_bound, bound);
  if (after) require(sql, "r.started_at", not_before, *after);
  return sql;
}

}  // namespace spindle::tracing
