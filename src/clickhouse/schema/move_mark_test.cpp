#include "clickhouse/schema/move_mark.h"

#include <gtest/gtest.h>

#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

using Move = std::optional<std::string>;

class MoveMarkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    database_ = std::make_unique<DatabaseForTest>();
  }
  Move move() {
    const Result<Move> found = unfinishedMove(database_->client());
    EXPECT_TRUE(found) << found.error().message();
    return found ? *found : Move();
  }

  std::unique_ptr<DatabaseForTest> database_;
};

TEST_F(MoveMarkTest, ADatabaseIsMarkedUntilTheMoveIsComplete) {
  EXPECT_EQ(move(), Move());
  ASSERT_TRUE(markMove(database_->client(), {}, "a -> b"));
  EXPECT_EQ(move(), Move("a -> b"));
  ASSERT_TRUE(markMove(database_->client(), {}, "a -> b"));
  EXPECT_EQ(move(), Move("a -> b"));
  ASSERT_TRUE(unmarkMove(database_->client(), {}));
  EXPECT_EQ(move(), Move());
  ASSERT_TRUE(unmarkMove(database_->client(), {})) << "the mark is gone already";
}

}  // namespace
}  // namespace spindle::clickhouse
