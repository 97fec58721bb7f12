#include "agents/clickhouse/clickhouse_span_store.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "agents/clickhouse/span_table.h"
#include "agents/sql/span_row.h"
#include "agents/store/ended_turn_tracker.h"
#include "agents/store/span_column.h"
#include "live/change_log.h"

namespace spindle::agents {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// Spans that no request has contained for this time may lose their resource.
constexpr std::chrono::hours kUnusedAfter{24};
/// Resources that one run of removeUnusedResources() deletes; the next run continues.
constexpr std::int64_t kMaxRemovedResources = 10'000;
/// Digests in one statement, which are a part of its URL.
constexpr std::size_t kMostDigests = 1'000;

/// Runs a statement whose only row is a number.
Result<std::int64_t> numberOf(clickhouse::Client& client, Sql sql) {
  sql.add(spanReadSettings());
  std::int64_t number = 0;
  TRY(clickhouse::forEachRow(client.query(sql.text, sql.params),
                             [&number](const Cursor& row) { number = row.integer(0); }));
  return number;
}

EndedTurn turnAt(const Cursor& row) {
  EndedTurn turn;
  turn.project_id = row.text(0);
  turn.trace_id = row.text(1);
  turn.span_id = row.text(2);
  turn.status_code = row.text(3);
  turn.operation_name = row.text(4);
  turn.conversation_id = row.text(5);
  turn.number = microsOf(row.time(6));
  return turn;
}

Sql timeOfNumber(std::int64_t number) {
  return Sql("fromUnixTimestamp64Micro(").param(number).add(", 'UTC')");
}

EndedTurn turnOf(std::string_view project_id, const AgentSpan& span, std::int64_t number) {
  EndedTurn turn;
  turn.project_id = project_id;
  turn.trace_id = span.trace_id;
  turn.span_id = span.span_id;
  turn.status_code = span.status_code;
  turn.operation_name = span.operation_name;
  turn.conversation_id = span.conversation_id;
  turn.number = number;
  return turn;
}

bool endsTurn(const AgentSpan& span) {
  return span.parent_span_id.empty() && span.ended_at.has_value();
}

/// Keeps the newest version of each span, and sorts by start, oldest first.
std::vector<AgentSpan> newestByStart(std::vector<std::pair<AgentSpan, std::int64_t>> versions) {
  std::unordered_map<std::string, std::size_t> newest;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const AgentSpan& span = versions[i].first;
    const auto [place, is_new] = newest.try_emplace(span.trace_id + ":" + span.span_id, i);
    if (!is_new && versions[i].second > versions[place->second].second) place->second = i;
  }
  order.reserve(newest.size());
  for (const auto& [key, place] : newest) order.push_back(place);
  std::sort(order.begin(), order.end(), [&versions](std::size_t a, std::size_t b) {
    const AgentSpan& left = versions[a].first;
    const AgentSpan& right = versions[b].first;
    return std::tie(left.started_at, left.span_id, left.trace_id) <
           std::tie(right.started_at, right.span_id, right.trace_id);
  });
  std::vector<AgentSpan> spans;
  spans.reserve(order.size());
  for (const std::size_t i : order) spans.push_back(std::move(versions[i].first));
  return spans;
}

}  // namespace

ClickHouseSpanStore::ClickHouseSpanStore(clickhouse::Client& client,
                                         SpanJoins joins,
                                         const Clock& clock,
                                         MetricRegistry& metrics,
                                         const clickhouse::GroupOptions& options,
                                         EndedTurnTracker* turns,
                                         live::ChangeLog* changes)
    : client_(client),
      joins_(std::move(joins)),
      clock_(clock),
      turns_(turns),
      changes_(changes),
      resource_inserts_(client, resourceTarget(), options, metrics),
      inserts_(client, spanTarget(), options, metrics) {}

Result<void> ClickHouseSpanStore::write(std::string_view project_id, std::vector<AgentSpan> spans) {
  if (spans.empty()) return {};
  TRY(writeResources(project_id, spans));
  const auto count = static_cast<std::int64_t>(spans.size());
  const std::int64_t now = microsOf(clock_.now());
  Timestamp newest = {};
  std::string rows;
  std::vector<EndedTurn> turns;
  for (AgentSpan& span : spans) {
    newest = std::max(newest, span.started_at);
    SpanStamp stamp;
    const std::int64_t version = nextVersion(now);
    stamp.version = static_cast<std::uint64_t>(version);
    if (turns_ != nullptr && endsTurn(span) && !span.turn_number) {
      stamp.turn_stored_at = version;
      span.turn_number = version;
      turns.push_back(turnOf(project_id, span, version));
    }
    putSpan(rows, project_id, std::move(span), stamp);
  }
  TRY(inserts_.insert(std::move(rows), static_cast<std::size_t>(count)));
  if (!turns.empty()) turns_->addTurns(std::move(turns));
  if (changes_ != nullptr) changes_->publish(live::Topic::kSpans, project_id, count, newest);
  return {};
}

std::int64_t ClickHouseSpanStore::nextVersion(std::int64_t now) {
  std::int64_t last = last_version_;
  while (!last_version_.compare_exchange_weak(last, std::max(now, last + 1))) {
  }
  return std::max(now, last + 1);
}

Result<void> ClickHouseSpanStore::writeResources(std::string_view project_id,
                                                 const std::vector<AgentSpan>& spans) {
  std::map<std::string_view, const tracing::OtelResource*> by_digest;
  for (const AgentSpan& span : spans) {
    if (span.resource == nullptr) continue;
    if (known_resources_.contains(project_id, span.resource->digest, clock_.now())) continue;
    by_digest.emplace(span.resource->digest, span.resource.get());
  }
  if (by_digest.empty()) return {};
  std::string rows;
  for (const auto& [digest, resource] : by_digest) putResource(rows, project_id, *resource);
  TRY(resource_inserts_.insert(std::move(rows), by_digest.size()));
  for (const auto& [digest, resource] : by_digest)
    known_resources_.add(project_id, digest, resource->seen_at);
  return {};
}

Result<std::int64_t> ClickHouseSpanStore::removeExpired(Timestamp now) {
  Sql count("SELECT count() FROM spans AS r FINAL WHERE r.expire_at < ");
  count.param(now);
  const std::int64_t expired = TRY(numberOf(client_, std::move(count)));
  if (expired == 0) return expired;
  const Sql deletion = Sql("DELETE FROM spans WHERE expire_at < ").param(now);
  TRY(client_.execute(deletion.text, deletion.params));
  return expired;
}

Result<std::int64_t> ClickHouseSpanStore::removeUnusedResources(Timestamp now) {
  const Timestamp before = now - kUnusedAfter;
  Sql unused("SELECT toString(project_id), digest FROM span_resources FINAL WHERE seen_at < ");
  unused.param(before);
  unused.add(
      " AND (project_id, digest) NOT IN (SELECT DISTINCT project_id, resource_digest FROM spans "
      "WHERE resource_digest != '') ORDER BY project_id LIMIT ");
  unused.add(SqlText::number(kMaxRemovedResources)).add(spanReadSettings());
  using Digests = std::pair<std::string, std::vector<std::string>>;
  std::vector<Digests> found;
  std::int64_t count = 0;
  TRY(clickhouse::forEachRow(client_.query(unused.text, unused.params), [&](const Cursor& row) {
    const bool is_full = found.empty() || found.back().first != row.text(0) ||
                         found.back().second.size() == kMostDigests;
    if (is_full) found.emplace_back(row.text(0), std::vector<std::string>());
    found.back().second.emplace_back(row.text(1));
    ++count;
  }));
  // Replicated tables refuse deletions that contain a subquery.
  for (const auto& [project, digests] : found) {
    Sql deletion("DELETE FROM span_resources WHERE project_id = ");
    deletion.param(project).add(" AND seen_at < ").param(before).add(" AND has(");
    deletion.param(digests).add(", digest)");
    TRY(client_.execute(deletion.text, deletion.params));
  }
  return count;
}

Result<std::vector<std::string>> ClickHouseSpanStore::projects() const {
  return clickhouse::collectRows(
      client_.query("SELECT DISTINCT toString(project_id) AS id FROM spans ORDER BY id"),
      [](const Cursor& row) { return std::string(row.text(0)); });
}

Result<std::vector<EndedTurn>> ClickHouseSpanStore::endedTurns(std::string_view project_id,
                                                               std::int64_t after,
                                                               int limit) const {
  // A turn that was sent again keeps its first number.
  Sql sql(
      "SELECT any(t.project_id), t.trace_id, t.span_id, argMin(t.status_code, t.stored_at), "
      "argMin(t.operation_name, t.stored_at), argMin(t.conversation_id, t.stored_at), "
      "min(t.stored_at) AS first_at FROM span_turns AS t WHERE t.project_id = ");
  sql.param(std::string(project_id)).add(" GROUP BY t.trace_id, t.span_id HAVING first_at > ");
  sql.add(timeOfNumber(after)).add(" ORDER BY first_at, t.trace_id, t.span_id LIMIT ");
  sql.add(SqlText::number(limit)).add(spanReadSettings());
  return clickhouse::collectRows(client_.query(sql.text, sql.params), turnAt);
}

Result<std::vector<EndedTurn>> ClickHouseSpanStore::turnsStored(std::int64_t after,
                                                                std::int64_t until,
                                                                std::size_t limit) const {
  Sql sql(
      "SELECT t.project_id, t.trace_id, t.span_id, t.status_code, t.operation_name, "
      "t.conversation_id, t.stored_at FROM span_turns AS t WHERE t.stored_at > ");
  sql.add(timeOfNumber(after)).add(" AND t.stored_at <= ").add(timeOfNumber(until));
  sql.add(" ORDER BY t.stored_at LIMIT " + SqlText::number(limit) + " WITH TIES");
  return clickhouse::collectRows(client_.query(sql.text, sql.params), turnAt);
}

Result<std::unique_ptr<SpanRows>> ClickHouseSpanStore::rows(std::string_view project_id) const {
  return std::unique_ptr<SpanRows>(
      std::make_unique<ClickHouseSpanRows>(client_, joins_, project_id));
}

Result<std::vector<AgentSpan>> ClickHouseSpanStore::readTraces(
    std::string_view project_id, const std::vector<std::string>& trace_ids) const {
  if (trace_ids.empty()) return std::vector<AgentSpan>();
  ClickHouseSpanRows rows(client_, joins_, project_id);
  const std::vector<const SpanColumn*> columns = spanColumnsFor(kChat);
  Sql sql("SELECT " + columnList(columns) + ", c.version FROM ");
  sql.add(rows.from()).add(" AS c WHERE ").add(rows.oneOfTraces(trace_ids));
  std::vector<std::pair<AgentSpan, std::int64_t>> versions =
      TRY(collectRows(rows, sql, [&columns](const ResultRow& row) {
        return std::pair(readSpan(row, columns), row.integer(columns.size()));
      }));
  return newestByStart(std::move(versions));
}

Result<std::vector<OutlinedSpan>> ClickHouseSpanStore::readOutline(std::string_view project_id,
                                                                   const std::string& trace_id,
                                                                   std::int64_t limit) const {
  ClickHouseSpanRows rows(client_, joins_, project_id);
  Sql sql(
      "SELECT c.span_id, c.parent_span_id, c.parent_call_id, c.span_name, c.operation_name, "
      "c.status_code, c.started_at, c.ended_at, "
      "if(c.response_model != '', c.response_model, c.request_model), c.input_tokens, "
      "c.output_tokens, c.cache_creation_input_tokens, c.cache_read_input_tokens FROM "
      "(SELECT * FROM ");
  sql.add(rows.from()).add(" AS c WHERE ").add(rows.oneOfTraces({trace_id}));
  sql.add(" ORDER BY c.version DESC LIMIT 1 BY c.span_id) AS c ORDER BY c.started_at, c.span_id ");
  sql.add("LIMIT " + SqlText::number(std::max<std::int64_t>(limit, 0)));
  return collectRows(rows, sql, [](const ResultRow& row) {
    OutlinedSpan span;
    readColumns(row, span.span_id, span.parent_span_id, span.parent_call_id, span.span_name,
                span.operation_name, span.status_code, span.started_at, span.ended_at, span.model,
                span.input_tokens, span.output_tokens, span.cache_creation_input_tokens,
                span.cache_read_input_tokens);
    if (row.isNull(7)) span.ended_at.reset();
    return span;
  });
}

}  // namespace spindle::agents
