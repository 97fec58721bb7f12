#include "app/migrate/columnar_trace_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "app/migrate/cursor_row.h"
#include "columnar/changes/change.h"
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
                                     std::vector<columnar::Family> families)
    : store_(std::move(store)), families_(std::move(families)) {}

Result<std::vector<std::string>> ColumnarTraceRows::projects() {
  std::vector<std::string> projects = TRY(store_->partitions());
  std::sort(projects.begin(), projects.end());
  return projects;
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

Result<std::int64_t> ColumnarTraceRows::readWindow(
    columnar::FamilyId family,
    std::string_view project,
    std::int64_t first,
    std::int64_t last,
    const std::function<Result<void>(TraceBatch batch)>& take) {
  columnar::Snapshot snapshot = TRY(store_->snapshot());
  columnar::Cursor row = TRY(snapshot.query(
      "SELECT " + columnsOf(families_[family]) + " FROM " + snapshot.from(family, project) +
          " AS c WHERE c.row_number_in_store >= ? AND c.row_number_in_store <= ?",
      {first, last}));
  std::int64_t count = 0;
  std::size_t bytes = 0;
  TraceBatch batch;
  while (TRY(row.next())) {
    columnar::Row values = rowAt(row, families_[family]);
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
                                     const std::function<Result<void>(TraceBatch batch)>& take) {
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
    count = TRY(readWindow(family, project, number + 1, number + kWindow, take));
    number += kWindow;
  }
}

Result<void> ColumnarTraceRows::write(columnar::FamilyId family,
                                      std::string_view project,
                                      std::vector<columnar::Row> rows) {
  PutRows change(family, project, std::move(rows));
  return store_->write(change, change.bytes());
}

Result<void> ColumnarTraceRows::drop(std::string_view project) {
  return store_->dropPartition(project);
}

}  // namespace spindle::app
