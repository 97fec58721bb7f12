#include "agents/clickhouse/clickhouse_span_rows.h"

#include <algorithm>
#include <utility>

#include "agents/clickhouse/span_table.h"
#include "agents/sql/span_row.h"
#include "base/core/check.h"

namespace spindle::agents {

using clickhouse::Cursor;
using query::Sql;

Sql ClickHouseSpanRows::from() const { return spanRows(project_id_); }

Sql ClickHouseSpanRows::feedback() const {
  SPINDLE_ASSERT(joins_.feedback_rows, "filters by feedback need the SQL of feedback");
  return joins_.feedback_rows(project_id_);
}

Sql ClickHouseSpanRows::oneOfTraces(const std::vector<std::string>& trace_ids) const {
  return haveTraces(trace_ids).add(withinTraces(project_id_, trace_ids));
}

Result<void> ClickHouseSpanRows::run(const Sql& select, const Visit& visit) {
  Sql sql = select;
  sql.add(spanReadSettings());
  Cursor cursor = TRY(client_.query(sql.text, sql.params));
  const CursorRow<Cursor> row(cursor);
  while (TRY(cursor.next())) {
    if (!TRY(visit(row))) break;
  }
  return {};
}

PageRow ClickHouseSpanRows::readPageRow(const ResultRow& row) const {
  PageRow page_row;
  page_row.trace_id = row.text(0);
  page_row.span_id = row.text(1);
  page_row.started_at = row.time(2);
  return page_row;
}

Result<void> ClickHouseSpanRows::readPage(const std::vector<PageRow>& page,
                                          const Sql& columns,
                                          std::size_t count,
                                          const VisitPageRow& visit) {
  Timestamp oldest = page.front().started_at;
  Timestamp newest = oldest;
  Sql hashes;
  Sql keys;
  for (const PageRow& row : page) {
    oldest = std::min(oldest, row.started_at);
    newest = std::max(newest, row.started_at);
    const SqlView comma = keys.text.empty() ? SqlView() : SqlView(", ");
    hashes.add(comma).add(SqlText::number(traceHash(row.trace_id)));
    keys.add(comma).add("(").param(row.trace_id).add(", ").param(row.span_id).add(")");
  }
  Sql sql("SELECT ");
  sql.add(columns).add(", c.trace_id, c.span_id FROM ").add(from());
  sql.add(" AS c WHERE c.started_at BETWEEN ").param(oldest).add(" AND ").param(newest);
  sql.add(" AND c.trace_hash IN (").add(hashes);
  sql.add(") AND (c.trace_id, c.span_id) IN (").add(keys).add(")");
  return run(sql, [&visit, count](const ResultRow& row) -> Result<bool> {
    PageRow page_row;
    page_row.trace_id = row.text(count);
    page_row.span_id = row.text(count + 1);
    visit(row, page_row);
    return true;
  });
}

Result<std::optional<Timestamp>> ClickHouseSpanRows::newestStart(std::size_t rows) {
  // Reads the end of the sort key backwards. Times that the key does not order are left out. Some
  // spans may have several versions.
  const std::size_t versions = 2 * rows;
  Sql sql(
      "SELECT count(*), min(s.began) FROM (SELECT toStartOfMinute(r.started_at) AS began "
      "FROM spans AS r WHERE r.project_id = ");
  sql.param(project_id_);
  sql.add(
      " AND r.started_at BETWEEN toDateTime64('1970-01-01 00:00:00', 6, 'UTC') "
      "AND toDateTime64('2100-01-01 00:00:00', 6, 'UTC') ORDER BY began DESC LIMIT ");
  sql.add(SqlText::number(versions)).add(") AS s");
  std::optional<Timestamp> start;
  TRY(forEachRow(*this, sql, [&start, versions](const ResultRow& row) {
    if (static_cast<std::size_t>(row.integer(0)) == versions && !row.isNull(1)) start = row.time(1);
  }));
  return start;
}

Result<std::unordered_map<std::string, std::string>> ClickHouseSpanRows::resources(
    const std::vector<std::string>& digests) {
  std::unordered_map<std::string, std::string> found;
  if (digests.empty()) return found;
  Sql sql("SELECT r.digest, r.resource FROM span_resources AS r FINAL WHERE r.project_id = ");
  sql.param(project_id_).add(" AND ").add(dialect().isOneOf(Sql("r.digest"), digests));
  TRY(forEachRow(*this, sql, [&found](const ResultRow& row) {
    found.insert_or_assign(std::string(row.text(0)), std::string(row.text(1)));
  }));
  return found;
}

}  // namespace spindle::agents
