#include "otlp/export_response.h"

#include <gtest/gtest.h>

#include "otlp/protobuf_for_test.h"

namespace spindle::otlp {
namespace {

TEST(ExportResponse, IsEmptyWithoutRejections) {
  EXPECT_EQ(protobufResponse({}), "");
  EXPECT_EQ(jsonResponse({}), "{}");
}

TEST(ExportResponse, ReportsRejectedCountAndReasons) {
  Rejections rejections;
  rejections.add("one");
  rejections.add("a whole project", 300);
  EXPECT_EQ(rejections.spans(), 301U);
  EXPECT_EQ(jsonResponse(rejections),
            R"({"partialSuccess":{"rejectedSpans":"301","errorMessage":"one; a whole project"}})");
  EXPECT_EQ(protobufResponse(rejections),
            pb::bytes(1, pb::number(1, 301) + pb::bytes(2, "one; a whole project")));
}

TEST(ExportResponse, ReportsTheFirstTwentyReasonsOnly) {
  Rejections rejections;
  for (int i = 0; i < 22; ++i) rejections.add("r" + std::to_string(i));
  EXPECT_EQ(rejections.spans(), 22U);
  EXPECT_TRUE(rejections.message().ends_with("; r19; ..."));
}

}  // namespace
}  // namespace spindle::otlp
