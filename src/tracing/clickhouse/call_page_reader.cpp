#include "tracing/clickhouse/call_page_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "clickhouse/schema/table_options.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/store/call_row.h"
#include "tracing/store/row_reader.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// Calls whose payloads one statement reads, if they are small. A statement costs several
/// milliseconds.
constexpr std::size_t kFetchedCalls = 1'000;

class CallPageReader final : public CallReader {
 public:
  CallPageReader(clickhouse::Client& client, CallPageStatement statement, Sql selection)
      : client_(client), statement_(std::move(statement)), selection_(std::move(selection)) {}

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

  std::optional<query::Position> end() const override {
    return has_more_ ? std::optional(last_) : std::nullopt;
  }

 private:
  /// Returns the ids of the next batch; none at the end.
  Result<std::vector<std::string>> select() {
    std::vector<std::string> ids;
    if (ended_) return ids;
    if (!rows_) {
      Cursor rows = TRY(client_.query(selection_.text, selection_.params));
      rows_.emplace(std::move(rows));
    }
    // Four bytes for each character of the five payloads that a preview cuts.
    const std::int64_t most = statement_.projection.preview_characters.value_or(kBatchBytes) * 20;
    std::int64_t bytes = 0;
    while (ids.size() < kFetchedCalls && bytes < kBatchBytes) {
      if (statement_.limit && selected_ == *statement_.limit && statement_.columns.empty()) {
        ended_ = true;
        break;
      }
      ended_ = !TRY(rows_->next());
      if (ended_) break;
      // One row more than the page has tells whether another page follows.
      if (statement_.limit && selected_ == *statement_.limit) {
        has_more_ = ended_ = true;
        break;
      }
      ++selected_;
      ids.emplace_back(rows_->text(0));
      bytes += std::min(rows_->integer(1), most);
      if (statement_.limit && selected_ == *statement_.limit && !statement_.columns.empty())
        last_ = query::positionAt(*rows_, 2, statement_.columns);
    }
    if (ended_) rows_.reset();
    return ids;
  }

  clickhouse::Client& client_;
  const CallPageStatement statement_;
  const Sql selection_;
  std::optional<Cursor> rows_;
  std::int64_t selected_ = 0;
  query::Position last_;
  bool has_more_ = false;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<CallReader>> readCallPage(clickhouse::Client& client,
                                                 CallPageStatement statement) {
  const bool by_columns = statement.order.text.empty();
  Sql sql("SELECT c.id AS id, c.start_bytes + c.output_bytes + c.summary_bytes AS bytes");
  if (by_columns) sql.add(query::sortValues(statement.columns));
  sql.add(" FROM ")
      .add(callRows(statement.project, statement.stored))
      .add(" AS c WHERE ")
      .add(statement.condition);
  if (by_columns) {
    Sql sorted("SELECT * FROM (");
    sorted.add(sql).add(") AS r");
    if (statement.after) {
      const Sql after = TRY(query::isAfter(*statement.after, statement.columns));
      sorted.add(" WHERE ").add(after);
    }
    sorted.add(" ORDER BY " + query::sortOrder(statement.columns));
    sql = std::move(sorted);
  } else {
    sql.add(" ORDER BY ").add(statement.order);
    statement.columns.clear();
  }
  if (statement.limit)
    sql.add(" LIMIT " + SqlText::number(*statement.limit + (by_columns ? 1 : 0)));
  if (statement.offset > 0) sql.add(" OFFSET " + SqlText::number(statement.offset));
  sql.add(clickhouse::finalSettings());
  return std::unique_ptr<CallReader>(
      std::make_unique<CallPageReader>(client, std::move(statement), std::move(sql)));
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
