#include "agents/query/matched_traces.h"

#include "agents/query/span_fields.h"
#include "agents/query/span_view.h"
#include "agents/store/columnar_span_store.h"
#include "agents/store/span_row.h"
#include "query/sql.h"

namespace spindle::agents {
namespace {

using columnar::Cursor;
using query::Sql;

}  // namespace

Result<std::vector<std::string>> readMatchedTraces(const ColumnarSpanStore& spans,
                                                   std::string_view project_id,
                                                   const SpanFilter& filter,
                                                   std::int64_t limit) {
  const Sql condition = TRY(conditionOf(filter));
  SpanRows rows = TRY(spans.rows(project_id));
  const Sql view = TRY(spanView(rows, viewOptionsFor(filter)));
  Sql sql("SELECT c.trace_id, min(c.started_at) AS began FROM ");
  sql.add(view).add(" AS c WHERE ").add(condition);
  sql.add(" GROUP BY c.trace_id ORDER BY began, c.trace_id LIMIT ").param(limit);
  Cursor cursor = TRY(rows.snapshot.query(sql.text, sql.params));
  std::vector<std::string> traces;
  while (TRY(cursor.next())) {
    traces.emplace_back(cursor.text(0));
  }
  return traces;
}

Result<std::unordered_map<std::string, double>> readTraceNumbers(
    const ColumnarSpanStore& spans,
    std::string_view project_id,
    const std::vector<std::string>& trace_ids,
    const std::string& key) {
  std::unordered_map<std::string, double> numbers;
  // No attribute name contains NUL, and SQL could not represent it.
  if (trace_ids.empty() || key.find('\0') != std::string::npos) return numbers;
  SpanRows rows = TRY(spans.rows(project_id));
  Sql value("coalesce(");
  for (const CustomType type : {CustomType::kFloat, CustomType::kInt, CustomType::kBool}) {
    value.add(type == CustomType::kFloat ? SqlView("CAST(") : SqlView(", CAST("));
    value.add(fieldOf(type, key).sql).add(" AS DOUBLE)");
  }
  value.add(")");
  Sql sql("SELECT c.trace_id, ");
  sql.add(value).add(" AS said FROM ").add(rows.from).add(" AS c WHERE ");
  sql.add(oneOfTraces(trace_ids)).add(" AND said IS NOT NULL ORDER BY c.started_at, c.span_id");
  Cursor cursor = TRY(rows.snapshot.query(sql.text, sql.params));
  while (TRY(cursor.next())) {
    numbers.insert_or_assign(std::string(cursor.text(0)), cursor.real(1));
  }
  return numbers;
}

}  // namespace spindle::agents
