#include "tracing/calls/reported_usage.h"

#include <variant>

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

ReportedUsage usageIn(const std::string& summary) {
  auto parsed = json::Document::parse(summary);
  return reportedUsage(std::get<json::Document>(parsed).root());
}

TEST(ReportedUsageTest, AddsUpBothNamesOfACount) {
  const ReportedUsage usage = usageIn(
      R"({"usage":{"m":{"prompt_tokens":3,"input_tokens":4,"completion_tokens":1,"output_tokens":2,)"
      R"("total_tokens":9,"cache_read_input_tokens":5,"cache_creation_input_tokens":6}}})");
  EXPECT_EQ(usage, (ReportedUsage{1, "m", 7, 3, 9, 5, 6}));
}

TEST(ReportedUsageTest, ReadsNumbersInTextsAndIgnoresOthers) {
  const ReportedUsage usage =
      usageIn(R"({"usage":{"m":{"prompt_tokens":"12","input_tokens":"nan","output_tokens":"1e999",)"
              R"("completion_tokens":true,"total_tokens":null,"cache_read_input_tokens":[1]}}})");
  EXPECT_EQ(usage, (ReportedUsage{1, "m", 12, 1, 0, 0, 0}));
}

TEST(ReportedUsageTest, HasNoCountsUnlessThereIsOneModel) {
  EXPECT_EQ(usageIn("{}"), ReportedUsage());
  EXPECT_EQ(usageIn("[]"), ReportedUsage());
  EXPECT_EQ(usageIn(R"({"usage":null})"), ReportedUsage());
  EXPECT_EQ(usageIn(R"({"usage":{}})"), ReportedUsage());
  EXPECT_EQ(usageIn(R"({"usage":{"a":{"input_tokens":1},"b":{}}})"), ReportedUsage{2});
  EXPECT_EQ(usageIn(R"({"usage":{"a":3}})"), (ReportedUsage{1, "a"}));
}

}  // namespace
}  // namespace spindle::tracing
