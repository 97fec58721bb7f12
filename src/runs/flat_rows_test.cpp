#include "runs/flat_rows.h"

#include <cmath>

#include <gtest/gtest.h>

namespace spindle::runs {
namespace {

const Timestamp run_start = timestampOfMicros(1'700'000'000'000'000);

NewRow newRow(std::string metrics, std::optional<std::int64_t> step = {}) {
  NewRow fresh;
  fresh.step = step;
  fresh.time = run_start + std::chrono::milliseconds(1500);
  fresh.metrics = std::move(metrics);
  return fresh;
}

const FlatRows::Column* columnOf(const FlatRows& rows, std::string_view key) {
  for (const FlatRows::Column& column : rows.columns()) {
    if (column.key == key) return &column;
  }
  return nullptr;
}

TEST(FlatRows, LineHasStepTimeRuntimeAndKeys) {
  FlatRows rows({}, run_start, {});
  ASSERT_TRUE(rows.add(newRow(R"({"loss": 0.50})"), run_start));
  EXPECT_EQ(rows.lines(), R"({"_step":0,"_timestamp":1700000001.5,"_runtime":1.5,"loss":0.50})"
                          "\n");
  EXPECT_EQ(rows.times().at(0), run_start + std::chrono::milliseconds(1500));
}

TEST(FlatRows, NestedObjectsBecomeDottedKeys) {
  FlatRows rows({}, run_start, {});
  ASSERT_TRUE(rows.add(
      newRow(R"({"val":{"loss":1,"acc":{"top5":2}},"e":{},"list":[ 1, {"a":2} ]})"), run_start));
  const std::string& line = rows.lines();
  EXPECT_NE(line.find(R"("val.loss":1,"val.acc.top5":2,"e":{},"list":[1,{"a":2}]})"),
            std::string::npos)
      << line;
}

TEST(FlatRows, OnlyNumbersMakeAColumn) {
  FlatRows rows({}, run_start, {});
  ASSERT_TRUE(rows.add(newRow(R"({"n":1,"t":"text","b":true,"z":null})"), run_start));
  ASSERT_TRUE(rows.add(newRow(R"({"n":"text","t":2})"), run_start));
  EXPECT_EQ(columnOf(rows, "n")->values, std::vector<double>{1});
  EXPECT_EQ(columnOf(rows, "n")->last, "\"text\"");
  EXPECT_EQ(columnOf(rows, "t")->rows, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(columnOf(rows, "b")->values.empty());
  EXPECT_EQ(columnOf(rows, "z")->last, "null");
}

TEST(FlatRows, NonFiniteNumbersAreStrings) {
  FlatRows rows({}, run_start, {});
  ASSERT_TRUE(rows.add(newRow(R"({"a":"NaN","b":"Infinity","c":"-Infinity"})"), run_start));
  EXPECT_TRUE(std::isnan(columnOf(rows, "a")->values.at(0)));
  EXPECT_TRUE(std::isinf(columnOf(rows, "b")->values.at(0)));
  EXPECT_LT(columnOf(rows, "c")->values.at(0), 0);
}

TEST(FlatRows, MissingStepIsTheNextStep) {
  FlatRows rows(41, run_start, {});
  ASSERT_TRUE(rows.add(newRow("{}"), run_start));
  ASSERT_TRUE(rows.add(newRow("{}", 50), run_start));
  ASSERT_TRUE(rows.add(newRow("{}"), run_start));
  EXPECT_EQ(rows.steps(), (std::vector<std::int64_t>{42, 50, 51}));
  EXPECT_EQ(rows.lastStep(), 51);
}

TEST(FlatRows, AcceptsRepeatedStepAndRefusesSmallerStep) {
  FlatRows rows(5, run_start, {});
  EXPECT_TRUE(rows.add(newRow("{}", 5), run_start));
  EXPECT_FALSE(rows.add(newRow("{}", 4), run_start));
  EXPECT_EQ(rows.size(), 1U);
}

TEST(FlatRows, RefusesStepsOutOfRange) {
  FlatRows rows({}, run_start, {});
  EXPECT_FALSE(rows.add(newRow("{}", FlatRows::kLastStep + 1), run_start));
  EXPECT_FALSE(rows.add(newRow(R"({"_step":-1})"), run_start));
  EXPECT_TRUE(rows.add(newRow("{}", FlatRows::kLastStep), run_start));
  EXPECT_FALSE(rows.add(newRow("{}"), run_start));
}

TEST(FlatRows, ReadsStepTimeAndRuntimeFromReservedKeys) {
  FlatRows rows({}, run_start, {});
  NewRow fresh;
  fresh.metrics = R"({"_step":7,"_timestamp":1700000100.25,"_runtime":3.5,"a":1})";
  ASSERT_TRUE(rows.add(fresh, run_start));
  EXPECT_EQ(rows.lines(), R"({"_step":7,"_timestamp":1700000100.25,"_runtime":3.5,"a":1})"
                          "\n");
}

TEST(FlatRows, MissingTimeIsNow) {
  FlatRows rows({}, run_start, {});
  ASSERT_TRUE(rows.add(NewRow(), run_start + std::chrono::seconds(2)));
  EXPECT_EQ(rows.lines(), R"({"_step":0,"_timestamp":1700000002.0,"_runtime":2.0})"
                          "\n");
}

TEST(FlatRows, AddsMissingPrefixToKeys) {
  FlatRows rows({}, run_start, "system.");
  ASSERT_TRUE(rows.add(newRow(R"({"cpu":1,"system.gpu":2,"system":{"mem":3}})"), run_start));
  EXPECT_NE(columnOf(rows, "system.cpu"), nullptr);
  EXPECT_NE(columnOf(rows, "system.gpu"), nullptr);
  EXPECT_NE(columnOf(rows, "system.mem"), nullptr);
}

TEST(FlatRows, LastValueOfADuplicateKeyWins) {
  FlatRows rows({}, run_start, {});
  ASSERT_TRUE(rows.add(newRow(R"({"a.b":1,"a":{"b":2}})"), run_start));
  EXPECT_EQ(columnOf(rows, "a.b")->values, std::vector<double>{2});
}

TEST(FlatRows, ReadsItsOwnLines) {
  FlatRows first({}, run_start, {});
  ASSERT_TRUE(first.add(newRow(R"({"loss":0.5,"name":"a\nb"})"), run_start));
  ASSERT_TRUE(first.add(newRow(R"({"acc":0.25})", 9), run_start));
  FlatRows again({}, run_start, {});
  again.addLines(first.lines());
  EXPECT_EQ(again.lines(), first.lines());
  EXPECT_EQ(again.steps(), first.steps());
  EXPECT_EQ(again.times(), first.times());
  EXPECT_EQ(columnOf(again, "acc")->values, std::vector<double>{0.25});
  EXPECT_EQ(columnOf(again, "acc")->rows, std::vector<std::uint32_t>{1});
  EXPECT_EQ(columnOf(again, "name")->last, R"("a\nb")");
}

TEST(FlatRows, MergesLinesOfOneStep) {
  const std::vector<std::string_view> lines = {R"({"_step":3,"_timestamp":1.0,"a":1,"b":2})",
                                               R"({"_step":3,"_timestamp":2.0,"b":3,"c":4})"};
  EXPECT_EQ(mergedRow(lines, {}), R"({"_step":3,"_timestamp":2.0,"a":1,"b":3,"c":4})");
  EXPECT_EQ(mergedRow(lines, {"c"}), R"({"_step":3,"_timestamp":2.0,"c":4})");
  EXPECT_EQ(mergedRow(lines, {"d"}), std::nullopt);
  EXPECT_EQ(stepOfLine(lines[0]), 3);
}

}  // namespace
}  // namespace spindle::runs
