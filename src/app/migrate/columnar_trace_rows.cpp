#include "app/migrate/columnar_trace_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "columnar/changes/change.h"
#include "columnar/journal/cursor_row.h"
#include "columnar/journal/row_codec.h"

namespace spindle::app {
namespace {

/// Row numbers that one statement covers.
constexpr std::int64_t kWindow = 16'384;
constexpr std::size_t kBatchBytes = 8UL << 20;

/// Adds rows.
class PutRows final : public columnar::Change {
 public:
  PutRows(columnar::FamilyId family, std::string_view project, std::vector<columnar::Row> rows)
      : family_(family), project_(project), rows_(std::move(rows)) {}

  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const columnar::Row& row : rows_) bytes += columnar::encodedBytes(row);
    return bytes;
  }

  Result<void> plan(columnar::Plan& plan) override {
    for (columnar::Row& row : rows_) plan.put(family_, project_, std::move(row));
    return {};
  }

 private:
  const columnar::FamilyId family_;
  const std::string project_;
  std::vector<columnar::Row> rows_;
};

}  // namespace

ColumnarTraceRows::ColumnarTraceRows(std::unique_ptr<columnar::Store> store,
                                     std::vector<columnar::Family> families,
                                     std::vector<clickhouse::RowTable> tables)
    : store_(std::move(store)), families_(std::move(families)) {
  if (!tables.empty()) portable_.emplace(*store_, std::move(tables));
}

Result<std::vector<std::string>> ColumnarTraceRows::projects() {
  std::vector<std::string> projects = TRY(store_->partitions());
  std::sort(projects.begin(), projects.end());
  return projects;
}

Result<std::int64_t> ColumnarTraceRows::count() {
  const std::vector<std::string> all = TRY(projects());
  columnar::Snapshot snapshot = TRY(store_->snapshot());
  std::int64_t rows = 0;
  for (columnar::FamilyId family = 0; family < families_.size(); ++family) {
    for (const std::string& project : all) rows += TRY(snapshot.count(family, project, "TRUE"));
  }
  return rows;
}

Result<std::optional<std::int64_t>> ColumnarTraceRows::nextNumber(columnar::FamilyId family,
                                                                  std::string_view project,
                                                                  std::int64_t number) {
  columnar::Snapshot snapshot = TRY(store_->snapshot());
  columnar::Cursor row = TRY(snapshot.query("SELECT min(c.row_number_in_store) FROM " +
                                                snapshot.from(family, project) +
                                                " AS c WHERE c.row_number_in_store > ?",
                                            {number}));
  if (!TRY(row.next()) || row.isNull(0)) return std::optional<std::int64_t>();
  return std::optional(row.integer(0));
}

Result<std::int64_t> ColumnarTraceRows::readWindow(columnar::FamilyId family,
                                                   std::string_view project,
                                                   std::int64_t first,
                                                   std::int64_t last,
                                                   RowForm form,
                                                   const Take& take) {
  columnar::Snapshot snapshot = TRY(store_->snapshot());
  columnar::Cursor row = TRY(
      snapshot.query("SELECT " + columnar::columnsOf(families_[family]) + " FROM " +
                         snapshot.from(family, project) +
                         " AS c WHERE c.row_number_in_store >= ? AND c.row_number_in_store <= ?",
                     {first, last}));
  std::int64_t count = 0;
  std::size_t bytes = 0;
  TraceBatch batch;
  while (TRY(row.next())) {
    columnar::Row values = columnar::rowAt(row, families_[family]);
    if (form == RowForm::kPortable && portable_) TRY(portable_->convert(family, project, values));
    bytes += columnar::encodedBytes(values);
    batch.rows.push_back(std::move(values));
    ++count;
    if (bytes < kBatchBytes) continue;
    TRY(take(std::exchange(batch, {})));
    bytes = 0;
  }
  batch.position = std::to_string(last);
  TRY(take(std::move(batch)));
  return count;
}

Result<void> ColumnarTraceRows::read(columnar::FamilyId family,
                                     std::string_view project,
                                     const std::string& after,
                                     RowForm form,
                                     const Take& take) {
  std::int64_t number = -1;
  std::from_chars(after.data(), after.data() + after.size(), number);
  std::int64_t count = 0;
  while (true) {
    // Row numbers are those of all projects, so a project may have none in many windows.
    if (count == 0) {
      const std::optional<std::int64_t> next = TRY(nextNumber(family, project, number));
      if (!next) return {};
      number = *next - 1;
    }
    count = TRY(readWindow(family, project, number + 1, number + kWindow, form, take));
    number += kWindow;
  }
}

Result<void> ColumnarTraceRows::write(columnar::FamilyId family,
                                      std::string_view project,
                                      std::vector<columnar::Row> rows) {
  PutRows change(family, project, std::move(rows));
  return store_->write(change, change.bytes());
}

Result<void> ColumnarTraceRows::clear() {
  for (const std::string& project : TRY(projects())) TRY(store_->dropPartition(project));
  return {};
}

}  // namespace spindle::app
