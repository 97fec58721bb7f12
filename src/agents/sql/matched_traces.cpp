#include "agents/sql/span_fields.h"
#include "agents/sql/span_row.h"
#include "agents/sql/span_view.h"
#include "agents/sql/sql_span_store.h"
#include "query/sql.h"

namespace spindle::agents {
namespace {

using query::Sql;

}  // namespace

Result<std::vector<std::string>> SqlSpanStore::readMatchedTraces(std::string_view project_id,
                                                                 const SpanFilter& filter,
                                                                 std::int64_t limit) const {
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  const Sql condition = TRY(conditionOf(filter, rows.dialect()));
  const Sql view = TRY(spanView(rows, viewOptionsFor(filter)));
  Sql sql("SELECT c.trace_id, min(c.started_at) AS began FROM ");
  sql.add(view).add(" AS c WHERE ").add(condition);
  sql.add(" GROUP BY c.trace_id ORDER BY began, c.trace_id LIMIT ").param(limit);
  return collectRows(rows, sql, [](const ResultRow& row) { return std::string(row.text(0)); });
}

Result<std::unordered_map<std::string, double>> SqlSpanStore::readTraceNumbers(
    std::string_view project_id,
    const std::vector<std::string>& trace_ids,
    const std::string& key) const {
  std::unordered_map<std::string, double> numbers;
  // No attribute name contains NUL, and SQL could not represent it.
  if (trace_ids.empty() || key.find('\0') != std::string::npos) return numbers;
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  Sql value("coalesce(");
  for (const CustomType type : {CustomType::kFloat, CustomType::kInt, CustomType::kBool}) {
    value.add(type == CustomType::kFloat ? SqlView("CAST(") : SqlView(", CAST("));
    value.add(fieldOf(type, key, rows.dialect()).sql).add(" AS DOUBLE)");
  }
  value.add(")");
  Sql sql("SELECT c.trace_id, ");
  sql.add(value).add(" AS said FROM ").add(rows.from()).add(" AS c WHERE ");
  sql.add(rows.oneOfTraces(trace_ids))
      .add(" AND said IS NOT NULL ORDER BY c.started_at, c.span_id");
  TRY(forEachRow(rows, sql, [&numbers](const ResultRow& row) {
    numbers.insert_or_assign(std::string(row.text(0)), row.real(1));
  }));
  return numbers;
}

}  // namespace spindle::agents
