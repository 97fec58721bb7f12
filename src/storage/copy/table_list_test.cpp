#include "storage/copy/table_list.h"

#include <gtest/gtest.h>

#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

class TableListTest : public ::testing::TestWithParam<Engine> {
 protected:
  Result<std::vector<Table>> tablesOf(SqlView sql) {
    database_->migrate({{"things", {{1, "tables", sql}}}}, Timestamp());
    Result<std::vector<Table>> tables = readTables(*database_);
    if (tables) {
      std::erase_if(*tables, [](const Table& table) { return table.name == "schema_migration"; });
    }
    return tables;
  }

  DatabaseForTest database_{GetParam()};
};

TEST_P(TableListTest, DescribesColumnsAndKeys) {
  const Result<std::vector<Table>> tables = tablesOf(
      "CREATE TABLE t (z TEXT NOT NULL, n BIGINT NOT NULL, r DOUBLE PRECISION, "
      "PRIMARY KEY (z, n));"
      "CREATE TABLE s (id {serial_key}, u TEXT UNIQUE);"
      "CREATE INDEX i ON s (u) WHERE u IS NOT NULL;"
      "CREATE VIEW published_t AS SELECT z FROM t;");
  ASSERT_TRUE(tables) << tables.error().message();
  ASSERT_EQ(tables->size(), 2u);
  const Table& s = tables->front();
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.columns,
            (std::vector<TableColumn>{{"id", ColumnKind::kInteger}, {"u", ColumnKind::kText}}));
  EXPECT_EQ(s.key, std::vector<std::string>{"id"});
  EXPECT_EQ(s.serial_key, "id");
  const Table& t = tables->back();
  EXPECT_EQ(t.columns,
            (std::vector<TableColumn>{
                {"n", ColumnKind::kInteger}, {"r", ColumnKind::kReal}, {"z", ColumnKind::kText}}));
  EXPECT_EQ(t.key, (std::vector<std::string>{"z", "n"}));
  EXPECT_EQ(t.serial_key, "");
}

TEST_P(TableListTest, ParentsComeFirst) {
  const Result<std::vector<Table>> tables = tablesOf(
      "CREATE TABLE c (id BIGINT PRIMARY KEY);"
      "CREATE TABLE b (id BIGINT PRIMARY KEY REFERENCES c (id));"
      "CREATE TABLE a (id BIGINT PRIMARY KEY REFERENCES b (id), c_id BIGINT REFERENCES c (id));");
  ASSERT_TRUE(tables);
  std::vector<std::string> names;
  for (const Table& table : *tables) names.push_back(table.name);
  EXPECT_EQ(names, (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_EQ(tables->back().parents, (std::vector<std::string>{"b", "c"}));
}

TEST_P(TableListTest, TablesThatCannotBeCopiedAreRefused) {
  const Result<std::vector<Table>> keyless = tablesOf("CREATE TABLE t (a TEXT);");
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().message(), "The table t cannot be copied: it has no primary key.");
}

TEST_P(TableListTest, UnknownTypesAreRefused) {
  const Result<std::vector<Table>> unknown =
      tablesOf("CREATE TABLE t (id TEXT PRIMARY KEY, made DATE);");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message(),
            "The table t cannot be copied: the type of a column is unknown.");
}

TEST_P(TableListTest, CirclesAreRefused) {
  const Result<std::vector<Table>> circle =
      tablesOf("CREATE TABLE t (id TEXT PRIMARY KEY, other TEXT REFERENCES t (id));");
  ASSERT_FALSE(circle);
  EXPECT_EQ(circle.error().message(),
            "The table t cannot be copied: its foreign keys form a circle.");
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         TableListTest,
                         ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& engine) { return nameOfEngine(engine.param); });

}  // namespace
}  // namespace spindle::storage
