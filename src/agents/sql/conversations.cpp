#include <algorithm>

#include "agents/sql/span_fields.h"
#include "agents/sql/sql_span_store.h"
#include "query/sql.h"

namespace spindle::agents {
namespace {

using query::Sql;

}  // namespace

Result<Turns> SqlSpanStore::readTurns(std::string_view project_id,
                                      const std::string& conversation_id,
                                      std::int64_t limit,
                                      std::int64_t offset) const {
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  Sql found("SELECT c.trace_id, min(c.started_at) AS began FROM ");
  found.add(rows.from()).add(" AS c WHERE c.conversation_id = ");
  found.param(conversation_id).add(" GROUP BY c.trace_id");
  const std::int64_t total = TRY(countRows(rows, found));
  found.add(" ORDER BY began DESC, c.trace_id DESC LIMIT ").param(limit);
  found.add(" OFFSET ").param(offset);
  Turns turns{{}, total};
  TRY(forEachRow(rows, found,
                 [&turns](const ResultRow& row) { turns.trace_ids.emplace_back(row.text(0)); }));
  std::reverse(turns.trace_ids.begin(), turns.trace_ids.end());
  return turns;
}

Result<std::vector<ConversationSpan>> SqlSpanStore::readConversationSpans(
    std::string_view project_id,
    const std::vector<std::string>& conversation_ids,
    std::optional<Timestamp> after,
    std::optional<Timestamp> before) const {
  std::vector<ConversationSpan> found;
  if (conversation_ids.empty()) return found;
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  Sql sql(
      "SELECT conversation_id, operation_name, trace_id, span_id, status_code, took FROM ("
      "SELECT c.conversation_id, c.operation_name, c.trace_id, c.span_id, c.status_code, "
      "c.started_at, ");
  sql.add(durationSql(rows.dialect()))
      .add(
          " AS took, row_number() OVER (PARTITION BY c.conversation_id "
          "ORDER BY c.started_at DESC, c.span_id DESC) AS place FROM ");
  sql.add(rows.from()).add(" AS c WHERE c.conversation_id <> '' AND ");
  sql.add(rows.dialect().isOneOf(Sql("c.conversation_id"), conversation_ids));
  sql.add(windowCondition(after, before));
  sql.add(") WHERE place <= " + SqlText::number(kMaxConversationSpans) +
          " ORDER BY conversation_id, started_at, span_id");
  TRY(forEachRow(rows, sql, [&found](const ResultRow& row) {
    ConversationSpan& span = found.emplace_back();
    readColumns(row, span.conversation_id, span.operation_name, span.trace_id, span.span_id,
                span.status, span.duration_ms);
  }));
  return found;
}

}  // namespace spindle::agents
