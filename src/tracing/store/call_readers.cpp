#include "tracing/store/call_readers.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "query/table_union.h"
#include "tracing/store/call_row.h"
#include "tracing/store/dump_reader.h"
#include "tracing/store/row_reader.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::selectFrom, query::Sql;

constexpr std::size_t kFirstWindow = 2'000;
constexpr std::size_t kWindowGrowth = 4;
/// A window with more rows than this is not followed by a wider one.
constexpr std::size_t kFullWindow = 20'000;

/// A row of the result, payloads not yet fetched.
struct SelectedRow {
  std::int64_t row = 0;
  Timestamp started_at;
  std::int64_t bytes = 0;
  std::string id = {};  ///< only of a reader that tells its end
};

Result<std::vector<SelectedRow>> selectRows(columnar::Snapshot& snapshot, const Sql& sql) {
  return collectRows(snapshot.query(sql.text, sql.params), [](const Cursor& row) {
    return SelectedRow{row.integer(0), row.time(1), row.integer(2)};
  });
}

constexpr SqlView kRowColumns =
    "c.row_number_in_store, c.started_at, c.start_bytes + c.output_bytes + c.summary_bytes";

/// Selects rows in the order of the statement.
Sql rowSelection(const CallStatement& statement, const Sql& condition) {
  Sql sql("SELECT ");
  sql.add(kRowColumns).add(" FROM ").add(statement.from).add(" AS c WHERE ").add(condition);
  if (!statement.order.text.empty()) sql.add(" ORDER BY ").add(statement.order);
  return sql;
}

/// Sort clause for a selection of `started_at` and `id`.
SqlView orderOf(TimeOrder order) {
  if (order == TimeOrder::kNewestFirst) return " ORDER BY started_at DESC, id DESC";
  return " ORDER BY started_at, id";
}

void addPage(Sql& sql, const CallStatement& statement) {
  if (statement.limit) sql.add(" LIMIT " + SqlText::number(*statement.limit));
  if (statement.offset > 0) sql.add(" OFFSET " + SqlText::number(statement.offset));
}

/// Fetches the selected rows, in the same order.
Result<std::vector<Call>> fetch(columnar::Snapshot& snapshot,
                                const CallStatement& statement,
                                const std::vector<SelectedRow>& selected) {
  Timestamp oldest = selected.front().started_at;
  Timestamp newest = oldest;
  std::vector<std::int64_t> rows;
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    oldest = std::min(oldest, selected[i].started_at);
    newest = std::max(newest, selected[i].started_at);
    rows.push_back(selected[i].row);
    places.emplace(selected[i].row, i);
  }
  const CallProjection& projection = statement.projection;
  Sql chosen(columnar::haveNumbers(rows) + " AND c.started_at BETWEEN ");
  // The time range repeats the condition in a form that lets the engine skip whole blocks.
  chosen.param(oldest).add(" AND ").param(newest);
  const Sql sql =
      selectFrom(statement.sources, selectList(projection) + ", c.row_number_in_store", chosen);
  std::vector<Call> calls(selected.size());
  const std::size_t number = selectedColumns(projection);
  TRY(forEachRow(snapshot.query(sql.text, sql.params), [&](const Cursor& row) {
    const auto place = places.find(row.integer(number));
    if (place != places.end()) calls[place->second] = readCall(row, projection);
  }));
  return calls;
}

/// Returns selected rows in batches; subclasses select them.
class SelectedRowReader : public RowReader {
 public:
  SelectedRowReader(columnar::Snapshot& snapshot, CallStatement statement)
      : snapshot_(snapshot), statement_(std::move(statement)) {}

  Result<std::vector<Call>> next() override {
    while (at_ == selected_.size()) {
      selected_.clear();
      at_ = 0;
      if (!TRY(refill(selected_))) return std::vector<Call>();
    }
    // Four bytes for each character of the five payloads that a preview cuts.
    const std::int64_t most = statement_.projection.preview_characters.value_or(kBatchBytes) * 20;
    std::vector<SelectedRow> batch;
    std::int64_t bytes = 0;
    while (at_ < selected_.size() && batch.size() < kBatchRows && bytes < kBatchBytes) {
      bytes += std::min(selected_[at_].bytes, most);
      batch.push_back(selected_[at_++]);
    }
    return fetch(snapshot_, statement_, batch);
  }

 protected:
  /// Fills the empty list with the next selected rows. Returns false if there are no more; true
  /// with an empty list means to call again.
  virtual Result<bool> refill(std::vector<SelectedRow>& selected) = 0;

  columnar::Snapshot& snapshot_;
  CallStatement statement_;

 private:
  std::vector<SelectedRow> selected_;
  std::size_t at_ = 0;
};

class LimitedReader final : public SelectedRowReader {
 public:
  using SelectedRowReader::SelectedRowReader;

  std::optional<query::Position> end() const override { return std::nullopt; }

 protected:
  Result<bool> refill(std::vector<SelectedRow>& selected) override {
    if (std::exchange(done_, true)) return false;
    Sql sql = rowSelection(statement_, statement_.condition);
    addPage(sql, statement_);
    std::vector<SelectedRow> chosen = TRY(selectRows(snapshot_, sql));
    selected = std::move(chosen);
    return true;
  }

 private:
  bool done_ = false;
};

class PositionedReader final : public SelectedRowReader {
 public:
  /// `sql` selects the columns of a SelectedRow without its id, then the values of `columns`, in
  /// their order.
  PositionedReader(columnar::Snapshot& snapshot,
                   CallStatement statement,
                   Sql sql,
                   std::vector<query::SortColumn> columns)
      : SelectedRowReader(snapshot, std::move(statement)),
        sql_(std::move(sql)),
        columns_(std::move(columns)) {}

  std::optional<query::Position> end() const override {
    return has_more_ ? std::optional(last_) : std::nullopt;
  }

 protected:
  Result<bool> refill(std::vector<SelectedRow>& selected) override {
    if (std::exchange(done_, true)) return false;
    const auto limit = static_cast<std::size_t>(statement_.limit.value_or(0));
    TRY(forEachRow(snapshot_.query(sql_.text, sql_.params), [&](const Cursor& row) {
      has_more_ = selected.size() == limit;
      if (has_more_) return;
      selected.push_back({row.integer(0), row.time(1), row.integer(2)});
      if (selected.size() == limit) last_ = query::positionAt(row, 3, columns_);
    }));
    return true;
  }

 private:
  const Sql sql_;
  const std::vector<query::SortColumn> columns_;
  query::Position last_;
  bool has_more_ = false;
  bool done_ = false;
};

class TimeReader final : public SelectedRowReader {
 public:
  TimeReader(columnar::Snapshot& snapshot,
             columnar::FamilyId family,
             std::string partition,
             CallStatement statement,
             TimeOrder order)
      : SelectedRowReader(snapshot, std::move(statement)),
        family_(family),
        partition_(std::move(partition)),
        order_(order),
        skip_(statement_.offset),
        left_(statement_.limit) {
    const auto wanted = static_cast<std::size_t>(skip_ + left_.value_or(0));
    window_rows_ = std::max(kFirstWindow, 2 * wanted);
  }

  /// Skips the windows that contain only rows before `time`. Call before next().
  void startAt(Timestamp time) {
    std::size_t before = 0;
    std::size_t beyond = kFirstWindow;
    for (; !reaches(beyond, time); beyond *= 2) before = beyond;
    while (beyond - before > kFirstWindow) {
      const std::size_t middle = std::midpoint(before, beyond);
      (reaches(middle, time) ? beyond : before) = middle;
    }
    window_rows_ += before;
  }

  std::optional<query::Position> end() const override {
    const bool ended = !left_ || *left_ > 0 || (exhausted_ && !has_more_);
    return ended ? std::nullopt : std::optional(last_);
  }

 protected:
  Result<bool> refill(std::vector<SelectedRow>& selected) override {
    if (exhausted_ || (left_ && *left_ == 0)) return false;
    const Sql window = nextWindow();
    const bool limited = left_.has_value();
    std::vector<SelectedRow> chosen =
        TRY(collectRows(snapshot_.query(window.text, window.params), [limited](const Cursor& row) {
          SelectedRow read{row.integer(0), row.time(1), row.integer(2)};
          if (limited) read.id = std::string(row.text(3));
          return read;
        }));
    if (chosen.size() * kWindowGrowth < kFullWindow) growth_ *= kWindowGrowth;
    window_rows_ += kFirstWindow * growth_;
    applyPage(chosen, selected);
    return true;
  }

 private:
  /// Returns the end of a window of that many rows; empty if the window contains all rows.
  std::optional<Timestamp> edgeOf(std::size_t rows) const {
    return order_ == TimeOrder::kNewestFirst ? snapshot_.newestWindow(family_, partition_, rows)
                                             : snapshot_.oldestWindow(family_, partition_, rows);
  }

  /// Returns true if a window of that many rows ends beyond the time.
  bool reaches(std::size_t rows, Timestamp time) const {
    const std::optional<Timestamp> edge = edgeOf(rows);
    return !edge || (order_ == TimeOrder::kNewestFirst ? *edge < time : *edge > time);
  }

  /// Selects the rows between the edge of the last window and that of a wider one.
  Sql nextWindow() {
    const bool newest_first = order_ == TimeOrder::kNewestFirst;
    std::optional<Timestamp> edge = edgeOf(window_rows_);
    while (edge && edge == edge_) edge = edgeOf(window_rows_ *= 2);
    Sql condition = statement_.condition;
    if (edge_)
      condition.add(" AND c.started_at ")
          .add(newest_first ? SqlView("< ") : SqlView("> "))
          .param(*edge_);
    if (edge)
      condition.add(" AND c.started_at ")
          .add(newest_first ? SqlView(">= ") : SqlView("<= "))
          .param(*edge);
    exhausted_ = !edge.has_value();
    edge_ = edge;
    Sql sql = selectFrom(statement_.sources, kRowColumns + ", c.id", condition);
    sql.add(orderOf(order_));
    // One row more tells whether another page follows.
    if (left_) sql.add(" LIMIT " + SqlText::number(skip_ + *left_ + 1));
    return sql;
  }

  void applyPage(const std::vector<SelectedRow>& chosen, std::vector<SelectedRow>& selected) {
    const auto skipped = std::min(skip_, static_cast<std::int64_t>(chosen.size()));
    skip_ -= skipped;
    selected.assign(chosen.begin() + skipped, chosen.end());
    if (!left_) return;
    has_more_ = static_cast<std::int64_t>(selected.size()) > *left_;
    if (has_more_) selected.resize(static_cast<std::size_t>(*left_));
    *left_ -= static_cast<std::int64_t>(selected.size());
    if (*left_ == 0 && !selected.empty())
      last_ = {microsOf(selected.back().started_at), selected.back().id};
  }

  const columnar::FamilyId family_;
  const std::string partition_;
  const TimeOrder order_;
  std::int64_t skip_;
  std::optional<std::int64_t> left_;
  std::size_t window_rows_;
  std::size_t growth_ = 1;
  std::optional<Timestamp> edge_;
  query::Position last_;
  bool has_more_ = false;
  bool exhausted_ = false;
};

/// Returns the rows of one statement in its order.
class StreamReader final : public RowReader {
 public:
  /// `sql` selects the rows in an order without ties, without LIMIT and OFFSET.
  StreamReader(columnar::Snapshot& snapshot, Sql sql, CallStatement statement)
      : snapshot_(snapshot), sql_(std::move(sql)), statement_(std::move(statement)) {}

  Result<std::vector<Call>> next() override {
    if (!cursor_ && !ended_) {
      Sql page = sql_;
      addPage(page, statement_);
      Cursor opened = TRY(snapshot_.query(page.text, page.params));
      cursor_ = std::move(opened);
    }
    std::vector<Call> calls;
    std::size_t bytes = 0;
    while (!ended_ && calls.size() < kBatchRows && bytes < kBatchBytes) {
      bool more = TRY(cursor_->next());
      ended_ = !more;
      if (ended_) break;
      calls.push_back(readCall(*cursor_, statement_.projection));
      bytes += payloadBytes(calls.back());
    }
    const auto read = static_cast<std::int64_t>(calls.size());
    statement_.offset += read;
    if (statement_.limit) *statement_.limit -= read;
    return calls;
  }

  std::optional<query::Position> end() const override { return std::nullopt; }
  void pause() override { cursor_.reset(); }

 private:
  columnar::Snapshot& snapshot_;
  const Sql sql_;
  CallStatement statement_;  ///< its limit and offset describe the unread part
  std::optional<Cursor> cursor_;
  bool ended_ = false;
};

bool has(const std::vector<CallColumn>& columns, CallColumn column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

struct TimePosition {
  Timestamp started_at;
  std::string id;
};

Result<TimePosition> timePosition(const query::Position& position) {
  if (position.size() != 2) return query::unknownPosition();
  const auto* micros = std::get_if<std::int64_t>(position.data());
  const auto* id = std::get_if<std::string>(&position[1]);
  if (micros == nullptr || id == nullptr) return query::unknownPosition();
  return TimePosition{timestampOfMicros(*micros), *id};
}

/// Returns a reader of the statement whose dumps include their resources. `make` receives the
/// statement with the columns that must be read.
template <class Make>
std::unique_ptr<CallReader> withWholeDumps(columnar::Snapshot& snapshot,
                                           CallStatement statement,
                                           const Make& make) {
  std::vector<CallColumn>& columns = statement.projection.columns;
  if (!has(columns, CallColumn::kOtelDump)) return make(std::move(statement));
  if (!has(columns, CallColumn::kOtelResource)) columns.push_back(CallColumn::kOtelResource);
  const columnar::FamilyId family = statement.resources;
  std::string project = statement.project;
  return std::make_unique<DumpReader>(snapshot, family, std::move(project),
                                      make(std::move(statement)));
}

}  // namespace

std::vector<query::SortColumn> timeColumns(TimeOrder order) {
  const bool descending = order == TimeOrder::kNewestFirst;
  return {{Sql("c.started_at"), query::FieldKind::kTime, descending},
          {Sql("c.id"), query::FieldKind::kText, descending}};
}

Result<std::unique_ptr<CallReader>> readByTime(columnar::Snapshot& snapshot,
                                               columnar::FamilyId family,
                                               std::string partition,
                                               CallStatement statement,
                                               TimeOrder order) {
  std::optional<Timestamp> start;
  if (statement.after) {
    const TimePosition after = TRY(timePosition(*statement.after));
    const bool newest_first = order == TimeOrder::kNewestFirst;
    start = after.started_at;
    // The first comparison lets the engine skip whole blocks.
    statement.condition.add(newest_first ? SqlView(" AND c.started_at <= ")
                                         : SqlView(" AND c.started_at >= "));
    statement.condition.param(after.started_at).add(" AND (c.started_at <> ");
    statement.condition.param(after.started_at);
    statement.condition.add(newest_first ? SqlView(" OR c.id < ") : SqlView(" OR c.id > "));
    statement.condition.param(after.id).add(")");
  }
  return withWholeDumps(snapshot, std::move(statement), [&](CallStatement made) {
    auto reader = std::make_unique<TimeReader>(snapshot, family, std::move(partition),
                                               std::move(made), order);
    if (start) reader->startAt(*start);
    return reader;
  });
}

Result<std::unique_ptr<CallReader>> readPositioned(columnar::Snapshot& snapshot,
                                                   CallStatement statement,
                                                   std::vector<query::SortColumn> columns) {
  Sql list(kRowColumns);
  list.add(query::sortValues(columns));
  Sql sql("SELECT * FROM (");
  sql.add(selectFrom(statement.sources, list, statement.condition)).add(") AS r");
  if (statement.after) {
    const Sql after = TRY(query::isAfter(*statement.after, columns));
    sql.add(" WHERE ").add(after);
  }
  sql.add(" ORDER BY " + query::sortOrder(columns));
  // One row more tells whether another page follows.
  sql.add(" LIMIT " + SqlText::number(statement.limit.value_or(0) + 1));
  if (statement.offset > 0) sql.add(" OFFSET " + SqlText::number(statement.offset));
  return withWholeDumps(snapshot, std::move(statement), [&](CallStatement made) {
    return std::make_unique<PositionedReader>(snapshot, std::move(made), std::move(sql),
                                              std::move(columns));
  });
}

std::unique_ptr<CallReader> readLimited(columnar::Snapshot& snapshot, CallStatement statement) {
  return withWholeDumps(snapshot, std::move(statement), [&snapshot](CallStatement made) {
    return std::make_unique<LimitedReader>(snapshot, std::move(made));
  });
}

std::unique_ptr<CallReader> readFew(columnar::Snapshot& snapshot,
                                    CallStatement statement,
                                    std::optional<TimeOrder> order) {
  return withWholeDumps(snapshot, std::move(statement), [&](CallStatement made) {
    SqlText list = selectList(made.projection);
    if (order) list += ", c.started_at AS started_at, c.id AS id";
    Sql sql = selectFrom(made.sources, list, made.condition);
    if (order) sql.add(orderOf(*order));
    return std::make_unique<StreamReader>(snapshot, std::move(sql), std::move(made));
  });
}

std::unique_ptr<CallReader> readSorted(columnar::Snapshot& snapshot, CallStatement statement) {
  return withWholeDumps(snapshot, std::move(statement), [&snapshot](CallStatement made) {
    Sql sql("SELECT " + selectList(made.projection) + " FROM " + made.from + " AS c WHERE ");
    sql.add(made.condition);
    if (!made.order.text.empty()) sql.add(" ORDER BY ").add(made.order);
    return std::make_unique<StreamReader>(snapshot, std::move(sql), std::move(made));
  });
}

}  // namespace spindle::tracing
