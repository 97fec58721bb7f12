#include "clickhouse/schema/server_check.h"

#include <gtest/gtest.h>

#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

TEST(ServerCheckTest, WritesReadsAndDropsATable) {
  if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
  DatabaseForTest database;
  const Result<ServerVersion> version = checkServer(database.client(), {});
  ASSERT_TRUE(version) << version.error().message();
  EXPECT_GE(*version, kOldestServer);
  Result<Cursor> tables = database.client().query(
      "SELECT toInt64(count()) FROM system.tables WHERE database = currentDatabase()");
  ASSERT_TRUE(tables && *tables->next());
  EXPECT_EQ(tables->integer(0), 0);
}

TEST(ServerCheckTest, RefusesAnInvalidClusterBeforeItConnects) {
  ClientOptions options;
  options.url = "http://127.0.0.1:9";
  Client client(options);
  const Result<ServerVersion> version = checkServer(client, {.cluster = "a b"});
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace spindle::clickhouse
