#include "tracing/clickhouse/call_page_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "clickhouse/schema/table_options.h"
#include "query/dialect.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/clickhouse/call_time_bound.h"
#include "tracing/store/call_row.h"
#include "tracing/store/row_reader.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// Calls whose payloads one statement reads, if they are small. A statement costs several
/// milliseconds.
constexpr std::size_t kFetchedCalls = 1'000;

/// The first bound contains some more calls than the page, because some may not match; the second
/// bound contains this many times more.
constexpr std::int64_t kSpareRows = 200;
constexpr std::int64_t kSecondBound = 50;
/// A bound of more rows is not worth it.
constexpr std::int64_t kMaxBound = 100'000;

/// Returns the statement that selects ids and sizes of calls, and their sort values if the
/// statement has columns.
Result<Sql> selectionOf(const CallPageStatement& statement,
                        const Sql& stored,
                        const std::optional<query::Position>& after,
                        std::optional<std::int64_t> limit,
                        std::int64_t offset) {
  Sql sql("SELECT c.id AS id, c.start_bytes + c.output_bytes + c.summary_bytes AS bytes");
  if (!statement.columns.empty()) sql.add(query::sortValues(statement.columns));
  sql.add(" FROM ")
      .add(callRows(statement.project, stored))
      .add(" AS c WHERE ")
      .add(statement.condition);
  if (statement.columns.empty()) {
    sql.add(" ORDER BY ").add(statement.order);
  } else {
    Sql sorted("SELECT * FROM (");
    sorted.add(sql).add(") AS r");
    if (after) {
      const Sql rest = TRY(query::isAfter(*after, statement.columns));
      sorted.add(" WHERE ").add(rest);
    }
    sorted.add(" ORDER BY " + query::sortOrder(statement.columns));
    sql = std::move(sorted);
  }
  if (limit) sql.add(" LIMIT " + SqlText::number(*limit));
  if (offset > 0) sql.add(" OFFSET " + SqlText::number(offset));
  sql.add(clickhouse::finalSettings());
  return sql;
}

struct SelectedCall {
  std::string id;
  std::int64_t bytes = 0;  ///< of its payloads
};

/// Selected calls, and the position of the last one if other calls follow.
struct SelectedPage {
  std::vector<SelectedCall> calls;
  std::optional<query::Position> last = {};
};

class CallPageReader final : public CallReader {
 public:
  /// `selection` is the first statement.
  CallPageReader(clickhouse::Client& client, CallPageStatement statement, Sql selection)
      : client_(client),
        statement_(std::move(statement)),
        selection_(std::move(selection)),
        last_(statement_.after) {}
  /// The calls of the page are known.
  CallPageReader(clickhouse::Client& client, CallPageStatement statement, SelectedPage page)
      : client_(client),
        statement_(std::move(statement)),
        last_(std::move(page.last)),
        selected_(std::move(page.calls)),
        has_more_(last_.has_value()),
        ended_(true) {}

  Result<std::vector<Call>> next() override {
    // All calls of a batch may have been deleted in between.
    while (true) {
      const std::vector<std::string> ids = TRY(select());
      if (ids.empty()) return std::vector<Call>();
      std::vector<std::optional<Call>> fetched =
          TRY(fetchCalls(client_, statement_.project, ids, statement_.projection));
      std::vector<Call> calls;
      for (std::optional<Call>& call : fetched) {
        if (call) calls.push_back(*std::move(call));
      }
      if (!calls.empty()) return calls;
    }
  }

  std::optional<query::Position> end() const override { return has_more_ ? last_ : std::nullopt; }

 private:
  /// Returns the ids of the next batch; none at the end.
  Result<std::vector<std::string>> select() {
    // Four bytes for each character of the five payloads that a preview cuts.
    const std::int64_t most = statement_.projection.preview_characters.value_or(kBatchBytes) * 20;
    std::vector<std::string> ids;
    std::int64_t bytes = 0;
    while (ids.size() < kFetchedCalls && bytes < kBatchBytes) {
      std::optional<SelectedCall> call = TRY(nextSelected());
      if (!call) break;
      ids.push_back(std::move(call->id));
      bytes += std::min(call->bytes, most);
    }
    return ids;
  }

  Result<std::optional<SelectedCall>> nextSelected() {
    if (statement_.columns.empty()) return nextOfCursor();
    if (place_ == selected_.size()) {
      if (ended_) return std::optional<SelectedCall>();
      TRY(selectMore());
      if (selected_.empty()) return std::optional<SelectedCall>();
    }
    return std::optional(std::move(selected_[place_++]));
  }

  /// Reads the next calls in the order of the columns. No statement stays open: while a slow client
  /// reads, it would need a connection, and reach its time limit.
  Result<void> selectMore() {
    selected_.clear();
    place_ = 0;
    std::int64_t limit = statement_.selected_at_once;
    // One row more than the page has tells whether another page follows.
    if (statement_.limit) limit = std::min(limit, *statement_.limit - taken_ + 1);
    const std::int64_t offset = taken_ == 0 ? statement_.offset : 0;
    if (taken_ > 0)
      selection_ = TRY(selectionOf(statement_, statement_.stored, last_, limit, offset));
    Cursor rows = TRY(client_.query(selection_.text, selection_.params));
    std::int64_t read = 0;
    while (TRY(rows.next())) {
      ++read;
      if (statement_.limit && taken_ == *statement_.limit) {
        has_more_ = true;
        break;
      }
      ++taken_;
      selected_.push_back({std::string(rows.text(0)), rows.integer(1)});
      const bool may_be_last = read == limit || (statement_.limit && taken_ == *statement_.limit);
      if (may_be_last) last_ = query::positionAt(rows, 2, statement_.columns);
    }
    ended_ = read < limit || has_more_;
    return {};
  }

  Result<std::optional<SelectedCall>> nextOfCursor() {
    if (ended_) return std::optional<SelectedCall>();
    if (!rows_) {
      Cursor rows = TRY(client_.query(selection_.text, selection_.params));
      rows_.emplace(std::move(rows));
    }
    if (!TRY(rows_->next())) {
      ended_ = true;
      rows_.reset();
      return std::optional<SelectedCall>();
    }
    return std::optional(SelectedCall{std::string(rows_->text(0)), rows_->integer(1)});
  }

  clickhouse::Client& client_;
  const CallPageStatement statement_;
  Sql selection_;                        ///< the first statement; with columns, then the last one
  std::optional<query::Position> last_;  ///< with columns: of the last selected call
  std::vector<SelectedCall> selected_;   ///< with columns
  std::size_t place_ = 0;                ///< of the next call in selected_
  std::int64_t taken_ = 0;               ///< with columns: all selected calls
  std::optional<Cursor> rows_;           ///< without columns
  bool has_more_ = false;
  bool ended_ = false;
};

/// Reads all calls of a page with one statement, which ClickHouse sorts with their payloads.
class WholeCallReader final : public CallReader {
 public:
  WholeCallReader(clickhouse::Client& client, CallProjection projection, Sql statement)
      : client_(client), projection_(std::move(projection)), statement_(std::move(statement)) {}

  Result<std::vector<Call>> next() override {
    std::vector<Call> calls;
    if (ended_) return calls;
    if (!rows_) {
      Cursor rows = TRY(client_.query(statement_.text, statement_.params));
      rows_.emplace(std::move(rows));
    }
    std::size_t bytes = 0;
    while (calls.size() < kBatchRows && bytes < kBatchBytes) {
      ended_ = !TRY(rows_->next());
      if (ended_) break;
      calls.push_back(readCall(*rows_, projection_));
      bytes += payloadBytes(calls.back());
    }
    if (ended_) rows_.reset();
    return calls;
  }

  std::optional<query::Position> end() const override { return std::nullopt; }

 private:
  clickhouse::Client& client_;
  const CallProjection projection_;
  const Sql statement_;
  std::optional<Cursor> rows_;
  bool ended_ = false;
};

std::unique_ptr<CallReader> readWhole(clickhouse::Client& client, CallPageStatement statement) {
  const bool by_columns = statement.order.text.empty();
  Sql sql("SELECT " + selectList(statement.projection, query::clickHouseDialect()));
  if (by_columns) sql.add(query::sortValues(statement.columns));
  sql.add(" FROM ")
      .add(callRows(statement.project, statement.stored))
      .add(" AS c WHERE ")
      .add(statement.condition)
      .add(" ORDER BY ");
  sql.add(by_columns ? Sql(query::sortOrder(statement.columns)) : statement.order);
  if (statement.offset > 0) sql.add(" OFFSET " + SqlText::number(statement.offset));
  sql.add(clickhouse::finalSettings());
  return std::make_unique<WholeCallReader>(client, std::move(statement.projection), std::move(sql));
}

/// Returns the time of the position that a page of a time order starts after.
std::optional<Timestamp> startOf(const CallPageStatement& statement) {
  if (!statement.after || statement.after->empty()) return std::nullopt;
  const auto* micros = std::get_if<std::int64_t>(&statement.after->front());
  return micros == nullptr ? std::nullopt : std::optional(timestampOfMicros(*micros));
}

/// Selects the calls of a page of a time order among those near its beginning. Nothing if the page
/// may have other calls too.
Result<std::optional<SelectedPage>> selectNear(clickhouse::Client& client,
                                               const CallPageStatement& statement) {
  std::optional<SelectedPage> selected;
  const std::int64_t page = statement.offset + *statement.limit + 1;
  const std::optional<Timestamp> after = startOf(statement);
  for (const std::int64_t times : {std::int64_t{1}, kSecondBound}) {
    const std::int64_t rows = times * (2 * page + kSpareRows);
    if (rows > kMaxBound) return selected;
    const std::optional<Timestamp> bound =
        TRY(timeBound(client, statement.project, *statement.by_time, after, rows));
    if (!bound) return selected;
    const Sql stored = startedWithin(statement.project, *statement.by_time, after, *bound);
    const Sql sql = TRY(
        selectionOf(statement, stored, statement.after, *statement.limit + 1, statement.offset));
    SelectedPage found;
    std::int64_t read = 0;
    TRY(forEachRow(client.query(sql.text, sql.params), [&](const Cursor& row) {
      ++read;
      if (read > *statement.limit) return;
      found.calls.push_back({std::string(row.text(0)), row.integer(1)});
      if (read == *statement.limit) found.last = query::positionAt(row, 2, statement.columns);
    }));
    if (read > *statement.limit) {
      selected = std::move(found);
      return selected;
    }
  }
  return selected;
}

}  // namespace

Result<std::unique_ptr<CallReader>> readCallPage(clickhouse::Client& client,
                                                 CallPageStatement statement) {
  if (!statement.order.text.empty()) statement.columns.clear();
  if (!statement.stored.text.empty() && !statement.limit && !statement.after)
    return readWhole(client, std::move(statement));
  if (statement.by_time && statement.stored.text.empty() && statement.limit &&
      *statement.limit > 0 && *statement.limit <= kMaxBound && statement.offset <= kMaxBound) {
    std::optional<SelectedPage> near = TRY(selectNear(client, statement));
    if (near) {
      return std::unique_ptr<CallReader>(
          std::make_unique<CallPageReader>(client, std::move(statement), *std::move(near)));
    }
  }
  std::optional<std::int64_t> limit = statement.limit;
  if (!statement.columns.empty()) {
    limit = std::min(statement.selected_at_once, limit ? *limit + 1 : statement.selected_at_once);
  }
  Sql selection =
      TRY(selectionOf(statement, statement.stored, statement.after, limit, statement.offset));
  return std::unique_ptr<CallReader>(
      std::make_unique<CallPageReader>(client, std::move(statement), std::move(selection)));
}

Result<std::vector<std::optional<Call>>> fetchCalls(clickhouse::Client& client,
                                                    const std::string& project,
                                                    const std::vector<std::string>& ids,
                                                    const CallProjection& projection) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) places.emplace(ids[i], i);
  Sql sql("SELECT " + selectList(projection, query::clickHouseDialect()) + ", c.id FROM ");
  sql.add(callRows(project, haveIds(ids))).add(" AS c").add(clickhouse::finalSettings());
  const std::size_t id = selectedColumns(projection);
  std::vector<std::optional<Call>> calls(ids.size());
  TRY(forEachRow(client.query(sql.text, sql.params), [&](const Cursor& row) {
    const auto place = places.find(row.text(id));
    if (place != places.end()) calls[place->second] = readCall(row, projection);
  }));
  return calls;
}

}  // namespace spindle::tracing
