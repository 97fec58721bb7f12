#include <gtest/gtest.h>

#include "app/metadata/metadata_database.h"
#include "storage/copy/table_list.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::app {
namespace {

using storage::DatabaseForTest, storage::Engine, storage::Table;

std::vector<Table> tablesOn(Engine engine) {
  DatabaseForTest database(engine);
  database->migrate(metadataSchemas(), Timestamp());
  Result<std::vector<Table>> tables = storage::readTables(*database);
  EXPECT_TRUE(tables) << tables.error().message();
  return tables ? *std::move(tables) : std::vector<Table>();
}

TEST(TableCoverage, EveryTableCanBeMovedBetweenTheEngines) {
  const std::vector<Table> tables = tablesOn(Engine::kSqlite);
  EXPECT_GT(tables.size(), 70u);
  EXPECT_EQ(tables, tablesOn(Engine::kPostgres));
}

}  // namespace
}  // namespace spindle::app
