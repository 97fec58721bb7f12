#include "runs/clickhouse/clickhouse_history_store.h"

#include <chrono>
#include <utility>

#include "clickhouse/client/row_binary.h"
#include "query/sql.h"
#include "runs/clickhouse/history_table.h"
#include "runs/flat_rows.h"
#include "runs/store/history_row.h"
#include "runs/store/series_encoding.h"

namespace spindle::runs {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// The rows of one block in the format RowBinary.
class BlockRows {
 public:
  BlockRows(std::string_view project_id,
            std::int64_t run_number,
            Stream stream,
            std::string_view block,
            Timestamp now)
      : block_(block), now_(now) {
    clickhouse::putText(start_, project_id);
    clickhouse::putInteger(start_, run_number);
    clickhouse::putInteger(start_, static_cast<std::uint8_t>(streamNumberOf(stream)));
  }

  void addNumbers(const std::string& series,
                  const std::vector<std::int64_t>& steps,
                  const std::vector<double>& values) {
    begin(kHistoryNumbers, series, steps.front(), steps.back());
    clickhouse::putText(rows_, packSteps(steps));
    clickhouse::putTexts(rows_, {});
    clickhouse::putText(rows_, packValues(values));
  }
  void addLines(const FlatRows& rows, const std::vector<std::string>& keys) {
    begin(kHistoryLines, {}, rows.steps().front(), rows.steps().back());
    clickhouse::putText(rows_, {});
    clickhouse::putTexts(rows_, keys);
    clickhouse::putText(rows_, rows.lines());
  }

  std::string take() { return std::move(rows_); }
  std::size_t count() const { return count_; }

 private:
  void begin(std::uint8_t kind, std::string_view series, std::int64_t first, std::int64_t last) {
    ++count_;
    rows_ += start_;
    clickhouse::putInteger(rows_, kind);
    clickhouse::putText(rows_, series);
    clickhouse::putText(rows_, block_);
    clickhouse::putTime(rows_, now_);
    clickhouse::putInteger(rows_, first);
    clickhouse::putInteger(rows_, last);
  }

  std::string start_;  ///< the columns that all rows share
  const std::string block_;
  const Timestamp now_;
  std::string rows_;
  std::size_t count_ = 0;
};

/// Returns the condition over rows of a kind in a range, rounded to whole hours.
Sql isOf(const HistoryRange& place, std::uint8_t kind) {
  const auto since = hourOf(place.since);
  const auto until = hourOf(place.until) + std::chrono::hours(1);
  Sql condition("project_id = ");
  condition.param(std::string(place.project_id)).add(" AND run = ").param(place.run_number);
  condition.add(" AND stream = " + SqlText::number(streamNumberOf(place.stream)));
  condition.add(" AND kind = " + SqlText::number(int{kind}));
  condition.add(" AND stored_at >= ").param(Timestamp(since));
  return condition.add(" AND stored_at < ").param(Timestamp(until));
}

}  // namespace

ClickHouseHistoryStore::ClickHouseHistoryStore(clickhouse::Client& client,
                                               MetricRegistry& metrics,
                                               const clickhouse::GroupOptions& options)
    : client_(client), inserts_(client, historyTarget(), options, metrics) {}

Result<void> ClickHouseHistoryStore::write(std::string_view project_id,
                                           std::int64_t run_number,
                                           Stream stream,
                                           std::string_view block,
                                           const FlatRows& rows,
                                           Timestamp now) {
  BlockRows block_rows(project_id, run_number, stream, block, now);
  std::vector<std::string> keys;
  keys.reserve(rows.columns().size());
  std::vector<std::int64_t> steps;
  for (const FlatRows::Column& column : rows.columns()) {
    keys.push_back(column.key);
    if (column.values.empty()) continue;
    steps.clear();
    for (const std::uint32_t row : column.rows) steps.push_back(rows.steps()[row]);
    block_rows.addNumbers(column.key, steps, column.values);
  }
  block_rows.addLines(rows, keys);
  return inserts_.insert(block_rows.take(), block_rows.count());
}

Result<std::string> ClickHouseHistoryStore::lines(std::string_view project_id,
                                                  std::string_view block) const {
  Sql sql("SELECT content FROM run_history WHERE project_id = ");
  sql.param(std::string(project_id)).add(" AND block = ").param(std::string(block));
  sql.add(" AND kind = " + SqlText::number(int{kHistoryLines}) + " LIMIT 1");
  std::string lines;
  TRY(forEachRow(client_.query(sql.text, sql.params),
                 [&lines](const Cursor& row) { lines = row.text(0); }));
  if (lines.empty()) return Error::notFound("A block of history is missing.");
  return lines;
}

Result<std::unordered_set<std::string>> ClickHouseHistoryStore::blocksWith(
    const HistoryRange& place, const std::vector<std::string>& keys) const {
  Sql sql("SELECT block FROM run_history WHERE ");
  sql.add(isOf(place, kHistoryLines)).add(" AND hasAny(keys, ").param(keys).add(")");
  std::unordered_set<std::string> blocks;
  TRY(forEachRow(client_.query(sql.text, sql.params),
                 [&blocks](const Cursor& row) { blocks.emplace(row.text(0)); }));
  return blocks;
}

Result<std::vector<StoredSeries>> ClickHouseHistoryStore::series(const HistoryRange& place,
                                                                 const std::string& key,
                                                                 std::int64_t min_step,
                                                                 std::int64_t max_step) const {
  Sql sql("SELECT block, first_step, steps, content FROM run_history WHERE ");
  sql.add(isOf(place, kHistoryNumbers)).add(" AND series = ").param(key);
  sql.add(" AND last_step >= ").param(min_step).add(" AND first_step <= ").param(max_step);
  std::vector<StoredSeries> found;
  std::unordered_set<std::string> blocks;
  TRY(forEachRow(client_.query(sql.text, sql.params), [&](const Cursor& row) {
    // A row that was inserted twice is there twice until it is merged.
    if (!blocks.emplace(row.text(0)).second) return;
    StoredSeries& series = found.emplace_back();
    series.block = row.text(0);
    series.values = unpackValues(row.text(3));
    series.steps = unpackSteps(row.text(2), row.integer(1), series.values.size());
  }));
  std::erase_if(found, [](const StoredSeries& series) {
    return series.values.empty() || series.steps.size() != series.values.size();
  });
  return found;
}

Result<void> ClickHouseHistoryStore::remove(std::string_view project_id, std::int64_t run_number) {
  Sql sql("DELETE FROM run_history WHERE project_id = ");
  sql.param(std::string(project_id)).add(" AND run = ").param(run_number);
  return client_.execute(sql.text, sql.params);
}

}  // namespace spindle::runs
