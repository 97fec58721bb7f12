#include "columnar/store/snapshot.h"

#include <string>
#include <vector>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

using SnapshotTest = NotesTest;

TEST_F(SnapshotTest, IgnoresLaterWritesFlushesAndRemovals) {
  putEach("1", {note("a", 1, "stored"), note("b", 2, "stored")});
  flush();
  putEach("1", {note("c", 3, "recent"), note("a", 1, "changed")});
  Snapshot before = snapshot();
  const Notes then = {{"a", "changed"}, {"b", "stored"}, {"c", "recent"}};
  EXPECT_EQ(readNotes(before, "1"), then);
  putEach("1", {note("c", 3, "changed later"), note("b", 3, "changed later")});
  EXPECT_EQ(readNotes(before, "1"), then);
  flush();
  EXPECT_EQ(readNotes(before, "1"), then);
  erase("1", "a");
  put("1", note("d", 3, "new"));
  flush();
  EXPECT_EQ(*store_->removeBefore(kNotes, "1", "made", secondsAt(100)), 3);
  EXPECT_EQ(readNotes(before, "1"), then);
  EXPECT_EQ(read("1"), Notes());
}

/// Returns the texts of the rows of a key in the tables that can contain it.
std::vector<std::string> textsOf(Snapshot& snapshot, const std::string& key, std::size_t& tables) {
  const std::vector<Source> sources = snapshot.sourcesOf(kNotes, "1", key);
  tables = sources.size();
  std::vector<std::string> texts;
  for (const Source& source : sources) {
    const Result<void> read =
        forEachRow(snapshot.query("SELECT c.text FROM " + source.table + " AS c WHERE " +
                                      source.condition + " AND c.id = ?",
                                  {key}),
                   [&texts](const Cursor& row) { texts.emplace_back(row.text(0)); });
    EXPECT_TRUE(read) << read.error().message();
  }
  return texts;
}

TEST_F(SnapshotTest, SearchesOnlyTablesThatCanContainAKey) {
  using Texts = std::vector<std::string>;
  putEach("1", {note("b", 1, "stored"), note("d", 2, "stored")});
  flush();
  putEach("1", {note("f", 3, "recent"), note("h", 3, "recent")});
  Snapshot before = snapshot();
  std::size_t tables = 0;
  EXPECT_EQ(textsOf(before, "b", tables), Texts{"stored"});
  EXPECT_EQ(tables, 1U);
  EXPECT_EQ(textsOf(before, "f", tables), Texts{"recent"});
  EXPECT_EQ(tables, 1U);
  EXPECT_EQ(textsOf(before, "g", tables), Texts());
  EXPECT_EQ(textsOf(before, "z", tables), Texts());
  put("1", note("b", 1, "changed"));
  Snapshot after = snapshot();
  EXPECT_EQ(textsOf(after, "b", tables), Texts{"changed"});
  EXPECT_EQ(textsOf(after, "d", tables), Texts{"stored"});
  EXPECT_EQ(textsOf(before, "b", tables), Texts{"stored"});
  flush();
  EXPECT_EQ(textsOf(before, "b", tables), Texts{"stored"});
  EXPECT_EQ(textsOf(before, "h", tables), Texts{"recent"});
  EXPECT_EQ(textsOf(after, "b", tables), Texts{"changed"});
}

TEST_F(SnapshotTest, VisitsAndCollectsRows) {
  Snapshot now = snapshot();
  const Result<std::vector<std::int64_t>> numbers = collectRows(
      now.query("SELECT * FROM range(3)"), [](const Cursor& row) { return row.integer(0); });
  ASSERT_TRUE(numbers) << numbers.error().message();
  EXPECT_EQ(*numbers, (std::vector<std::int64_t>{0, 1, 2}));

  std::int64_t visited = 0;
  const Result<void> stopped =
      forEachRow(now.query("SELECT * FROM range(10)"), [&visited](const Cursor& row) {
        ++visited;
        return row.integer(0) < 4 ? Result<void>() : Error::invalidArgument("too many");
      });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message(), "too many");
  EXPECT_EQ(visited, 5);

  visited = 0;
  const auto two = [&visited](const Cursor&) -> Result<bool> { return ++visited < 2; };
  EXPECT_TRUE(forEachRow(now.query("SELECT * FROM range(10)"), two));
  EXPECT_EQ(visited, 2);

  const Result<void> refused = forEachRow(now.query("SELECT"), [](const Cursor&) {});
  EXPECT_FALSE(refused);
}

TEST_F(SnapshotTest, BindsParametersOfAllTypes) {
  put("1", note("a", 1, "it's"));
  put("1", note("b", 2, "?"));
  Snapshot now = snapshot();
  const SqlText from = "SELECT count(*) FROM " + now.from(kNotes, "1") + " AS n WHERE ";
  EXPECT_EQ(numberOf(now, from + "text = ?", {std::string("it's")}), 1);
  EXPECT_EQ(numberOf(now, from + "made >= ?", {secondsAt(2)}), 1);
  EXPECT_EQ(numberOf(now, from + "size = ? AND good = ?", {std::int64_t{2}, true}), 1);
  EXPECT_EQ(numberOf(now, from + "score < ?", {0.75}), 1);
  EXPECT_EQ(numberOf(now, from + "text IS NOT DISTINCT FROM ?", {Value()}), 0);
  EXPECT_EQ(
      numberOf(now, from + "id IN (SELECT unnest(?))", {std::vector<std::string>{"a", "b", "c"}}),
      2);
  EXPECT_EQ(numberOf(now, from + "list_contains(?::VARCHAR[], id)", {std::vector<std::string>{}}),
            0);
  const Result<Cursor> few = now.query(from + "text = ?");
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code(), ErrorCode::kInternal);
}

TEST_F(SnapshotTest, ReadsNumbersOfAllSizes) {
  Snapshot now = snapshot();
  Result<Cursor> row = now.query(
      "SELECT 1::TINYINT, -2::SMALLINT, 3::INTEGER, 4::UBIGINT, sum(5::BIGINT), "
      "1.25::DECIMAL(9,2), "
      "2.5::FLOAT, 7::UTINYINT, 123456789012345678.5::DECIMAL(30,1), '{\"a\":1}'::JSON");
  ASSERT_TRUE(row) << row.error().message();
  ASSERT_TRUE(*row->next());
  EXPECT_EQ(row->integer(0), 1);
  EXPECT_EQ(row->integer(1), -2);
  EXPECT_EQ(row->integer(2), 3);
  EXPECT_EQ(row->integer(3), 4);
  EXPECT_EQ(row->integer(4), 5);
  EXPECT_EQ(row->real(4), 5);
  EXPECT_EQ(row->real(5), 1.25);
  EXPECT_EQ(row->real(6), 2.5);
  EXPECT_EQ(row->real(7), 7);
  EXPECT_EQ(row->real(8), 123456789012345678.5);
  EXPECT_EQ(row->text(9), "{\"a\":1}");
}

/// A store with the given options, and a snapshot of it.
struct OpenedStore {
  explicit OpenedStore(const StoreOptions& options)
      : store(noteFamilies(), options), now(store->snapshot()) {}
  StoreForTest store;
  Result<Snapshot> now;
};

/// Returns the options of a store that has less memory than its queries need.
StoreOptions limitedMemory() {
  StoreOptions options;
  options.memory_bytes = 64UL << 20;
  return options;
}

/// Counts the rows of a result, and calls a function for each.
template <class Function>
std::int64_t countRows(Result<Cursor>& rows, const Function& each) {
  EXPECT_TRUE(rows) << rows.error().message();
  std::int64_t count = 0;
  while (rows) {
    const Result<bool> more = rows->next();
    EXPECT_TRUE(more) << more.error().message();
    if (!more || !*more) break;
    each();
    if (::testing::Test::HasFatalFailure()) break;
    ++count;
  }
  return count;
}

TEST_F(SnapshotTest, InterruptsASlowStatement) {
  StoreOptions options;
  options.query_time = std::chrono::milliseconds(50);
  OpenedStore opened(options);
  ASSERT_TRUE(opened.now);
  Result<Cursor> endless = opened.now->query(
      "SELECT max(a.range * b.range) FROM range(10000000) a, range(10000000) b "
      "WHERE a.range % 7 = b.range % 5");
  Result<bool> end = endless ? endless->next() : Result<bool>(endless.error());
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), ErrorCode::kTimeout);
  opened.now = opened.store->snapshot();
  EXPECT_EQ(numberOf(*opened.now, "SELECT 1"), 1);
}

TEST_F(SnapshotTest, ReportsAQueryThatDoesNotFitInMemory) {
  OpenedStore opened(limitedMemory());
  ASSERT_TRUE(opened.now);
  Result<Cursor> large =
      opened.now->query("SELECT len(list(md5(range::VARCHAR))) FROM range(5000000)");
  Result<bool> end = large ? large->next() : Result<bool>(large.error());
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(end.error().message().find("memory"), std::string::npos);
  EXPECT_TRUE(putRows(*opened.store, "1", {note("a", 1, "a")}));
  EXPECT_EQ(readNotes(*opened.store, "1").size(), 1U);
}

TEST_F(SnapshotTest, StopsAStatementWithItsCursor) {
  Snapshot now = snapshot();
  for (int i = 0; i < 20; ++i) {
    Result<Cursor> endless = now.query("SELECT md5(range::VARCHAR) FROM range(1000000000)");
    ASSERT_TRUE(endless) << endless.error().message();
    ASSERT_TRUE(*endless->next());
  }
  EXPECT_EQ(numberOf(now, "SELECT 7"), 7);
}

TEST_F(SnapshotTest, AccessesNoFilesAndChangesNoSettings) {
  Snapshot now = snapshot();
  EXPECT_FALSE(now.query("SELECT * FROM read_csv('/etc/passwd')"));
  EXPECT_FALSE(now.query("SET threads = 1"));
  EXPECT_FALSE(now.query("ATTACH '/tmp/other.duckdb'"));
  EXPECT_FALSE(now.query("INSTALL httpfs"));
}

TEST_F(SnapshotTest, ReusesAReleasedConnection) {
  StoreOptions options;
  options.readers = 1;
  StoreForTest store(noteFamilies(), options);
  for (int i = 0; i < 3; ++i) {
    Result<Snapshot> one = store->snapshot();
    ASSERT_TRUE(one);
    EXPECT_EQ(numberOf(*one, "SELECT 1"), 1);
  }
}

TEST_F(SnapshotTest, EstimatesNewestAndOldestRows) {
  for (int part = 0; part < 4; ++part) {
    std::vector<Row> rows;
    for (int i = 0; i < 250; ++i) {
      const int second = 250 * part + i;
      rows.push_back(note("n" + std::to_string(second), second, "x"));
    }
    ASSERT_TRUE(putRows(*store_, "1", std::move(rows)));
    if (part < 3) flush();
  }
  const auto check = [this] {
    Snapshot now = snapshot();
    const SqlText from = "SELECT count(*) FROM " + now.from(kNotes, "1") + " AS n WHERE made ";
    for (const std::size_t rows : {1U, 10U, 300U, 999U}) {
      const std::optional<Timestamp> newest = now.newestWindow(kNotes, "1", rows);
      const std::optional<Timestamp> oldest = now.oldestWindow(kNotes, "1", rows);
      ASSERT_TRUE(newest && oldest) << rows;
      EXPECT_NEAR(numberOf(now, from + ">= ?", {*newest}), rows, 10);
      EXPECT_NEAR(numberOf(now, from + "<= ?", {*oldest}), rows, 10);
    }
    EXPECT_FALSE(now.newestWindow(kNotes, "1", 1001));
    EXPECT_FALSE(now.oldestWindow(kNotes, "1", 1001));
    EXPECT_FALSE(now.newestWindow(kNotes, "2", 1));
    EXPECT_FALSE(now.newestWindow(kMarks, "1", 1));
  };
  check();
  store_.reopen();
  check();
}

TEST_F(SnapshotTest, SortsWithSpillToDisk) {
  StoreOptions options = limitedMemory();
  options.threads = 1;
  OpenedStore opened(options);
  ASSERT_TRUE(opened.now);
  Result<Cursor> rows = opened.now->query(
      "SELECT range, repeat(md5(range::VARCHAR), 20) AS text FROM range(150000) ORDER BY text");
  std::string last;
  const std::int64_t count = countRows(rows, [&] {
    ASSERT_LE(last, rows->text(1));
    last = rows->text(1);
  });
  EXPECT_EQ(count, 150'000);
}

TEST_F(SnapshotTest, StreamsAResultLargerThanMemory) {
  OpenedStore opened(limitedMemory());
  ASSERT_TRUE(opened.now);
  Result<Cursor> rows = opened.now->query("SELECT repeat('x', 1000) FROM range(200000)");
  const std::int64_t count = countRows(rows, [&rows] { EXPECT_EQ(rows->text(0).size(), 1000U); });
  EXPECT_EQ(count, 200'000);
}

}  // namespace
}  // namespace spindle::columnar
