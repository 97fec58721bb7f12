#include "storage/database/sqlite_snapshot.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "storage/database/database.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

AreaSchema numbersSchema() {
  return {
      "numbers",
      {{1, "numbers", "CREATE TABLE numbers (number BIGINT PRIMARY KEY, text TEXT NOT NULL);"}}};
}

class SqliteSnapshotTest : public ::testing::Test {
 protected:
  SqliteSnapshotTest() {
    DatabaseOptions options;
    options.path = path_;
    database_ = Database::open(options, metrics_);
    database_->migrate({numbersSchema()}, Timestamp());
  }

  void insert(std::int64_t from, std::int64_t to) {
    const Result<void> done = database_->write([&](Session& session) -> Result<void> {
      for (std::int64_t i = from; i < to; ++i) {
        TRY(session.execute("INSERT INTO numbers (number, text) VALUES (?, ?)",
                            {i, std::string(200, 'x')}));
      }
      return {};
    });
    ASSERT_TRUE(done) << done.error().message();
  }

  static std::int64_t countIn(const std::string& path) {
    std::int64_t count = -1;
    SqliteFile(path, true)
        .each("SELECT count(*) FROM numbers",
              [&](const std::vector<std::string>& row) { count = std::stoll(row.front()); });
    return count;
  }

  FolderForTest folder_;
  std::string path_ = folder_.path() + "/metadata.sqlite";
  std::string copy_ = folder_.path() + "/copy.sqlite";
  MetricRegistry metrics_;
  std::unique_ptr<Database> database_;
};

TEST_F(SqliteSnapshotTest, CopyContainsTheDataOfTheMoment) {
  insert(0, 100);
  SqliteSnapshot snapshot(path_, [] {});
  insert(100, 5000);
  snapshot.copyTo(copy_);
  EXPECT_EQ(countIn(copy_), 100);
  EXPECT_EQ(SqliteFile(copy_, true).check(), std::vector<std::string>());
}

TEST_F(SqliteSnapshotTest, ReadsAFileWhoseFirstTransactionWasInterrupted) {
  const std::string live = folder_.path() + "/live.sqlite";
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(live.c_str(), &writer), SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closed(writer, sqlite3_close);
  // The small cache writes pages to the file before the commit.
  ASSERT_EQ(
      sqlite3_exec(writer,
                   "CREATE TABLE numbers (number, text); INSERT INTO numbers VALUES (1, '');"
                   "PRAGMA cache_size = 1; BEGIN;"
                   "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 500) "
                   "INSERT INTO numbers SELECT i, hex(randomblob(400)) FROM n;",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  for (const std::string suffix : {"", "-journal"}) {
    std::filesystem::copy_file(live + suffix, copy_ + suffix);
  }
  EXPECT_NE(SqliteFile(copy_, false).quickCheck(), std::vector<std::string>());
  rollBackInterrupted(copy_);
  EXPECT_EQ(SqliteFile(copy_, false).quickCheck(), std::vector<std::string>());
  EXPECT_EQ(countIn(copy_), 1);
  rollBackInterrupted(copy_);
}

TEST_F(SqliteSnapshotTest, NoTransactionCommitsDuringTheMoment) {
  insert(0, 10);
  std::thread writer;
  SqliteSnapshot snapshot(path_, [&] { writer = std::thread([this] { insert(10, 20); }); });
  writer.join();
  snapshot.copyTo(copy_);
  EXPECT_EQ(countIn(copy_), 10);
}

TEST_F(SqliteSnapshotTest, LeavesTheDatabaseInUse) {
  insert(0, 10);
  {
    SqliteSnapshot snapshot(path_, [] {});
    snapshot.copyTo(copy_);
  }
  insert(10, 20);
  SqliteSnapshot again(path_, [] {});
  again.copyTo(copy_ + "2");
  EXPECT_EQ(countIn(copy_ + "2"), 20);
}

TEST_F(SqliteSnapshotTest, RejectsAMissingFile) {
  EXPECT_THROW(SqliteSnapshot(path_ + "x", [] {}), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(path_ + "x"));
}

TEST_F(SqliteSnapshotTest, CheckFindsDamage) {
  insert(0, 2000);
  SqliteSnapshot(path_, [] {}).copyTo(copy_);
  std::fstream file(copy_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(5L * 4096);
  file << std::string(4096, '\x7f');
  file.close();
  EXPECT_FALSE(SqliteFile(copy_, true).check().empty());
  EXPECT_FALSE(SqliteFile(copy_, true).quickCheck().empty());
}

TEST_F(SqliteSnapshotTest, FindsTables) {
  SqliteSnapshot(path_, [] {}).copyTo(copy_);
  SqliteFile file(copy_, true);
  EXPECT_TRUE(file.hasTable("numbers"));
  EXPECT_FALSE(file.hasTable("letters"));
  EXPECT_TRUE(file.hasColumn("numbers", "number"));
  EXPECT_FALSE(file.hasColumn("numbers", "letter"));
  EXPECT_FALSE(file.hasColumn("letters", "number"));
}

}  // namespace
}  // namespace spindle::storage
