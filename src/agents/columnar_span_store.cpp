#include "agents/columnar_span_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "agents/span_row_store.h"
#include "columnar/change.h"
#include "query/sql.h"

namespace spindle::agents {
namespace {

using columnar::Cursor;
using columnar::Snapshot;
using query::Sql;

class SpansChange final : public columnar::Change {
 public:
  SpansChange(columnar::FamilyId family, std::string_view project, std::vector<AgentSpan> spans)
      : family_(family), project_(project) {
    rows_.reserve(spans.size());
    for (AgentSpan& span : spans) {
      bytes_ += storedBytes(span);
      rows_.push_back(rowOf(std::move(span)));
    }
  }

  Result<void> plan(columnar::Plan& plan) override {
    for (columnar::Row& row : rows_) plan.put(family_, project_, std::move(row));
    return {};
  }

  std::size_t bytes() const { return bytes_; }

 private:
  const columnar::FamilyId family_;
  const std::string project_;
  std::vector<columnar::Row> rows_;
  std::size_t bytes_ = 0;
};

/// A span that was sent again with another start is there twice: the newer one counts.
void keepNewest(std::vector<AgentSpan>& spans) {
  const auto key = [](const AgentSpan& span) { return span.trace_id + ":" + span.span_id; };
  std::unordered_map<std::string, Timestamp> newest;
  for (const AgentSpan& span : spans) {
    const auto [entry, added] = newest.emplace(key(span), span.created_at);
    if (!added) entry->second = std::max(entry->second, span.created_at);
  }
  if (newest.size() == spans.size()) return;
  std::vector<AgentSpan> kept;
  for (AgentSpan& span : spans) {
    const auto entry = newest.find(key(span));
    if (entry == newest.end() || entry->second != span.created_at) continue;
    newest.erase(entry);
    kept.push_back(std::move(span));
  }
  spans = std::move(kept);
}

Result<std::vector<AgentSpan>> readSpans(Snapshot& snapshot,
                                         const Sql& sql,
                                         const std::vector<const SpanColumn*>& columns) {
  Result<Cursor> cursor = snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  std::vector<AgentSpan> spans;
  while (true) {
    const Result<bool> more = cursor->next();
    if (!more) return more.error();
    if (!*more) return spans;
    spans.push_back(readSpan(*cursor, columns));
  }
}

struct Period {
  Timestamp first;
  Timestamp last;
};

/// `SELECT <list>` of the rows of all tables that satisfy the condition.
Sql selectFrom(const std::vector<columnar::Source>& sources,
               const std::string& list,
               const Sql& condition) {
  Sql sql;
  for (const columnar::Source& source : sources) {
    if (!sql.text.empty()) sql.add(" UNION ALL ");
    sql.add("SELECT " + list + " FROM " + source.table + " AS c WHERE " + source.condition);
    sql.add(" AND ").add(condition);
  }
  return sql;
}

/// When the rows that satisfy the condition began; none when there are none.
Result<std::optional<Period>> periodOf(Snapshot& snapshot,
                                       const std::vector<columnar::Source>& sources,
                                       const Sql& condition) {
  const Sql sql = selectFrom(sources, "min(c.started_at), max(c.started_at)", condition);
  Result<Cursor> cursor = snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  std::optional<Period> period;
  while (true) {
    const Result<bool> more = cursor->next();
    if (!more) return more.error();
    if (!*more) return period;
    if (cursor->isNull(0)) continue;
    const Period part{cursor->time(0), cursor->time(1)};
    if (!period) period = part;
    period->first = std::min(period->first, part.first);
    period->last = std::max(period->last, part.last);
  }
}

std::vector<const SpanColumn*> chatColumns() {
  std::vector<const SpanColumn*> columns = spanColumnsFor(kChat);
  columns.push_back(findSpanColumn("created_at"));
  return columns;
}

}  // namespace

Result<void> ColumnarSpanStore::write(std::string_view project_id, std::vector<AgentSpan> spans) {
  if (spans.empty()) return {};
  SpansChange change(family_, project_id, std::move(spans));
  return store_.write(change, change.bytes());
}

Result<SpanRows> ColumnarSpanStore::rows(std::string_view project_id) const {
  Result<Snapshot> snapshot = store_.snapshot();
  if (!snapshot) return std::move(snapshot).error();
  std::vector<columnar::Source> sources = snapshot->sources(family_, project_id);
  std::string from = snapshot->from(family_, project_id);
  return SpanRows{*std::move(snapshot), std::move(sources), std::move(from), family_,
                  std::string(project_id)};
}

Result<std::vector<AgentSpan>> ColumnarSpanStore::readTrace(std::string_view project_id,
                                                            std::string_view trace_id) const {
  return readTraces(project_id, {std::string(trace_id)});
}

Result<std::vector<AgentSpan>> ColumnarSpanStore::readTraces(
    std::string_view project_id, const std::vector<std::string>& trace_ids) const {
  if (trace_ids.empty()) return std::vector<AgentSpan>();
  Result<Snapshot> snapshot = store_.snapshot();
  if (!snapshot) return std::move(snapshot).error();
  std::string hashes;
  for (const std::string& id : trace_ids)
    hashes += (hashes.empty() ? "" : ", ") + std::to_string(traceHash(id));
  Sql condition("c.trace_hash IN (" + hashes + ")");
  // One column of all rows tells when the traces were; then the rest is read of that time alone.
  const std::vector<columnar::Source> sources = snapshot->sources(family_, project_id);
  const Result<std::optional<Period>> period = periodOf(*snapshot, sources, condition);
  if (!period) return period.error();
  if (!*period) return std::vector<AgentSpan>();
  condition.add(" AND c.started_at BETWEEN ").param((*period)->first);
  condition.add(" AND ").param((*period)->last);
  const std::vector<const SpanColumn*> columns = chatColumns();
  Result<std::vector<AgentSpan>> spans =
      readSpans(*snapshot, selectFrom(sources, columnList(columns), condition), columns);
  if (!spans) return spans;
  // Ids are compared here: the engine would now and then try the texts of all rows first.
  const std::unordered_set<std::string> wanted(trace_ids.begin(), trace_ids.end());
  std::erase_if(*spans,
                [&wanted](const AgentSpan& span) { return !wanted.contains(span.trace_id); });
  std::stable_sort(spans->begin(), spans->end(), [](const AgentSpan& a, const AgentSpan& b) {
    return a.started_at < b.started_at;
  });
  keepNewest(*spans);
  return spans;
}

}  // namespace spindle::agents
