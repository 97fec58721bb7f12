#include "storage/copy/table_copy.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

constexpr SqlView kTables = R"sql(
  CREATE TABLE parents (id TEXT PRIMARY KEY, made BIGINT);
  CREATE TABLE children (
    number {serial_key},
    parent_id TEXT NOT NULL REFERENCES parents (id) ON DELETE CASCADE,
    note TEXT,
    amount DOUBLE PRECISION,
    count BIGINT);
  CREATE TABLE pairs (
    a TEXT NOT NULL,
    b BIGINT NOT NULL,
    c TEXT NOT NULL,
    PRIMARY KEY (a, b));
)sql";

/// A copy from one engine to another.
class TableCopyTest : public ::testing::TestWithParam<std::pair<Engine, Engine>> {
 protected:
  TableCopyTest() {
    for (DatabaseForTest* database : {&from_, &to_})
      (*database)->migrate({{"things", {{1, "tables", kTables}}}}, Timestamp());
  }

  void run(SqlView sql, const Params& params = {}) { runOn(*from_, sql, params); }
  static void runOn(Database& database, SqlView sql, const Params& params = {}) {
    const Result<std::int64_t> done =
        database.write([&](Session& session) { return session.execute(sql, params); });
    ASSERT_TRUE(done) << done.error().message();
  }

  Table table(std::string_view name) {
    const Result<std::vector<Table>> tables = readTables(*from_);
    EXPECT_TRUE(tables);
    for (const Table& table : *tables) {
      if (table.name == name) return table;
    }
    ADD_FAILURE() << name;
    return {};
  }

  void fillParents() {
    run("INSERT INTO parents (id, made) VALUES (?, ?), (?, ?), (?, ?)",
        {"a", std::numeric_limits<std::int64_t>::max(), "\xc3\xa9\xf0\x9f\x98\x80 \"quoted\" 'x'",
         std::numeric_limits<std::int64_t>::min(), "", nullptr_});
  }
  void fillPairs(int count) {
    for (int i = 0; i < count; ++i) {
      run("INSERT INTO pairs (a, b, c) VALUES (?, ?, ?)",
          {i % 3 == 0 ? "B" : "a", std::int64_t{i} - 7, std::string(100, 'x')});
    }
  }

  Result<void> copy(const Table& table) {
    return copyTable(*from_, *to_, table, limits_, [this](std::int64_t rows) { copied_ += rows; });
  }
  TableComparison compare(const Table& table) {
    Result<TableComparison> compared =
        compareTable(*from_, *to_, table, limits_, [](std::int64_t) {});
    EXPECT_TRUE(compared);
    return *std::move(compared);
  }
  void expectCopies(std::string_view name, std::int64_t rows) {
    const Table copied = table(name);
    const Result<void> done = copy(copied);
    ASSERT_TRUE(done) << done.error().message();
    const TableComparison compared = compare(copied);
    EXPECT_TRUE(compared.equal()) << compared.examples.front();
    EXPECT_EQ(compared.from_rows, rows);
    EXPECT_EQ(compared.to_rows, rows);
  }

  const std::nullopt_t nullptr_ = std::nullopt;
  DatabaseForTest from_{GetParam().first};
  DatabaseForTest to_{GetParam().second};
  PageLimits limits_;
  std::int64_t copied_ = 0;
};

TEST_P(TableCopyTest, KeepsAllValues) {
  fillParents();
  run("INSERT INTO children (parent_id, note, amount, count) VALUES (?, ?, ?, ?), (?, ?, ?, ?)",
      {"a", "line\n\ttab\\ \x7f", 0.1, 9007199254740993LL, "", nullptr_, nullptr_, nullptr_});
  run("INSERT INTO children (parent_id, note, amount, count) VALUES (?, ?, ?, ?), (?, ?, ?, ?)",
      {"a", "", -1.7976931348623157e308, 0, "a", "2.50", 4e-320, -1});
  expectCopies("parents", 3);
  expectCopies("children", 4);
}

TEST_P(TableCopyTest, PagesAreBoundedByRowsAndBytes) {
  fillPairs(200);
  limits_ = {.rows = 70, .bytes = 1000};
  expectCopies("pairs", 200);
  EXPECT_EQ(copied_, 200);
}

TEST_P(TableCopyTest, RowsLargerThanAPageAreCopied) {
  run("INSERT INTO pairs (a, b, c) VALUES ('a', 1, ?)", {std::string(5000, 'y')});
  run("INSERT INTO pairs (a, b, c) VALUES ('a', 2, ?)", {std::string(5000, 'z')});
  limits_ = {.rows = 10, .bytes = 100};
  expectCopies("pairs", 2);
}

TEST_P(TableCopyTest, ContinuesAfterTheRowsOfTheTarget) {
  fillPairs(150);
  const Table pairs = table("pairs");
  ASSERT_TRUE(copy(pairs));
  runOn(*to_, "DELETE FROM pairs WHERE a = 'a' AND b > 20");
  copied_ = 0;
  ASSERT_TRUE(copy(pairs));
  EXPECT_GT(copied_, 0);
  EXPECT_LT(copied_, 150);
  EXPECT_TRUE(compare(pairs).equal());
}

TEST_P(TableCopyTest, AutomaticNumbersContinue) {
  fillParents();
  run("INSERT INTO children (parent_id) VALUES ('a'), ('a'), ('a')");
  run("DELETE FROM children WHERE number = 3");
  const Table children = table("children");
  ASSERT_TRUE(copy(table("parents")));
  ASSERT_TRUE(copy(children));
  ASSERT_TRUE(copyNextNumber(*from_, *to_, children));
  ASSERT_TRUE(copyNextNumber(*from_, *to_, children));
  runOn(*to_, "INSERT INTO children (parent_id) VALUES ('a')");
  const Result<Rows> rows = to_->read([](Session& session) {
    return session.query("SELECT number FROM children ORDER BY number");
  });
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ(rows->back().integer(0), 4);
}

TEST_P(TableCopyTest, UnusedAutomaticNumbersStayUnused) {
  const Table children = table("children");
  ASSERT_TRUE(copyNextNumber(*from_, *to_, children));
  runOn(*to_, "INSERT INTO parents (id) VALUES ('p')");
  runOn(*to_, "INSERT INTO children (parent_id) VALUES ('p')");
  EXPECT_EQ(*countRows(*to_, children), 1);
}

TEST_P(TableCopyTest, DifferencesAreNamed) {
  fillParents();
  const Table parents = table("parents");
  ASSERT_TRUE(copy(parents));
  runOn(*to_, "DELETE FROM parents WHERE id = ''");
  runOn(*to_, "UPDATE parents SET made = 5 WHERE id = 'a'");
  runOn(*to_, "INSERT INTO parents (id) VALUES ('zz')");
  const TableComparison compared = compare(parents);
  EXPECT_EQ(compared.differing, 3);
  EXPECT_EQ(compared.examples,
            (std::vector<std::string>{"() is missing in the target", "(a) is different",
                                      "(zz) exists only in the target"}));
}

TEST_P(TableCopyTest, DigestsOfEqualTablesAreEqual) {
  fillParents();
  const Table parents = table("parents");
  const std::string before = compare(parents).digest;
  ASSERT_TRUE(copy(parents));
  const Result<TableComparison> back =
      compareTable(*to_, *from_, parents, limits_, [](std::int64_t) {});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->digest, before);
  runOn(*to_, "UPDATE parents SET made = 5 WHERE id = 'a'");
  EXPECT_NE(compareTable(*to_, *from_, parents, limits_, [](std::int64_t) {})->digest, before);
}

TEST_P(TableCopyTest, EmptiesTablesWithForeignKeys) {
  fillParents();
  run("INSERT INTO children (parent_id) VALUES ('a')");
  const Result<std::vector<Table>> tables = readTables(*from_);
  ASSERT_TRUE(tables);
  bool called = false;
  ASSERT_TRUE(emptyTables(*from_, *tables, [&](Session&) -> Result<void> {
    called = true;
    return {};
  }));
  EXPECT_TRUE(called);
  for (const Table& emptied : *tables) EXPECT_EQ(*countRows(*from_, emptied), 0) << emptied.name;
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         TableCopyTest,
                         ::testing::Values(std::pair(Engine::kSqlite, Engine::kPostgres),
                                           std::pair(Engine::kPostgres, Engine::kSqlite),
                                           std::pair(Engine::kSqlite, Engine::kSqlite)),
                         [](const auto& pair) {
                           return nameOfEngine(pair.param.first) + "To" +
                                  nameOfEngine(pair.param.second);
                         });

}  // namespace
}  // namespace spindle::storage
