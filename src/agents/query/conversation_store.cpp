#include "agents/query/conversation_store.h"

#include <algorithm>

#include "agents/query/span_fields.h"
#include "agents/store/columnar_span_store.h"
#include "query/sql.h"

namespace spindle::agents {
namespace {

using columnar::Cursor;
using query::Sql;

}  // namespace

Result<Turns> readTurns(const ColumnarSpanStore& spans,
                        std::string_view project_id,
                        const std::string& conversation_id,
                        std::int64_t limit,
                        std::int64_t offset) {
  SpanRows rows = TRY(spans.rows(project_id));
  Turns turns;
  Sql found("SELECT c.trace_id, min(c.started_at) AS began FROM " + rows.from +
            " AS c WHERE c.conversation_id = ");
  found.param(conversation_id).add(" GROUP BY c.trace_id");
  {
    const Sql counting = Sql("SELECT count(*) FROM (").add(found).add(")");
    Cursor count = TRY(rows.snapshot.query(counting.text, counting.params));
    TRY(count.next());
    turns.total = count.integer(0);
  }
  found.add(" ORDER BY began DESC, c.trace_id DESC LIMIT ").param(limit);
  found.add(" OFFSET ").param(offset);
  Cursor page = TRY(rows.snapshot.query(found.text, found.params));
  while (TRY(page.next())) {
    turns.trace_ids.emplace_back(page.text(0));
  }
  std::reverse(turns.trace_ids.begin(), turns.trace_ids.end());
  return turns;
}

Result<std::vector<ConversationSpan>> readConversationSpans(
    const ColumnarSpanStore& spans,
    std::string_view project_id,
    const std::vector<std::string>& conversation_ids,
    std::optional<Timestamp> after,
    std::optional<Timestamp> before) {
  std::vector<ConversationSpan> found;
  if (conversation_ids.empty()) return found;
  SpanRows rows = TRY(spans.rows(project_id));
  Sql sql(
      "SELECT conversation_id, operation_name, trace_id, span_id, status_code, took FROM ("
      "SELECT c.conversation_id, c.operation_name, c.trace_id, c.span_id, c.status_code, "
      "c.started_at, ");
  sql.add(durationSql())
      .add(
          " AS took, row_number() OVER (PARTITION BY c.conversation_id "
          "ORDER BY c.started_at DESC, c.span_id DESC) AS place FROM ");
  sql.add(rows.from).add(
      " AS c WHERE c.conversation_id <> '' AND c.conversation_id IN "
      "(SELECT unnest(CAST(");
  sql.param(conversation_ids).add(" AS VARCHAR[])))");
  sql.add(windowCondition(after, before));
  sql.add(") WHERE place <= " + SqlText::number(kMaxConversationSpans) +
          " ORDER BY conversation_id, started_at, span_id");
  Cursor cursor = TRY(rows.snapshot.query(sql.text, sql.params));
  while (TRY(cursor.next())) {
    ConversationSpan& span = found.emplace_back();
    span.conversation_id = cursor.text(0);
    span.operation_name = cursor.text(1);
    span.trace_id = cursor.text(2);
    span.span_id = cursor.text(3);
    span.status = cursor.text(4);
    span.duration_ms = cursor.integer(5);
  }
  return found;
}

}  // namespace spindle::agents
