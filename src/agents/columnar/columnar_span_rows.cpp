#include "agents/columnar/columnar_span_rows.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "agents/sql/span_row.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {

using query::Sql;

ColumnarSpanRows::ColumnarSpanRows(columnar::Snapshot snapshot,
                                   const SpanFamilies& families,
                                   std::string_view project_id)
    : snapshot_(std::move(snapshot)),
      families_(families),
      project_id_(project_id),
      sources_(snapshot_.sources(families_.spans, project_id_)) {}

Sql ColumnarSpanRows::from() const { return Sql(snapshot_.from(families_.spans, project_id_)); }

Sql ColumnarSpanRows::feedback() const {
  return Sql(snapshot_.from(families_.feedback.value(), project_id_));
}

Sql ColumnarSpanRows::oneOfTraces(const std::vector<std::string>& trace_ids) const {
  return haveTraces(trace_ids);
}

Result<void> ColumnarSpanRows::run(const Sql& select, const Visit& visit) {
  return columnar::forEachRow(snapshot_.query(select.text, select.params),
                              [&visit](const columnar::Cursor& cursor) -> Result<bool> {
                                return visit(CursorRow<columnar::Cursor>(cursor));
                              });
}

PageRow ColumnarSpanRows::readPageRow(const ResultRow& row) const {
  PageRow page_row;
  page_row.number = row.integer(0);
  page_row.started_at = row.time(1);
  return page_row;
}

Result<void> ColumnarSpanRows::readPage(const std::vector<PageRow>& page,
                                        const Sql& columns,
                                        std::size_t count,
                                        const VisitPageRow& visit) {
  std::vector<std::int64_t> numbers;
  Timestamp oldest = page.front().started_at;
  Timestamp newest = oldest;
  for (const PageRow& row : page) {
    numbers.push_back(row.number);
    oldest = std::min(oldest, row.started_at);
    newest = std::max(newest, row.started_at);
  }
  Sql sql;
  for (const columnar::Source& source : sources_) {
    sql.add(sql.text.empty() ? SqlView("SELECT ") : SqlView(" UNION ALL SELECT "));
    sql.add(columns).add(", c.row_number_in_store FROM ").add(source.table);
    sql.add(" AS c WHERE ").add(source.condition);
    sql.add(" AND " + columnar::haveNumbers(numbers));
    sql.add(" AND c.started_at BETWEEN ");
    sql.param(oldest).add(" AND ").param(newest);
  }
  return run(sql, [&visit, count](const ResultRow& row) -> Result<bool> {
    PageRow page_row;
    page_row.number = row.integer(count);
    visit(row, page_row);
    return true;
  });
}

Result<std::optional<Timestamp>> ColumnarSpanRows::newestStart(std::size_t rows) {
  return snapshot_.newestWindow(families_.spans, project_id_, rows);
}

Result<std::unordered_map<std::string, std::string>> ColumnarSpanRows::resources(
    const std::vector<std::string>& digests) {
  return tracing::readOtelResources(snapshot_, families_.resources, project_id_, digests);
}

}  // namespace spindle::agents
