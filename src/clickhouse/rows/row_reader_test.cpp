#include "clickhouse/rows/row_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

using columnar::ColumnType;
using Texts = std::vector<std::string>;

/// Notes whose key has a time, a number and a text.
RowTable notes() {
  RowTable table;
  table.target = {"notes", {}};
  table.family.name = "notes";
  table.family.columns = {{"id", ColumnType::kText}, {"text", ColumnType::kText}};
  table.columns = SqlText("r.id AS id, r.text AS text");
  table.absent = {Absent::kEmpty, Absent::kEmpty};
  table.key = {{"toStartOfMinute(r.at)", ColumnType::kTime},
               {"r.number", ColumnType::kInteger},
               {"r.id", ColumnType::kText}};
  table.version = "version";
  return table;
}

class RowReaderTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kWindow = 3;

  void SetUp() override {
    if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    database_ = std::make_unique<DatabaseForTest>();
    run("CREATE TABLE notes (project_id LowCardinality(String), at DateTime64(6, 'UTC'), "
        "number UInt32, id String, text String, version UInt64, is_deleted UInt8) "
        "ENGINE = ReplacingMergeTree(version) "
        "ORDER BY (project_id, toStartOfMinute(at), number, id)");
    run("SYSTEM STOP MERGES notes");
  }
  void run(SqlView sql) {
    const Result<void> done = database_->client().execute(sql);
    ASSERT_TRUE(done) << done.error().message();
  }
  /// Adds `count` notes with ids n0, n1, … of three minutes.
  void fill(std::int64_t count) {
    run("INSERT INTO notes SELECT 'p', toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + "
        "toIntervalMinute(number % 3), number % 2, concat('n', toString(number)), "
        "concat('\\t, ', toString(number)), 1, 0 FROM numbers(" +
        SqlText::number(count) + ")");
  }
  /// Returns the texts of all rows after a position, and remembers all positions.
  Texts read(const std::string& after = {}, const std::string& project = "p") {
    Texts texts;
    positions_.clear();
    RowReader reader(database_->client(), table_, kWindow);
    const Result<void> done = reader.read(
        project, after, [&](const std::vector<columnar::Row>& rows, const auto& position) {
          for (const columnar::Row& row : rows) texts.push_back(std::get<std::string>(row[1]));
          if (position) positions_.push_back(*position);
          return Result<void>();
        });
    EXPECT_TRUE(done) << done.error().message();
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  std::unique_ptr<DatabaseForTest> database_;
  RowTable table_ = notes();
  Texts positions_;
};

TEST_F(RowReaderTest, WindowsHaveAllRowsOfAProjectOnce) {
  run("INSERT INTO notes VALUES ('o', '2026-01-01 00:00:00', 1, 'n1', 'other', 1, 0)");
  for (const std::int64_t count : {0, 1, 3, 4, 10, 12}) {
    run("TRUNCATE TABLE notes");
    fill(count);
    Texts expected;
    for (std::int64_t i = 0; i < count; ++i) expected.push_back("\t, " + std::to_string(i));
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(read(), expected) << count;
    EXPECT_EQ(positions_.size(), static_cast<std::size_t>(count / kWindow) +
                                     static_cast<std::size_t>(count % kWindow != 0));
  }
}

TEST_F(RowReaderTest, AReadContinuesAfterEachPosition) {
  fill(11);
  const Texts all = read();
  const Texts positions = positions_;
  ASSERT_EQ(positions.size(), 4u);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::size_t left = i + 1 < positions.size() ? 11 - 3 * (i + 1) : 0;
    EXPECT_EQ(read(positions[i]).size(), left) << positions[i];
  }
  EXPECT_EQ(read("no position"), all) << "a damaged position is the beginning";
  EXPECT_EQ(read("1,2"), all);
}

TEST_F(RowReaderTest, TheGreatestVersionCounts) {
  run("INSERT INTO notes VALUES ('p', '2026-01-01 00:00:00', 1, 'a', 'old', 1, 0)");
  run("INSERT INTO notes VALUES ('p', '2026-01-01 00:00:30', 1, 'a', 'new', 2, 0), "
      "('p', '2026-01-01 00:00:00', 1, 'b', 'kept', 1, 0)");
  EXPECT_EQ(read(), (Texts{"kept", "new"}));
}

TEST_F(RowReaderTest, DeletedRowsAreLeftOut) {
  table_.exists = "r.is_deleted = 0";
  run("INSERT INTO notes VALUES ('p', '2026-01-01 00:00:00', 1, 'a', 'first', 1, 0), "
      "('p', '2026-01-01 00:00:00', 1, 'b', 'second', 1, 0)");
  run("INSERT INTO notes VALUES ('p', '2026-01-01 00:00:00', 1, 'a', '', 2, 1)");
  EXPECT_EQ(read(), Texts{"second"});
}

TEST_F(RowReaderTest, ScatteredRowsOfARecordCountOnce) {
  table_.scattered = "r.id";
  run("INSERT INTO notes VALUES ('p', '2026-01-01 00:09:00', 1, 'a', 'old', 1, 0), "
      "('p', '2026-01-01 00:02:00', 1, 'a', 'new', 7, 0), "
      "('p', '2026-01-01 00:05:00', 1, 'a', 'older', 0, 0), "
      "('p', '2026-01-01 00:01:00', 1, 'b', 'kept', 1, 0)");
  EXPECT_EQ(read(), (Texts{"kept", "new"}));
}

TEST_F(RowReaderTest, ATableWithoutProjectsIsOnePartition) {
  table_.partition = "all";
  table_.key = {{"r.id", ColumnType::kText}};
  run("INSERT INTO notes VALUES ('p', '2026-01-01 00:00:00', 1, 'a', 'one', 1, 0), "
      "('o', '2026-01-01 00:00:00', 1, 'b', 'two', 1, 0)");
  EXPECT_EQ(read({}, "all"), (Texts{"one", "two"}));
  EXPECT_EQ(read({}, "p"), Texts());
}

TEST_F(RowReaderTest, AnErrorOfTheReceiverEndsTheRead) {
  fill(10);
  RowReader reader(database_->client(), table_, kWindow);
  int batches = 0;
  const Result<void> done = reader.read("p", "", [&](auto&&...) -> Result<void> {
    ++batches;
    return Error(ErrorCode::kStorageFull, "full");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kStorageFull);
  EXPECT_EQ(batches, 1);
  EXPECT_EQ(*reader.count(), 10);
}

}  // namespace
}  // namespace spindle::clickhouse
