#include "tracing/clickhouse/call_detail_reader.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/core/utf8.h"
#include "clickhouse/schema/table_options.h"
#include "json/escape.h"
#include "query/dialect.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/store/call_fields.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

constexpr std::size_t kThreadsAtOnce = 256;

const query::Dialect& dialect() { return query::clickHouseDialect(); }

/// Returns a text inside the attributes of a call `c`, shortened.
Sql attributeAt(const std::vector<std::string>& path) {
  return dialect().beginning(dialect().jsonLooseText(Sql("c.attributes"), path), 64);
}

/// Returns the kind that the attributes state, in one of the three places where clients put it.
Sql statedKind() {
  Sql kind("COALESCE(");
  kind.add(attributeAt({"kind"}));
  for (const wire::Spelling spelling : {wire::Spelling::kNeutral, wire::Spelling::kVendor})
    kind.add(", ").add(attributeAt({std::string(wire::platformKey(spelling)), "kind"}));
  return kind.add(")");
}

/// Only few calls state these: a search in the text costs less than a parse.
Sql ifAttributesContain(SqlView quoted_name, const Sql& value) {
  return Sql("CASE WHEN ")
      .add(dialect().contains(Sql("c.attributes"), Sql(quoted_name)))
      .add(" THEN ")
      .add(value)
      .add(" END");
}

OutlinedCall readOutlinedCall(const Cursor& row) {
  OutlinedCall call;
  call.id = std::string(row.text(0));
  if (!row.isNull(1)) call.parent_id = std::string(row.text(1));
  call.op_name = std::string(row.text(2));
  if (!row.isNull(3)) call.display_name = std::string(row.text(3));
  call.started_at = row.time(4);
  if (!row.isNull(5)) call.ended_at = row.time(5);
  call.failed = row.boolean(6);
  call.operation = std::string(row.text(7));
  call.kind = std::string(row.text(8));
  if (!row.isNull(9)) call.usage = std::string(row.text(9));
  return call;
}

/// A text of calls `c` that is searched, and the form in which it contains the sought text.
struct Haystack {
  SearchedField field;
  Sql sql;
  std::string sought;
};

std::array<Haystack, 3> haystacksFor(const CallSearch& search) {
  // Payloads are JSON with only the necessary escapes.
  std::string escaped = json::quoted(search.text);
  escaped = escaped.substr(1, escaped.size() - 2);
  return {{{SearchedField::kName, Sql(traceNameSql(dialect())), search.text},
           {SearchedField::kInputs, Sql("ifNull(c.inputs, '')"), escaped},
           {SearchedField::kOutput, Sql("ifNull(c.output, '')"), escaped}}};
}

/// Returns `, [before, match, after]` of the first match in a text; an empty list without one.
Sql placeIn(const Haystack& text) {
  const SqlText length = SqlText::number(static_cast<std::int64_t>(charactersIn(text.sought)));
  const SqlText before = SqlText::number(kFoundBefore);
  const auto part = [&text](const SqlText& from, const SqlText& count) {
    return Sql("substringUTF8(assumeNotNull(").add(text.sql).add("), " + from + ", " + count + ")");
  };
  Sql sql(", arrayMap(p -> if(p > 0, [");
  sql.add(part("greatest(p - " + before + ", 1)", "least(p - 1, " + before + ")"));
  sql.add(", ").add(part(SqlText("p"), length)).add(", ");
  sql.add(part("p + " + length, SqlText::number(kFoundAfter)));
  return sql.add("], []), [toInt64(positionUTF8(assumeNotNull(")
      .add(dialect().lower(text.sql))
      .add("), ")
      .add(dialect().lower(Sql().param(text.sought)))
      .add("))])[1]");
}

Result<void> addPlaces(clickhouse::Client& client,
                       const std::string& project,
                       const std::array<Haystack, 3>& texts,
                       std::vector<FoundCall>& found) {
  std::unordered_map<std::string_view, FoundCall*> by_id;
  std::vector<std::string> ids;
  for (FoundCall& call : found) {
    by_id.emplace(call.id, &call);
    ids.push_back(call.id);
  }
  Sql sql("SELECT c.id, ");
  sql.add(traceNameSql(dialect()));
  for (const Haystack& text : texts) sql.add(placeIn(text));
  sql.add(" FROM ")
      .add(callRows(project, haveIds(ids)))
      .add(" AS c")
      .add(clickhouse::finalSettings());
  return forEachRow(client.query(sql.text, sql.params), [&](const Cursor& row) {
    const auto place = by_id.find(row.text(0));
    if (place == by_id.end()) return;
    place->second->name = std::string(row.text(1));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::vector<std::string> parts = row.texts(2 + i);
      if (parts.empty()) continue;
      place->second->texts.push_back(
          {texts[i].field, std::move(parts.at(0)), std::move(parts.at(1)), std::move(parts.at(2))});
    }
  });
}

/// Columns in the order of ThreadField.
constexpr auto kThreadNames =
    std::to_array<SqlName>({"thread", "turn_count", "start_time", "last_updated", "p50", "p99"});

SqlText orderOfThreads(const ThreadQuery& query) {
  std::vector<ThreadOrder> keys = query.order;
  if (keys.empty()) keys.emplace_back();
  SqlText order;
  for (const ThreadOrder& key : keys) {
    order.add(kThreadNames.at(static_cast<std::size_t>(key.field)));
    order += key.descending ? SqlView(" DESC NULLS LAST, ") : SqlView(" ASC NULLS LAST, ");
  }
  return order + "thread ASC";
}

class StreamedThreads final : public ThreadReader {
 public:
  explicit StreamedThreads(Cursor rows) : rows_(std::move(rows)) {}

  Result<std::vector<Thread>> next() override {
    std::vector<Thread> threads;
    while (!ended_ && threads.size() < kThreadsAtOnce) {
      ended_ = !TRY(rows_.next());
      if (ended_) break;
      Thread thread;
      thread.id = std::string(rows_.text(0));
      thread.turn_count = rows_.integer(1);
      thread.start_time = rows_.time(2);
      thread.last_updated = rows_.time(3);
      thread.first_turn_id = std::string(rows_.text(4));
      thread.last_turn_id = std::string(rows_.text(5));
      if (!rows_.isNull(6)) thread.p50_turn_ms = rows_.real(6);
      if (!rows_.isNull(7)) thread.p99_turn_ms = rows_.real(7);
      threads.push_back(std::move(thread));
    }
    return threads;
  }

 private:
  Cursor rows_;
  bool ended_ = false;
};

}  // namespace

Result<std::vector<OutlinedCall>> outlineTrace(clickhouse::Client& client,
                                               const std::string& project,
                                               std::string_view trace_id,
                                               std::int64_t limit) {
  Sql sql(
      "SELECT c.id, c.parent_id, c.op_name, c.display_name, c.started_at, c.ended_at, "
      "c.exception IS NOT NULL, ");
  sql.add(ifAttributesContain("'\"operation_name\"'", attributeAt({"operation_name"})));
  sql.add(", ").add(ifAttributesContain("'\"kind\"'", statedKind()));
  sql.add(", " + usageSql(dialect()) + " FROM ");
  const std::string trace(trace_id);
  Sql of_trace = mayHave(project, "trace_id", {trace});
  of_trace.add(" AND r.trace_id = ").param(trace);
  sql.add(callRows(project, of_trace)).add(" AS c ORDER BY c.started_at, c.id LIMIT ");
  sql.add(SqlText::number(limit)).add(clickhouse::finalSettings());
  return collectRows(client.query(sql.text, sql.params), readOutlinedCall);
}

Result<std::vector<FoundCall>> searchText(clickhouse::Client& client,
                                          const std::string& project,
                                          const CallSearch& search) {
  const std::array<Haystack, 3> texts = haystacksFor(search);
  Sql sql("SELECT c.id, c.trace_id, c.started_at FROM ");
  sql.add(callRows(project)).add(" AS c WHERE (");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Sql sought = dialect().lower(Sql().param(texts[i].sought));
    sql.add(i == 0 ? SqlView() : SqlView(" OR "));
    sql.add(dialect().contains(dialect().lower(texts[i].sql), sought));
  }
  sql.add(")");
  if (search.since) sql.add(" AND c.started_at >= ").param(*search.since);
  if (search.until) sql.add(" AND c.started_at < ").param(*search.until);
  sql.add(" ORDER BY c.started_at DESC, c.id DESC LIMIT " + SqlText::number(search.limit));
  sql.add(clickhouse::finalSettings());
  std::vector<FoundCall> found =
      TRY(collectRows(client.query(sql.text, sql.params), [](const Cursor& row) {
        return FoundCall{std::string(row.text(0)), std::string(row.text(1)), {}, row.time(2), {}};
      }));
  if (found.empty()) return found;
  TRY(addPlaces(client, project, texts, found));
  return found;
}

Result<std::unique_ptr<ThreadReader>> groupThreads(clickhouse::Client& client,
                                                   const std::string& project,
                                                   const ThreadQuery& query) {
  CallFilter filter;
  if (!query.thread_ids.empty()) filter.thread_ids = query.thread_ids;
  const SqlText latency = latencySql(dialect());
  // Ids break ties between turns with equal times, so that results are deterministic.
  Sql sql(
      "SELECT assumeNotNull(c.thread_id) AS thread, toInt64(count()) AS turn_count, "
      "min(c.started_at) AS start_time, max(c.ended_at) AS last_updated, "
      "argMin(c.id, (assumeNotNull(c.started_at), c.id)) AS first_turn, "
      "argMaxIf(c.id, (assumeNotNull(c.ended_at), c.id), c.ended_at IS NOT NULL) AS last_turn, "
      "quantileExactInclusive(0.5)(" +
      latency + ") AS p50, quantileExactInclusive(0.99)(" + latency + ") AS p99 FROM ");
  sql.add(callRows(project, mayMatch(project, filter)))
      .add(" AS c WHERE c.id = c.turn_id AND c.thread_id <> '' AND ");
  sql.add(compileFilter(filter, dialect()));
  if (query.after) sql.add(" AND c.started_at > ").param(*query.after);
  if (query.before) sql.add(" AND c.started_at < ").param(*query.before);
  sql.add(" GROUP BY thread HAVING last_updated IS NOT NULL ORDER BY " + orderOfThreads(query));
  if (query.limit) sql.add(" LIMIT " + SqlText::number(*query.limit));
  if (query.offset > 0) sql.add(" OFFSET " + SqlText::number(query.offset));
  sql.add(clickhouse::finalSettings());
  Cursor rows = TRY(client.query(sql.text, sql.params));
  return std::unique_ptr<ThreadReader>(std::make_unique<StreamedThreads>(std::move(rows)));
}

}  // namespace spindle::tracing
