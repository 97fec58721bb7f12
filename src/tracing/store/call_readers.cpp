#include "tracing/store/call_readers.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tracing/store/call_row.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::Sql;

constexpr std::size_t kBatchRows = 256;
constexpr std::int64_t kBatchBytes = 8L << 20;
constexpr std::size_t kFirstWindow = 2'000;
constexpr std::size_t kWindowGrowth = 4;
/// A window with more rows than this is not followed by a wider one.
constexpr std::size_t kFullWindow = 20'000;
/// Maximum number of resources fetched by one statement.
constexpr std::size_t kResourcesAtOnce = 16;
constexpr std::size_t kMaxResourceBytes = 8UL << 20;

/// A row of the result, payloads not yet fetched.
struct SelectedRow {
  std::int64_t row = 0;
  Timestamp started_at;
  std::int64_t bytes = 0;
};

SqlText columnList(const std::vector<CallColumn>& columns) {
  SqlText list;
  for (const CallColumn column : columns) {
    if (!list.empty()) list += ", ";
    list += "c." + SqlText(nameOf(column));
  }
  return list;
}

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
  std::vector<CallColumn> columns = statement.columns;
  Sql chosen(columnar::haveNumbers(rows) + " AND c.started_at BETWEEN ");
  // The time range repeats the condition in a form that lets the engine skip whole blocks.
  chosen.param(oldest).add(" AND ").param(newest);
  const Sql sql =
      selectFrom(statement.sources, columnList(columns) + ", c.row_number_in_store", chosen);
  std::vector<Call> calls(selected.size());
  TRY(forEachRow(snapshot.query(sql.text, sql.params), [&](const Cursor& row) {
    const auto place = places.find(row.integer(columns.size()));
    if (place != places.end()) calls[place->second] = readCall(row, columns);
  }));
  return calls;
}

std::size_t payloadBytes(const Call& call) {
  std::size_t bytes = 0;
  for (const std::optional<Payload>* payload :
       {&call.attributes, &call.inputs, &call.output, &call.summary, &call.otel_dump}) {
    if (*payload) bytes += (*payload)->size();
  }
  return bytes;
}

/// Reads rows in their stored form.
class RowReader : public CallReader {
 public:
  /// Ends the current statement, so that the snapshot can run another one. next() continues after
  /// the last row that it returned.
  virtual void pause() {}
};

/// Inserts separately stored resources into the OpenTelemetry dumps of rows. Returns small batches
/// even if many rows share a large resource.
class DumpReader final : public CallReader {
 public:
  DumpReader(columnar::Snapshot& snapshot,
             columnar::FamilyId family,
             std::string project,
             std::unique_ptr<RowReader> rows)
      : snapshot_(snapshot),
        family_(family),
        project_(std::move(project)),
        rows_(std::move(rows)) {}

  Result<std::vector<Call>> next() override {
    if (at_ == pending_.size()) {
      std::vector<Call> more = TRY(rows_->next());
      pending_ = std::move(more);
      at_ = 0;
    }
    std::vector<Call> batch;
    for (std::size_t bytes = 0; at_ < pending_.size() && bytes < kBatchBytes; ++at_) {
      Call& call = pending_[at_];
      TRY(complete(call));
      bytes += payloadBytes(call);
      batch.push_back(std::move(call));
    }
    return batch;
  }

 private:
  Result<void> complete(Call& call) {
    if (!call.otel_resource) return {};
    if (!resources_.contains(*call.otel_resource)) {
      TRY(fetchResources());
    }
    const auto found = resources_.find(*call.otel_resource);
    if (call.otel_dump) {
      call.otel_dump = withResource(*call.otel_dump, found == resources_.end()
                                                         ? kMissingResource
                                                         : std::string_view(found->second));
    }
    call.otel_resource.reset();
    return {};
  }

  /// Fetches the resource of the next pending call, and some of the following ones.
  Result<void> fetchResources() {
    if (resource_bytes_ > kMaxResourceBytes) {
      resources_.clear();
      resource_bytes_ = 0;
    }
    std::vector<std::string> digests;
    for (std::size_t i = at_; i < pending_.size() && digests.size() < kResourcesAtOnce; ++i) {
      const std::optional<std::string>& digest = pending_[i].otel_resource;
      if (digest && !resources_.contains(*digest) &&
          std::find(digests.begin(), digests.end(), *digest) == digests.end())
        digests.push_back(*digest);
    }
    rows_->pause();
    std::unordered_map<std::string, std::string> read =
        TRY(readOtelResources(snapshot_, family_, project_, digests));
    for (auto& [digest, json] : read) resource_bytes_ += json.size();
    resources_.merge(read);
    return {};
  }

  columnar::Snapshot& snapshot_;
  const columnar::FamilyId family_;
  const std::string project_;
  const std::unique_ptr<RowReader> rows_;
  std::vector<Call> pending_;
  std::size_t at_ = 0;
  std::unordered_map<std::string, std::string> resources_;  ///< by digest
  std::size_t resource_bytes_ = 0;
};

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
    std::vector<SelectedRow> batch;
    std::int64_t bytes = 0;
    while (at_ < selected_.size() && batch.size() < kBatchRows && bytes < kBatchBytes) {
      bytes += selected_[at_].bytes;
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

 protected:
  Result<bool> refill(std::vector<SelectedRow>& selected) override {
    if (exhausted_ || (left_ && *left_ == 0)) return false;
    std::vector<SelectedRow> chosen = TRY(selectRows(snapshot_, nextWindow()));
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
    if (left_) sql.add(" LIMIT " + SqlText::number(skip_ + *left_));
    return sql;
  }

  void applyPage(const std::vector<SelectedRow>& chosen, std::vector<SelectedRow>& selected) {
    const auto skipped = std::min(skip_, static_cast<std::int64_t>(chosen.size()));
    skip_ -= skipped;
    selected.assign(chosen.begin() + skipped, chosen.end());
    if (!left_) return;
    if (static_cast<std::int64_t>(selected.size()) > *left_)
      selected.resize(static_cast<std::size_t>(*left_));
    *left_ -= static_cast<std::int64_t>(selected.size());
  }

  const columnar::FamilyId family_;
  const std::string partition_;
  const TimeOrder order_;
  std::int64_t skip_;
  std::optional<std::int64_t> left_;
  std::size_t window_rows_;
  std::size_t growth_ = 1;
  std::optional<Timestamp> edge_;
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
      calls.push_back(readCall(*cursor_, statement_.columns));
      bytes += payloadBytes(calls.back());
    }
    const auto read = static_cast<std::int64_t>(calls.size());
    statement_.offset += read;
    if (statement_.limit) *statement_.limit -= read;
    return calls;
  }

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

/// Returns a reader of the statement whose dumps include their resources. `make` receives the
/// statement with the columns that must be read.
template <class Make>
std::unique_ptr<CallReader> withWholeDumps(columnar::Snapshot& snapshot,
                                           CallStatement statement,
                                           const Make& make) {
  if (!has(statement.columns, CallColumn::kOtelDump)) return make(std::move(statement));
  if (!has(statement.columns, CallColumn::kOtelResource))
    statement.columns.push_back(CallColumn::kOtelResource);
  const columnar::FamilyId family = statement.resources;
  std::string project = statement.project;
  return std::make_unique<DumpReader>(snapshot, family, std::move(project),
                                      make(std::move(statement)));
}

}  // namespace

Sql selectFrom(const std::vector<columnar::Source>& sources, SqlView list, const Sql& condition) {
  Sql sql;
  for (const columnar::Source& source : sources) {
    if (!sql.text.empty()) sql.add(" UNION ALL ");
    sql.add("SELECT ").add(list).add(" FROM ").add(source.table).add(" AS c WHERE ");
    sql.add(source.condition).add(" AND ").add(condition);
  }
  return sql;
}

std::unique_ptr<CallReader> readByTime(columnar::Snapshot& snapshot,
                                       columnar::FamilyId family,
                                       std::string partition,
                                       CallStatement statement,
                                       TimeOrder order) {
  return withWholeDumps(snapshot, std::move(statement), [&](CallStatement made) {
    return std::make_unique<TimeReader>(snapshot, family, std::move(partition), std::move(made),
                                        order);
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
    SqlText list = columnList(made.columns);
    if (order) list += ", c.started_at AS started_at, c.id AS id";
    Sql sql = selectFrom(made.sources, list, made.condition);
    if (order) sql.add(orderOf(*order));
    return std::make_unique<StreamReader>(snapshot, std::move(sql), std::move(made));
  });
}

std::unique_ptr<CallReader> readSorted(columnar::Snapshot& snapshot, CallStatement statement) {
  return withWholeDumps(snapshot, std::move(statement), [&snapshot](CallStatement made) {
    Sql sql("SELECT " + columnList(made.columns) + " FROM " + made.from + " AS c WHERE ");
    sql.add(made.condition);
    if (!made.order.text.empty()) sql.add(" ORDER BY ").add(made.order);
    return std::make_unique<StreamReader>(snapshot, std::move(sql), std::move(made));
  });
}

}  // namespace spindle::tracing
