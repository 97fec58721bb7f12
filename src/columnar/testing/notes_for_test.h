#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/store/store.h"
#include "columnar/testing/store_for_test.h"

namespace spindle::columnar {

inline constexpr FamilyId kNotes = 0;
inline constexpr FamilyId kMarks = 1;

/// Returns a family with a column of each type, and a small family.
inline std::vector<Family> noteFamilies() {
  return {{.name = "notes",
           .columns = {{"id", ColumnType::kText},
                       {"made", ColumnType::kTime},
                       {"text", ColumnType::kText},
                       {"size", ColumnType::kInteger},
                       {"score", ColumnType::kReal},
                       {"good", ColumnType::kBoolean},
                       {"tags", ColumnType::kTexts}},
           .key = 0,
           .order = 1},
          {.name = "marks",
           .columns = {{"id", ColumnType::kText}, {"made", ColumnType::kTime}},
           .key = 0,
           .order = 1}};
}

inline Timestamp secondsAt(std::int64_t seconds) { return timestampOfMicros(seconds * 1'000'000); }

inline Row note(std::string id, std::int64_t seconds, std::string text) {
  return {std::move(id),
          secondsAt(seconds),
          std::move(text),
          seconds,
          0.5 * static_cast<double>(seconds),
          true,
          std::vector<std::string>{"a", "b"}};
}

/// A change that calls a function.
class FunctionChange final : public Change {
 public:
  explicit FunctionChange(std::function<Result<void>(Plan&)> plan, std::vector<RowKey> wants = {})
      : plan_(std::move(plan)), wants_(std::move(wants)) {}
  std::vector<RowKey> wants() const override { return wants_; }
  Result<void> plan(Plan& plan) override { return plan_(plan); }

 private:
  std::function<Result<void>(Plan&)> plan_;
  std::vector<RowKey> wants_;
};

inline Result<void> putRows(Store& store, const std::string& partition, std::vector<Row> rows) {
  FunctionChange change([&](Plan& plan) {
    for (Row& row : rows) plan.put(kNotes, partition, std::move(row));
    return Result<void>();
  });
  return store.write(change, 200 * rows.size());
}

/// Texts by id.
using Notes = std::map<std::string, std::string>;

inline Notes readNotes(Snapshot& snapshot, const std::string& partition) {
  Notes found;
  const Result<void> done = forEachRow(
      snapshot.query("SELECT id, text FROM " + snapshot.from(kNotes, partition) + " AS n"),
      [&found](const Cursor& row) {
        const bool once = found.emplace(std::string(row.text(0)), std::string(row.text(1))).second;
        EXPECT_TRUE(once) << row.text(0) << " is there twice";
      });
  EXPECT_TRUE(done) << done.error().message();
  const Result<std::int64_t> counted = snapshot.count(kNotes, partition, "true");
  EXPECT_TRUE(counted) << counted.error().message();
  EXPECT_EQ(counted.value(), static_cast<std::int64_t>(found.size())) << "rows by count()";
  return found;
}

inline Notes readNotes(Store& store, const std::string& partition) {
  Result<Snapshot> snapshot = store.snapshot();
  EXPECT_TRUE(snapshot) << snapshot.error().message();
  return snapshot ? readNotes(*snapshot, partition) : Notes();
}

/// Returns the single number that a statement returns.
inline std::int64_t numberOf(Snapshot& snapshot,
                             SqlView sql,
                             const std::vector<Value>& params = {}) {
  Result<Cursor> cursor = snapshot.query(sql, params);
  EXPECT_TRUE(cursor) << cursor.error().message();
  if (!cursor) return -1;
  const Result<bool> more = cursor->next();
  EXPECT_TRUE(more && *more);
  return more && *more ? cursor->integer(0) : -1;
}

/// Flips bits of one byte of a file.
inline void flipBits(const std::filesystem::path& path, std::uintmax_t at, int bits) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ bits));
}

/// Fixture with a store of notes and helper functions.
class NotesTest : public ::testing::Test {
 protected:
  explicit NotesTest(StoreOptions options = {}) : store_(noteFamilies(), std::move(options)) {}

  void put(const std::string& partition, Row row) {
    const Result<void> done = putRows(*store_, partition, {std::move(row)});
    ASSERT_TRUE(done) << done.error().message();
  }

  /// Writes each row in a change of its own.
  void putEach(const std::string& partition, std::vector<Row> rows) {
    for (Row& row : rows) put(partition, std::move(row));
  }

  void erase(const std::string& partition, const std::string& id) {
    FunctionChange change([&](Plan& plan) {
      plan.erase(kNotes, partition, id);
      return Result<void>();
    });
    ASSERT_TRUE(store_->write(change, 100));
  }

  Notes read(const std::string& partition) { return readNotes(*store_, partition); }

  Snapshot snapshot() {
    Result<Snapshot> taken = store_->snapshot();
    EXPECT_TRUE(taken) << taken.error().message();
    return *std::move(taken);
  }

  void flush() {
    const Result<void> done = store_->flush();
    ASSERT_TRUE(done) << done.error().message();
  }

  StoreForTest store_;
};

}  // namespace spindle::columnar
