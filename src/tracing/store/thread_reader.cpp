#include "tracing/store/thread_reader.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "columnar/store/snapshot.h"
#include "query/sql.h"
#include "tracing/store/call_fields.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::Sql;

constexpr std::size_t kThreadsAtOnce = 256;

/// Columns in the order of ThreadField.
constexpr auto kThreadColumns =
    std::to_array<SqlName>({"thread_id", "turn_count", "start_time", "last_updated", "p50", "p99"});

SqlName columnOf(ThreadField field) { return kThreadColumns.at(static_cast<std::size_t>(field)); }

SqlText threadOrderOf(const ThreadQuery& query) {
  std::vector<ThreadOrder> keys = query.order;
  if (keys.empty()) keys.emplace_back();
  SqlText order;
  for (const ThreadOrder& key : keys) {
    order.add(columnOf(key.field)).add(key.descending ? SqlView(" DESC") : SqlView(" ASC"));
    order += " NULLS LAST, ";
  }
  return order + "thread_id ASC";
}

Sql statementOf(SqlView from, const ThreadQuery& query) {
  CallFilter filter;
  if (!query.thread_ids.empty()) filter.thread_ids = query.thread_ids;
  const SqlText latency(latencySql());
  // Ids break ties between turns with equal times, so that results are deterministic.
  Sql sql(
      "SELECT c.thread_id AS thread_id, count(*) AS turn_count, min(c.started_at) AS start_time, "
      "max(c.ended_at) AS last_updated, "
      "arg_min(c.id, (c.started_at, c.id)) AS first_turn, "
      "arg_max(c.id, (c.ended_at, c.id)) FILTER (c.ended_at IS NOT NULL) AS last_turn, "
      "quantile_cont(" +
      latency + ", 0.5) AS p50, quantile_cont(" + latency + ", 0.99) AS p99 FROM " + from +
      " AS c WHERE c.presence = 1 AND c.id = c.turn_id AND c.thread_id <> '' AND ");
  sql.add(compileFilter(filter));
  if (query.after) sql.add(" AND c.started_at > ").param(*query.after);
  if (query.before) sql.add(" AND c.started_at < ").param(*query.before);
  sql.add(" GROUP BY c.thread_id HAVING max(c.ended_at) IS NOT NULL ORDER BY " +
          threadOrderOf(query));
  if (query.limit) sql.add(" LIMIT " + SqlText::number(*query.limit));
  if (query.offset > 0) sql.add(" OFFSET " + SqlText::number(query.offset));
  return sql;
}

std::optional<double> realAt(const Cursor& cursor, std::size_t column) {
  if (cursor.isNull(column)) return std::nullopt;
  return cursor.real(column);
}

class CursorThreads final : public ThreadReader {
 public:
  explicit CursorThreads(Cursor cursor) : cursor_(std::move(cursor)) {}

  Result<std::vector<Thread>> next() override {
    std::vector<Thread> threads;
    while (!ended_ && threads.size() < kThreadsAtOnce) {
      bool more = TRY(cursor_.next());
      ended_ = !more;
      if (ended_) break;
      Thread thread;
      thread.id = std::string(cursor_.text(0));
      thread.turn_count = cursor_.integer(1);
      thread.start_time = cursor_.time(2);
      thread.last_updated = cursor_.time(3);
      thread.first_turn_id = std::string(cursor_.text(4));
      thread.last_turn_id = std::string(cursor_.text(5));
      thread.p50_turn_ms = realAt(cursor_, 6);
      thread.p99_turn_ms = realAt(cursor_, 7);
      threads.push_back(std::move(thread));
    }
    return threads;
  }

 private:
  Cursor cursor_;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<ThreadReader>> readThreads(columnar::Snapshot& snapshot,
                                                  SqlView from,
                                                  const ThreadQuery& query) {
  const Sql sql = statementOf(from, query);
  Cursor cursor = TRY(snapshot.query(sql.text, sql.params));
  return std::unique_ptr<ThreadReader>(std::make_unique<CursorThreads>(std::move(cursor)));
}

}  // namespace spindle::tracing
