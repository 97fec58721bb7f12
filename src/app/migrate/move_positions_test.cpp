#include "app/migrate/move_positions.h"

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"

namespace spindle::app {
namespace {

class MovePositionsTest : public ::testing::Test {
 protected:
  MovePositions open(const std::string& move) { return {data_, move}; }

  FolderForTest folder_;
  const storage::DataFolder data_{folder_.path() + "/work"};
};

TEST_F(MovePositionsTest, SurviveARestart) {
  EXPECT_FALSE(open("a -> b").exist());
  {
    MovePositions positions = open("a -> b");
    positions.reset();
    EXPECT_EQ(positions.of("calls", "p"), "");
  }
  MovePositions positions = open("a -> b");
  EXPECT_TRUE(positions.exist());
  positions.set("calls", "p", "17", 40);
  positions.set("spans", "p", "b2s=,2", 2);
  EXPECT_EQ(positions.of("calls", "p"), "17");
  EXPECT_EQ(positions.of("spans", "q"), "");
  EXPECT_EQ(positions.rowsOf("calls", "p"), 40);
  EXPECT_EQ(positions.rowsOf("spans", "q"), 0);
  EXPECT_EQ(positions.rows(), 42);
  EXPECT_EQ(open("a -> b").of("calls", "p"), "17");
}

TEST_F(MovePositionsTest, OfAnotherMoveAreIgnored) {
  open("a -> b").reset();
  EXPECT_FALSE(open("a -> c").exist());
}

TEST_F(MovePositionsTest, ADamagedFileHasFewerPositions) {
  data_.replace("positions", "a -> b\ncalls\n\tp\t\nspans\tp\t3\ncalls\tp\t3\t4\n");
  MovePositions positions = open("a -> b");
  EXPECT_TRUE(positions.exist());
  EXPECT_EQ(positions.of("calls", "p"), "3");
  EXPECT_EQ(positions.rows(), 4);
}

}  // namespace
}  // namespace spindle::app
