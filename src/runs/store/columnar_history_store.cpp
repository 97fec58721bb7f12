#include "runs/store/columnar_history_store.h"

#include <chrono>
#include <utility>

#include "columnar/changes/change.h"
#include "query/table_union.h"
#include "runs/flat_rows.h"
#include "runs/store/history_row.h"
#include "runs/store/series_encoding.h"

namespace spindle::runs {
namespace {

using columnar::ColumnType, columnar::Cursor, columnar::Snapshot, columnar::Value;
using query::selectFrom, query::Sql;

constexpr std::size_t kRowOverhead = 256;
constexpr std::size_t kMaxKeysPerRemoval = 5000;

class BlockChange final : public columnar::Change {
 public:
  BlockChange(columnar::FamilyId family, std::string_view project)
      : family_(family), project_(project) {}

  void add(columnar::Row row, std::size_t bytes) {
    rows_.push_back(std::move(row));
    bytes_ += bytes + kRowOverhead;
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

class RemovalChange final : public columnar::Change {
 public:
  RemovalChange(columnar::FamilyId family, std::string_view project, std::vector<std::string> keys)
      : family_(family), project_(project), keys_(std::move(keys)) {}

  Result<void> plan(columnar::Plan& plan) override {
    for (const std::string& key : keys_) plan.erase(family_, project_, key);
    return {};
  }
  std::size_t bytes() const { return keys_.size() * kRowOverhead; }

 private:
  const columnar::FamilyId family_;
  const std::string project_;
  const std::vector<std::string> keys_;
};

/// Returns the columns that all rows of a block share, in the order of historyFamily().
columnar::Row rowOf(std::string key,
                    std::int64_t run_number,
                    Stream stream,
                    std::string_view series,
                    Timestamp now) {
  columnar::Row row;
  row.reserve(10);
  row.emplace_back(std::move(key));
  row.emplace_back(rowPlaceOf(now, run_number, streamNumberOf(stream), series));
  row.emplace_back(run_number);
  row.emplace_back(streamNumberOf(stream));
  row.push_back(series.empty() ? Value() : Value(std::string(series)));
  return row;
}

Sql isOf(const HistoryRange& place) {
  Sql condition("c.run = ");
  condition.param(place.run_number).add(" AND c.stream = ").param(streamNumberOf(place.stream));
  condition.add(" AND c.place >= ").param(Timestamp(hourOf(place.since)));
  condition.add(" AND c.place < ");
  condition.param(Timestamp(hourOf(place.until) + std::chrono::hours(1)));
  return condition;
}

}  // namespace

Result<void> ColumnarHistoryStore::write(std::string_view project_id,
                                         std::int64_t run_number,
                                         Stream stream,
                                         std::string_view block,
                                         const FlatRows& rows,
                                         Timestamp now) {
  BlockChange change(family_, project_id);
  std::vector<std::string> keys;
  keys.reserve(rows.columns().size());
  for (const FlatRows::Column& column : rows.columns()) {
    keys.push_back(column.key);
    if (column.values.empty()) continue;
    std::vector<std::int64_t> steps;
    steps.reserve(column.rows.size());
    for (const std::uint32_t row : column.rows) steps.push_back(rows.steps()[row]);
    columnar::Row row = rowOf(std::string(block) + "/" + std::to_string(keys.size()), run_number,
                              stream, column.key, now);
    row.emplace_back(steps.front());
    row.emplace_back(steps.back());
    std::string gaps = encodeSteps(steps);
    row.push_back(gaps.empty() ? Value() : Value(std::move(gaps)));
    row.emplace_back();
    row.emplace_back(encodeValues(column.values));
    change.add(std::move(row), column.values.size() * 11);
  }
  columnar::Row row = rowOf(std::string(block).append(kLinesKey), run_number, stream, {}, now);
  row.emplace_back(rows.steps().front());
  row.emplace_back(rows.steps().back());
  row.emplace_back();
  row.emplace_back(std::move(keys));
  row.emplace_back(rows.lines());
  change.add(std::move(row), rows.lines().size());
  return store_.write(change, change.bytes());
}

Result<std::string> ColumnarHistoryStore::lines(std::string_view project_id,
                                                std::string_view block) const {
  Snapshot snapshot = TRY(store_.snapshot());
  const std::string key = std::string(block).append(kLinesKey);
  Sql condition("c.id = ");
  condition.param(key);
  const Sql statement =
      selectFrom(snapshot.sourcesOf(family_, project_id, key), "c.content", condition);
  std::string lines;
  TRY(forEachRow(snapshot.query(statement.text, statement.params),
                 [&lines](const Cursor& cursor) { lines = cursor.text(0); }));
  if (lines.empty()) return Error::notFound("A block of history is missing.");
  return lines;
}

Result<std::unordered_set<std::string>> ColumnarHistoryStore::blocksWith(
    const HistoryRange& place, const std::vector<std::string>& keys) const {
  Snapshot snapshot = TRY(store_.snapshot());
  Sql condition = isOf(place);
  condition.add(" AND c.series IS NULL AND list_has_any(c.keys, ").param(keys).add("::VARCHAR[])");
  const Sql statement = selectFrom(snapshot.sources(family_, place.project_id), "c.id", condition);
  std::unordered_set<std::string> blocks;
  TRY(forEachRow(snapshot.query(statement.text, statement.params),
                 [&blocks](const Cursor& cursor) { blocks.insert(blockOf(cursor.text(0))); }));
  return blocks;
}

Result<std::vector<StoredSeries>> ColumnarHistoryStore::series(const HistoryRange& place,
                                                               const std::string& key,
                                                               std::int64_t min_step,
                                                               std::int64_t max_step) const {
  Snapshot snapshot = TRY(store_.snapshot());
  Sql condition = isOf(place);
  condition.add(" AND c.series = ").param(key).add(" AND c.last_step >= ").param(min_step);
  condition.add(" AND c.first_step <= ").param(max_step);
  const Sql statement = selectFrom(snapshot.sources(family_, place.project_id),
                                   "c.id, c.first_step, c.steps, c.content", condition);
  std::vector<StoredSeries> found;
  TRY(forEachRow(snapshot.query(statement.text, statement.params), [&found](const Cursor& cursor) {
    StoredSeries& series = found.emplace_back();
    series.block = blockOf(cursor.text(0));
    series.values = decodeValues(cursor.text(3));
    series.steps = decodeSteps(cursor.text(2), cursor.integer(1), series.values.size());
  }));
  std::erase_if(found, [](const StoredSeries& series) {
    return series.values.empty() || series.steps.size() != series.values.size();
  });
  return found;
}

Result<void> ColumnarHistoryStore::remove(std::string_view project_id, std::int64_t run_number) {
  while (true) {
    std::vector<std::string> keys;
    {
      Snapshot snapshot = TRY(store_.snapshot());
      Sql condition("c.run = ");
      condition.param(run_number);
      Sql statement = selectFrom(snapshot.sources(family_, project_id), "c.id", condition);
      statement.add(" LIMIT " + SqlText::number(kMaxKeysPerRemoval));
      TRY(forEachRow(snapshot.query(statement.text, statement.params),
                     [&keys](const Cursor& cursor) { keys.emplace_back(cursor.text(0)); }));
    }
    if (keys.empty()) return {};
    RemovalChange change(family_, project_id, std::move(keys));
    TRY(store_.write(change, change.bytes()));
  }
}

}  // namespace spindle::runs
