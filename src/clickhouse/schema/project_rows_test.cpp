#include "clickhouse/schema/project_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

using Texts = std::vector<std::string>;

class ProjectRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    database_ = std::make_unique<DatabaseForTest>();
    run("CREATE TABLE notes (project_id String, id String) ENGINE = MergeTree ORDER BY id");
    run("CREATE TABLE texts (project_id String, id String) ENGINE = MergeTree ORDER BY id");
    run("CREATE TABLE totals (project_id String) ENGINE = MergeTree ORDER BY project_id");
    run("INSERT INTO notes VALUES ('a', '1'), ('b', '2'), ('b', '3')");
    run("INSERT INTO texts VALUES ('b', '1'), ('c', '2')");
    run("INSERT INTO totals VALUES ('b'), ('d')");
  }
  void run(SqlView sql) { ASSERT_TRUE(database_->client().execute(sql)); }
  Texts projects() {
    Result<Texts> found = projectsIn(database_->client(), areas_);
    EXPECT_TRUE(found);
    return found ? *found : Texts();
  }

  std::unique_ptr<DatabaseForTest> database_;
  std::int64_t totals() {
    Result<Cursor> rows = database_->client().query("SELECT toInt64(count()) FROM totals");
    return rows && *rows->next() ? rows->integer(0) : -1;
  }

  const std::vector<AreaSchema> areas_ = {{"one", {}, {"notes"}},
                                          {"two", {}, {"texts"}, {"totals"}}};
};

TEST_F(ProjectRowsTest, FindsProjectsOfAllTables) { EXPECT_EQ(projects(), (Texts{"a", "b", "c"})); }

TEST_F(ProjectRowsTest, RemovesTheRowsOfProjects) {
  ASSERT_TRUE(removeProjects(database_->client(), areas_, {"b", "unknown"}));
  EXPECT_EQ(projects(), (Texts{"a", "c"}));
  EXPECT_EQ(totals(), 2) << "the rows of this table belong to no project";
}

TEST_F(ProjectRowsTest, RemovesAllRows) {
  ASSERT_TRUE(removeAll(database_->client(), {}, areas_));
  EXPECT_EQ(projects(), Texts());
  EXPECT_EQ(totals(), 0);
}

}  // namespace
}  // namespace spindle::clickhouse
