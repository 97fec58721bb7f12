#include "storage/copy/move_record.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "storage/folder/key_ring.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

class MoveRecordTest : public ::testing::TestWithParam<Engine> {
 protected:
  void migrate(const std::vector<AreaSchema>& areas) { database_->migrate(areas, Timestamp()); }
  std::string schemaProblem(const std::vector<AreaSchema>& areas) {
    try {
      requireCurrentSchema(*database_, areas, "the source");
    } catch (const std::runtime_error& problem) {
      return problem.what();
    }
    return "";
  }

  DatabaseForTest database_{GetParam()};
  const AreaSchema things_{"things", {{1, "t", "CREATE TABLE t (id TEXT PRIMARY KEY);"}}};
};

TEST_P(MoveRecordTest, UnusedMeansOnlyTheTablesOfStorage) {
  EXPECT_TRUE(*isUnused(*database_));
  migrate({storageSchema()});
  EXPECT_TRUE(*isUnused(*database_));
  migrate({storageSchema(), things_});
  EXPECT_FALSE(*isUnused(*database_));
}

TEST_P(MoveRecordTest, ServersWaitForTheEndOfAMove) {
  migrate({storageSchema()});
  EXPECT_FALSE(*readMove(*database_));
  EXPECT_NO_THROW(requireNoUnfinishedMove(*database_));
  ASSERT_TRUE(beginMove(*database_, "the folder /data", Timestamp()));
  ASSERT_TRUE(beginMove(*database_, "another", Timestamp()));
  EXPECT_EQ((*readMove(*database_))->source, "the folder /data");
  EXPECT_FALSE((*readMove(*database_))->prepared);
  EXPECT_THROW(requireNoUnfinishedMove(*database_), std::runtime_error);
  ASSERT_TRUE(database_->write([](Session& session) { return markPrepared(session); }));
  EXPECT_TRUE((*readMove(*database_))->prepared);
  ASSERT_TRUE(finishMove(*database_, Timestamp()));
  EXPECT_TRUE((*readMove(*database_))->finished_at);
  EXPECT_NO_THROW(requireNoUnfinishedMove(*database_));
}

TEST_P(MoveRecordTest, SchemaOfAnotherVersionIsRefused) {
  EXPECT_EQ(schemaProblem({storageSchema()}), "the source contains no data of Spindle");
  migrate({storageSchema()});
  EXPECT_EQ(schemaProblem({storageSchema()}), "");
  EXPECT_NE(schemaProblem({storageSchema(), things_}).find("older version"), std::string::npos);
  migrate({storageSchema(), things_});
  EXPECT_EQ(schemaProblem({storageSchema(), things_}), "");
  EXPECT_NE(schemaProblem({storageSchema()}).find("newer version"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         MoveRecordTest,
                         ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& engine) { return nameOfEngine(engine.param); });

}  // namespace
}  // namespace spindle::storage
