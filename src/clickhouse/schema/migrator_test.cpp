#include "clickhouse/schema/migrator.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

class MigratorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }
  void SetUp() override {
    if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    database_ = std::make_unique<DatabaseForTest>();
  }
  Client& client() { return database_->client(); }

  static std::vector<AreaSchema> schema(std::size_t steps) {
    std::vector<Migration> all = {
        {1,
         "notes",
         {SqlText("CREATE TABLE IF NOT EXISTS notes (id String) ENGINE = MergeTree "
                  "ORDER BY id")}},
        {2, "texts", {SqlText("ALTER TABLE notes ADD COLUMN IF NOT EXISTS text String")}},
    };
    all.resize(steps);
    return {{"notes", std::move(all)}};
  }
  Result<void> apply(const std::vector<AreaSchema>& areas) {
    return migrate(client(), TableOptions(), areas, SystemClock().now());
  }
  std::int64_t recorded() {
    Result<Cursor> row = client().query("SELECT toInt64(count()) FROM spindle_migrations FINAL");
    return row && *row->next() ? row->integer(0) : -1;
  }

  std::unique_ptr<DatabaseForTest> database_;
};

TEST_F(MigratorTest, AppliesTheMissingStepsOnce) {
  ASSERT_TRUE(apply(schema(1)));
  EXPECT_EQ(recorded(), 1);
  ASSERT_TRUE(apply(schema(2)));
  ASSERT_TRUE(apply(schema(2)));
  EXPECT_EQ(recorded(), 2);
  EXPECT_TRUE(client().query("SELECT id, text FROM notes"));
}

TEST_F(MigratorTest, RefusesTheTablesOfANewerProgram) {
  ASSERT_TRUE(apply(schema(2)));
  const Result<void> refused = apply(schema(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kPreconditionFailed);
  EXPECT_NE(refused.error().message().find("newer version"), std::string::npos);
  EXPECT_FALSE(apply({}));
}

TEST_F(MigratorTest, RefusesAStepThatDiffers) {
  ASSERT_TRUE(apply(schema(1)));
  std::vector<AreaSchema> other = schema(1);
  other[0].migrations[0].statements.push_back(SqlText("SELECT 1"));
  const Result<void> refused = apply(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kPreconditionFailed);
}

TEST_F(MigratorTest, AStepThatFailedIsRepeated) {
  std::vector<AreaSchema> broken = schema(2);
  broken[0].migrations[1].statements.push_back(SqlText("ALTER TABLE missing DROP COLUMN x"));
  ASSERT_FALSE(apply(broken));
  EXPECT_EQ(recorded(), 1);
  ASSERT_TRUE(apply(schema(2)));
  EXPECT_EQ(recorded(), 2);
}

TEST_F(MigratorTest, TablesBelongToTheDeploymentThatClaimsThemFirst) {
  ASSERT_TRUE(apply(schema(2)));
  ASSERT_TRUE(claimTables(client(), "first", SystemClock().now()));
  ASSERT_TRUE(claimTables(client(), "first", SystemClock().now()));
  const Result<void> refused = claimTables(client(), "second", SystemClock().now());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kPreconditionFailed);
  EXPECT_NE(refused.error().message().find("secret key"), std::string::npos);
  EXPECT_TRUE(apply(schema(2)));  // the record is no step of an area
  EXPECT_TRUE(claimTables(client(), "first", SystemClock().now()));
}

TEST_F(MigratorTest, NodesThatStartTogetherAgree) {
  std::vector<Result<void>> results(4);
  std::vector<std::thread> nodes;
  for (Result<void>& result : results) {
    nodes.emplace_back([this, &result] {
      Client node(database_->options());
      result = migrate(node, TableOptions(), schema(2), SystemClock().now());
    });
  }
  for (std::thread& node : nodes) node.join();
  for (const Result<void>& result : results) EXPECT_TRUE(result) << result.error().message();
  EXPECT_EQ(recorded(), 2);
}

}  // namespace
}  // namespace spindle::clickhouse
