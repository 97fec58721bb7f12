#include "app/migrate/trace_move.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "app/migrate/columnar_trace_rows.h"
#include "app/migrate/silent_move_for_test.h"
#include "base/core/folder_for_test.h"
#include "columnar/store/store.h"

namespace spindle::app {
namespace {

using columnar::ColumnType, columnar::Row, columnar::Value;

std::vector<columnar::Family> families() {
  const std::vector<columnar::Column> columns = {
      {"id", ColumnType::kText},   {"made", ColumnType::kTime},    {"count", ColumnType::kInteger},
      {"size", ColumnType::kReal}, {"open", ColumnType::kBoolean}, {"tags", ColumnType::kTexts}};
  return {{.name = "notes", .columns = columns, .key = 0, .order = 1},
          {.name = "marks", .columns = columns, .key = 0, .order = 1}};
}

class TraceMoveTest : public ::testing::Test {
 protected:
  std::unique_ptr<ColumnarTraceRows> open(const std::string& name) {
    columnar::StoreOptions options;
    options.folder = folder_.path() + "/" + name;
    options.recent_rows = 100;
    return std::make_unique<ColumnarTraceRows>(columnar::Store::open(options, families(), metrics_),
                                               families());
  }

  static Row note(int i) {
    return {"note" + std::to_string(10'000 + i),
            Timestamp(std::chrono::microseconds(1'700'000'000'000'000 + i)),
            i % 3 == 0 ? Value() : Value(std::int64_t{i}),
            0.1 * i,
            i % 2 == 0,
            i % 5 == 0 ? Value() : Value(std::vector<std::string>{"é", "", std::to_string(i)})};
  }
  void fill(const std::string& project, int first, int count, columnar::FamilyId family = 0) {
    std::vector<Row> rows;
    for (int i = first; i < first + count; ++i) rows.push_back(note(i));
    ASSERT_TRUE(from_->write(family, project, std::move(rows)));
  }

  StoreReport move() {
    TraceMove traces(*from_, *to_, families_, positions_, options_);
    traces.prepareTarget(false);
    traces.copy();
    return traces.verify(Timestamp());
  }
  StoreReport verify() {
    return TraceMove(*from_, *to_, families_, positions_, options_).verify(Timestamp());
  }

  FolderForTest folder_;
  MetricRegistry metrics_;
  MigrateOptions options_ = silentMove();
  const std::vector<columnar::Family> families_ = families();
  const storage::DataFolder work_{folder_.path() + "/work"};
  MovePositions positions_{work_, "a -> b"};
  std::unique_ptr<ColumnarTraceRows> from_ = open("from");
  std::unique_ptr<ColumnarTraceRows> to_ = open("to");
};

TEST_F(TraceMoveTest, MovesAllFamiliesAndProjects) {
  fill("p1", 0, 500);
  fill("p2", 200, 50);
  fill("p1", 0, 7, 1);
  const StoreReport report = move();
  EXPECT_TRUE(report.differences.empty()) << report.differences.front();
  EXPECT_EQ(report.items, 557);
  EXPECT_EQ(*to_->projects(), (std::vector<std::string>{"p1", "p2"}));
}

TEST_F(TraceMoveTest, EmptyStoresAreEqual) {
  const StoreReport report = move();
  EXPECT_TRUE(report.differences.empty());
  EXPECT_EQ(report.items, 0);
}

TEST_F(TraceMoveTest, RepeatedAndReplacedRowsAreMovedOnce) {
  fill("p", 0, 100);
  fill("p", 50, 100);
  ASSERT_TRUE(move().differences.empty());
  positions_.reset();
  const StoreReport again = move();
  EXPECT_TRUE(again.differences.empty());
  EXPECT_EQ(again.items, 150);
}

TEST_F(TraceMoveTest, ContinuesAfterThePosition) {
  fill("p", 0, 100);
  ASSERT_TRUE(move().differences.empty());
  fill("p", 100, 20);
  positions_.set("notes", "p", "100000", 100);
  const StoreReport skipped = move();
  ASSERT_EQ(skipped.differences.size(), 1u);
  EXPECT_NE(skipped.differences.front().find("120 rows in the source, 100 in the target"),
            std::string::npos);
  // Differences forget the positions, so that the next run copies all rows.
  EXPECT_TRUE(move().differences.empty());
}

TEST_F(TraceMoveTest, DigestsDoNotDependOnTheOrderOfRows) {
  fill("p", 0, 300);
  const std::string digest = move().digest;
  std::vector<Row> rows;
  for (int i = 299; i >= 0; --i) rows.push_back(note(i));
  ASSERT_TRUE(to_->clear());
  ASSERT_TRUE(to_->write(0, "p", std::move(rows)));
  const StoreReport report = verify();
  EXPECT_TRUE(report.differences.empty());
  EXPECT_EQ(report.digest, digest);
}

TEST_F(TraceMoveTest, DifferencesAreNamed) {
  fill("p", 0, 100);
  ASSERT_TRUE(move().differences.empty());
  Row changed = note(42);
  changed[2] = std::int64_t{-1};
  ASSERT_TRUE(to_->write(0, "p", {changed}));
  ASSERT_TRUE(to_->write(1, "other", {note(1)}));
  const StoreReport report = verify();
  ASSERT_EQ(report.differences.size(), 2u) << report.differences.back();
  EXPECT_NE(report.differences[0].find("note10042 is different"), std::string::npos);
  EXPECT_NE(report.differences[1].find("marks of project other"), std::string::npos);
  EXPECT_NE(report.differences[1].find("note10001 exists only in the target"), std::string::npos);
}

TEST_F(TraceMoveTest, ATargetWithOtherRowsIsRefused) {
  ASSERT_TRUE(to_->write(0, "p", {note(1)}));
  TraceMove traces(*from_, *to_, families_, positions_, options_);
  EXPECT_THROW(traces.prepareTarget(true), std::runtime_error);
  options_.start_over = true;
  traces.prepareTarget(true);
  EXPECT_TRUE(to_->projects()->empty());
}

}  // namespace
}  // namespace spindle::app
