#include "runs/summary.h"

#include <initializer_list>

#include <gtest/gtest.h>

namespace spindle::runs {
namespace {

/// Returns the summary after rows with these metrics; each list is one batch.
Summary after(std::initializer_list<std::vector<std::string>> batches, std::string_view rules) {
  Summary summary;
  std::optional<std::int64_t> last;
  for (const std::vector<std::string>& batch : batches) {
    FlatRows rows(last, Timestamp(), {});
    for (const std::string& metrics : batch) {
      NewRow row;
      row.metrics = metrics;
      EXPECT_TRUE(rows.add(row, Timestamp()));
    }
    last = rows.lastStep();
    addToSummary(summary, rules, rows);
  }
  return summary;
}

TEST(RunSummary, HasTheLastValueOfEachKey) {
  EXPECT_EQ(
      after({{R"({"loss":0.50,"name":"a"})", R"({"loss":0.25})"}, {R"({"x":{"y":[1]}})"}}, "{}")
          .values,
      R"({"loss":0.25,"name":"a","x.y":[1]})");
}

TEST(RunSummary, AppliesMinMaxAndBestRules) {
  const auto shown = [](std::string_view rules) {
    return after({{R"({"m":3})", R"({"m":1.5})", R"({"m":2})"}, {R"({"m":2.5})"}}, rules).values;
  };
  EXPECT_EQ(shown(R"({"m":{"summary":"min"}})"), R"({"m":1.5})");
  EXPECT_EQ(shown(R"({"m":{"summary":"max"}})"), R"({"m":3})");
  EXPECT_EQ(shown(R"({"m":{"summary":"best"}})"), R"({"m":1.5})");
  EXPECT_EQ(shown(R"({"m":{"summary":"best","objective":"maximize"}})"), R"({"m":3})");
  EXPECT_EQ(shown(R"({"m":{"summary":"last"}})"), R"({"m":2.5})");
  EXPECT_EQ(shown(R"({"m":{"summary":"none"}})"), R"({})");
}

TEST(RunSummary, HasTheMeanOfAllValuesOverAllBatches) {
  EXPECT_EQ(after({{R"({"m":1})", R"({"m":2})"}, {R"({"m":"NaN"})", R"({"m":6})"}},
                  R"({"m":{"summary":"mean"}})")
                .values,
            R"({"m":3})");
}

TEST(RunSummary, IgnoresNonNumericValuesInExtremes) {
  EXPECT_EQ(after({{R"({"m":1})"}, {R"({"m":"text"})", R"({"m":"Infinity"})"}},
                  R"({"m":{"summary":"max"}})")
                .values,
            R"({"m":1})");
}

}  // namespace
}  // namespace spindle::runs
