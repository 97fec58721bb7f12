#include "columnar/tables/runs.h"

#include <gtest/gtest.h>

namespace spindle::columnar {
namespace {

using List = std::vector<Run>;

Run run(std::int64_t first, std::int64_t last, std::int64_t rows) {
  return {timestampOfMicros(first), timestampOfMicros(last), rows};
}

TEST(Runs, FindNewestAndOldestEdge) {
  const List runs = {run(0, 999, 1000), run(1000, 1999, 1000), run(5000, 5999, 1000)};
  EXPECT_EQ(newestEdge(runs, 1000), timestampOfMicros(5000));
  EXPECT_EQ(newestEdge(runs, 500), timestampOfMicros(5500));
  EXPECT_EQ(newestEdge(runs, 1500), timestampOfMicros(1500));
  EXPECT_EQ(newestEdge(runs, 3000), timestampOfMicros(0));
  EXPECT_EQ(newestEdge(runs, 3001), std::nullopt);
  EXPECT_EQ(oldestEdge(runs, 1000), timestampOfMicros(999));
  EXPECT_EQ(oldestEdge(runs, 2001), timestampOfMicros(5000));
  EXPECT_EQ(oldestEdge(runs, 3001), std::nullopt);
  EXPECT_EQ(newestEdge({}, 0), std::nullopt);
}

TEST(Runs, CountOverlappingRuns) {
  const List runs = {run(0, 999, 1000), run(500, 500, 50), run(0, 999, 1000)};
  EXPECT_EQ(newestEdge(runs, 1050), timestampOfMicros(500));
  EXPECT_EQ(oldestEdge(runs, 1051), timestampOfMicros(500));
}

TEST(Runs, ShortenKeepsTheRowCount) {
  List runs;
  for (std::int64_t i = 0; i < 300; ++i) runs.push_back(run(i * 10, i * 10 + 9, 10));
  shorten(runs, 20);
  EXPECT_EQ(runs.size(), 20U);
  std::int64_t rows = 0;
  for (const auto& each : runs) rows += each.rows;
  EXPECT_EQ(rows, 3000);
  EXPECT_EQ(newestEdge(runs, 100), timestampOfMicros(2900));
}

}  // namespace
}  // namespace spindle::columnar
