#include "storage/database/migration.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "storage/folder/key_ring.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

class MigrationTest : public ::testing::TestWithParam<Engine> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kWarning, LogFormat::kText); }

  std::int64_t count(SqlView sql) {
    const Result<Rows> rows = database_->read([&](Session& session) { return session.query(sql); });
    return rows ? rows->front().integer(0) : -1;
  }

  static std::string messageOf(const std::function<void()>& work) {
    try {
      work();
    } catch (const std::runtime_error& problem) {
      return problem.what();
    }
    return "";
  }

  DatabaseForTest database_{GetParam()};
  const AreaSchema one_{"alpha", {{1, "first", "CREATE TABLE a (id {serial_key}, t TEXT);"}}};
  const AreaSchema two_{"alpha",
                        {{1, "first", "CREATE TABLE a (id {serial_key}, t TEXT);"},
                         {2, "second",
                          "ALTER TABLE a ADD COLUMN u BIGINT; INSERT INTO a (t, u) "
                          "VALUES ('x;y', 1);"}}};
  const AreaSchema beta_{"beta", {{1, "own", "CREATE TABLE b (id TEXT PRIMARY KEY);"}}};
};

TEST_P(MigrationTest, AppliesEachMigrationOnce) {
  database_->migrate({one_}, Timestamp{});
  database_->migrate({one_}, Timestamp{});
  database_->migrate({two_, beta_}, Timestamp{});
  database_->migrate({two_, beta_}, Timestamp{});
  EXPECT_EQ(count("SELECT count(*) FROM a WHERE t = 'x;y' AND u = 1"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM schema_migration"), 3);
}

TEST_P(MigrationTest, RejectsDataOfANewerProgram) {
  database_->migrate({two_}, Timestamp{});
  EXPECT_EQ(messageOf([&] { database_->migrate({one_}, Timestamp{}); }),
            "the data was written by a newer Spindle (alpha schema 2, this program knows 1): start "
            "that version or a later one");
  database_->migrate({two_, beta_}, Timestamp{});
  EXPECT_NE(messageOf([&] { database_->migrate({two_}, Timestamp{}); }), "");
}

TEST_P(MigrationTest, RejectsAChangedMigration) {
  database_->migrate({one_}, Timestamp{});
  const AreaSchema other{"alpha", {{1, "something else", "CREATE TABLE z (a BIGINT);"}}};
  EXPECT_NE(messageOf([&] { database_->migrate({other}, Timestamp{}); }), "");
}

TEST_P(MigrationTest, RollsBackAFailedMigration) {
  const AreaSchema broken{
      "alpha", {{1, "half", "CREATE TABLE half (a BIGINT); INSERT INTO nowhere VALUES (1);"}}};
  EXPECT_NE(
      messageOf([&] { database_->migrate({broken}, Timestamp{}); }).find("(alpha schema 1, half)"),
      std::string::npos);
  EXPECT_EQ(count("SELECT count(*) FROM schema_migration"), 0);
  const AreaSchema repaired{"alpha", {{1, "half", "CREATE TABLE half (a BIGINT);"}}};
  EXPECT_NO_THROW(database_->migrate({repaired}, Timestamp{}));
}

TEST_P(MigrationTest, RunsOnceWhenSeveralProcessesStart) {
  std::vector<std::unique_ptr<Database>> processes;
  processes.reserve(4);
  for (int i = 0; i < 4; ++i) processes.push_back(database_.openAgain());
  {
    std::vector<std::jthread> starts;
    starts.reserve(processes.size());
    for (const auto& process : processes) {
      starts.emplace_back([this, &process] { process->migrate({two_, beta_}, Timestamp{}); });
    }
  }
  EXPECT_EQ(count("SELECT count(*) FROM a"), 1);
}

TEST_P(MigrationTest, NumbersSerialKeysUpwards) {
  database_->migrate({one_}, Timestamp{});
  for (int i = 0; i < 3; ++i) {
    const Result<std::optional<Row>> row = database_->write([](Session& session) {
      return session.queryOne("INSERT INTO a (t) VALUES ('x') RETURNING id");
    });
    ASSERT_TRUE(row);
    EXPECT_EQ((*row)->integer("id"), i + 1);
  }
}

TEST_P(MigrationTest, BindsTheDataToItsSecretKey) {
  database_->migrate({storageSchema()}, Timestamp{});
  const KeyRing key(sha256("one"));
  EXPECT_NO_THROW(key.confirm(*database_));
  EXPECT_NO_THROW(key.confirm(*database_));
  EXPECT_THROW(KeyRing(sha256("two")).confirm(*database_), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         MigrationTest,
                         ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& engine) { return nameOfEngine(engine.param); });

}  // namespace
}  // namespace spindle::storage
