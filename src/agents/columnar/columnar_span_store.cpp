#include "agents/columnar/columnar_span_store.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "agents/columnar/columnar_span_rows.h"
#include "agents/sql/span_row.h"
#include "agents/store/ended_turn_tracker.h"
#include "agents/store/span_size.h"
#include "columnar/changes/change.h"
#include "live/change_log.h"
#include "query/table_union.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {
namespace {

using query::selectFrom, query::Sql;

class SpansChange final : public columnar::Change {
 public:
  SpansChange(const SpanFamilies& families,
              std::string_view project,
              std::vector<AgentSpan> spans,
              EndedTurnTracker* turns)
      : family_(families.spans),
        project_(project),
        turns_(turns),
        resources_(families.resources, project) {
    rows_.reserve(spans.size());
    for (AgentSpan& span : spans) {
      const bool ends_turn = span.parent_span_id.empty() && span.ended_at.has_value();
      if (turns_ != nullptr && ends_turn) turn_ends_.push_back(rows_.size());
      bytes_ += storedBytes(span);
      resources_.add(span.resource);
      rows_.push_back(rowOf(std::move(span)));
    }
  }

  std::vector<columnar::RowKey> wants() const override {
    std::vector<columnar::RowKey> keys;
    keys.reserve(turn_ends_.size());
    for (const std::size_t i : turn_ends_) keys.push_back({family_, project_, keyOf(rows_[i])});
    resources_.addKeys(keys);
    return keys;
  }

  Result<void> plan(columnar::Plan& plan) override {
    auto turn_end = turn_ends_.begin();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (turn_end != turn_ends_.end() && *turn_end == i) {
        number(plan, rows_[i]);
        ++turn_end;
      }
      plan.put(family_, project_, std::move(rows_[i]));
    }
    resources_.plan(plan);
    return {};
  }

  std::size_t bytes() const { return bytes_ + resources_.bytes(); }
  bool endsTurns() const { return !turn_ends_.empty(); }

 private:
  static const std::string& keyOf(const columnar::Row& row) {
    return std::get<std::string>(row.front());
  }

  /// Numbers the end of a turn. A turn that ended before keeps its number, because it does not end
  /// again; so does one that has a number from another store.
  void number(columnar::Plan& plan, columnar::Row& row) const {
    if (std::holds_alternative<std::int64_t>(row[turnColumn()])) return;
    const columnar::Row* known = plan.find(family_, project_, keyOf(row));
    if (known != nullptr && std::holds_alternative<std::int64_t>((*known)[turnColumn()])) {
      row[turnColumn()] = (*known)[turnColumn()];
    } else {
      row[turnColumn()] = turns_->nextNumber();
    }
  }

  const columnar::FamilyId family_;
  const std::string project_;
  EndedTurnTracker* const turns_;
  std::vector<columnar::Row> rows_;
  std::vector<std::size_t> turn_ends_;  ///< indexes of rows that end a turn
  std::size_t bytes_ = 0;
  tracing::OtelResourceWrites resources_;
};

/// Reads the spans of a statement. `expected` is the approximate number.
Result<std::vector<AgentSpan>> readSpans(SpanRows& rows,
                                         const Sql& sql,
                                         const std::vector<const SpanColumn*>& columns,
                                         std::size_t expected) {
  std::vector<AgentSpan> spans;
  spans.reserve(expected);
  TRY(forEachRow(rows, sql,
                 [&](const ResultRow& row) { spans.push_back(readSpan(row, columns)); }));
  return spans;
}

/// Sorts stably by start, oldest first. Spans are large, so each is moved once.
void sortByStart(std::vector<AgentSpan>& spans) {
  std::vector<std::size_t> order(spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&spans](std::size_t a, std::size_t b) {
    return spans[a].started_at < spans[b].started_at;
  });
  if (std::is_sorted(order.begin(), order.end())) return;
  std::vector<AgentSpan> sorted;
  sorted.reserve(spans.size());
  for (const std::size_t i : order) sorted.push_back(std::move(spans[i]));
  spans = std::move(sorted);
}

struct Period {
  Timestamp first;
  Timestamp last;
  std::size_t spans = 0;
};

/// Returns the first and last start and the number of the matching rows; nothing without a match.
Result<std::optional<Period>> periodOf(ColumnarSpanRows& rows, const Sql& condition) {
  const Sql sql =
      selectFrom(rows.sources(), "min(c.started_at), max(c.started_at), count(*)", condition);
  std::optional<Period> period;
  TRY(forEachRow(rows, sql, [&period](const ResultRow& row) {
    if (row.isNull(0)) return;
    if (!period) period = Period{row.time(0), row.time(1)};
    period->first = std::min(period->first, row.time(0));
    period->last = std::max(period->last, row.time(1));
    period->spans += static_cast<std::size_t>(row.integer(2));
  }));
  return period;
}

}  // namespace

Result<void> ColumnarSpanStore::write(std::string_view project_id, std::vector<AgentSpan> spans) {
  if (spans.empty()) return {};
  const auto count = static_cast<std::int64_t>(spans.size());
  Timestamp newest = {};
  for (const AgentSpan& span : spans) newest = std::max(newest, span.started_at);
  SpansChange change(families_, project_id, std::move(spans), turns_);
  Result<void> written = store_.write(change, change.bytes());
  if (written && change.endsTurns()) turns_->addProject(project_id);
  if (written && changes_ != nullptr) {
    changes_->publish(live::Topic::kSpans, project_id, count, newest);
  }
  return written;
}

Result<std::int64_t> ColumnarSpanStore::removeExpired(Timestamp now) {
  return store_.removeBefore(families_.spans, {}, "expire_at", now);
}

Result<std::vector<std::string>> ColumnarSpanStore::projects() const { return store_.partitions(); }

Result<std::vector<EndedTurn>> ColumnarSpanStore::endedTurns(std::string_view project_id,
                                                             std::int64_t after,
                                                             int limit) const {
  ColumnarSpanRows rows(TRY(store_.snapshot()), families_, project_id);
  Sql sql(
      "SELECT c.trace_id, c.span_id, c.status_code, c.operation_name, c.conversation_id, "
      "c.turn_number FROM ");
  sql.add(rows.from()).add(" AS c WHERE c.turn_number > ");
  sql.param(after).add(" AND c.parent_span_id = '' AND c.ended_at IS NOT NULL");
  sql.add(" ORDER BY c.turn_number LIMIT " + SqlText::number(limit));
  return collectRows(rows, sql, [project_id](const ResultRow& row) {
    EndedTurn turn;
    turn.project_id = project_id;
    readColumns(row, turn.trace_id, turn.span_id, turn.status_code, turn.operation_name,
                turn.conversation_id, turn.number);
    return turn;
  });
}

Result<std::unique_ptr<SpanRows>> ColumnarSpanStore::rows(std::string_view project_id) const {
  columnar::Snapshot snapshot = TRY(store_.snapshot());
  return std::unique_ptr<SpanRows>(
      std::make_unique<ColumnarSpanRows>(std::move(snapshot), families_, project_id));
}

Result<std::vector<AgentSpan>> ColumnarSpanStore::readTraces(
    std::string_view project_id, const std::vector<std::string>& trace_ids) const {
  if (trace_ids.empty()) return std::vector<AgentSpan>();
  ColumnarSpanRows rows(TRY(store_.snapshot()), families_, project_id);
  SqlText hashes;
  for (const std::string& id : trace_ids) {
    if (!hashes.empty()) hashes += ", ";
    hashes += SqlText::number(traceHash(id));
  }
  Sql condition("c.trace_hash IN (" + hashes + ")");
  // A scan of one column finds the period of the traces; the other columns are read of that period
  // only.
  const std::optional<Period> period = TRY(periodOf(rows, condition));
  if (!period) return std::vector<AgentSpan>();
  condition.add(" AND c.started_at BETWEEN ").param(period->first);
  condition.add(" AND ").param(period->last);
  const std::vector<const SpanColumn*> columns = spanColumnsFor(kChat);
  std::vector<AgentSpan> spans = TRY(readSpans(
      rows, selectFrom(rows.sources(), columnList(columns), condition), columns, period->spans));
  // Ids are compared here, because DuckDB sometimes compares the texts of all rows first.
  const std::unordered_set<std::string> wanted(trace_ids.begin(), trace_ids.end());
  std::erase_if(spans,
                [&wanted](const AgentSpan& span) { return !wanted.contains(span.trace_id); });
  sortByStart(spans);
  return spans;
}

Result<std::vector<OutlinedSpan>> ColumnarSpanStore::readOutline(std::string_view project_id,
                                                                 const std::string& trace_id,
                                                                 std::int64_t limit) const {
  std::vector<OutlinedSpan> spans;
  ColumnarSpanRows rows(TRY(store_.snapshot()), families_, project_id);
  Sql condition("c.trace_hash = " + SqlText::number(traceHash(trace_id)));
  const std::optional<Period> period = TRY(periodOf(rows, condition));
  if (!period) return spans;
  condition.add(" AND c.started_at BETWEEN ").param(period->first);
  condition.add(" AND ").param(period->last);
  Sql sql = selectFrom(
      rows.sources(),
      "c.trace_id, c.span_id AS span_id, c.parent_span_id, c.parent_call_id, c.span_name, "
      "c.operation_name, c.status_code, c.started_at AS started_at, c.ended_at, "
      "COALESCE(NULLIF(c.response_model, ''), c.request_model), c.input_tokens, c.output_tokens, "
      "c.cache_creation_input_tokens, c.cache_read_input_tokens",
      condition);
  sql.add(" ORDER BY started_at, span_id");
  std::string trace;
  TRY(rows.run(sql, [&](const ResultRow& row) -> Result<bool> {
    // As in readTraces(), ids are compared here.
    if (row.text(0) != trace_id) return true;
    OutlinedSpan& span = spans.emplace_back();
    readColumns(row, trace, span.span_id, span.parent_span_id, span.parent_call_id, span.span_name,
                span.operation_name, span.status_code, span.started_at, span.ended_at, span.model,
                span.input_tokens, span.output_tokens, span.cache_creation_input_tokens,
                span.cache_read_input_tokens);
    if (row.isNull(8)) span.ended_at.reset();
    return static_cast<std::int64_t>(spans.size()) < limit;
  }));
  return spans;
}

}  // namespace spindle::agents
