#include "otlp/span_tree.h"

#include <limits>

#include <gtest/gtest.h>

#include "otlp/decode.h"
#include "otlp/protobuf_for_test.h"

namespace spindle::otlp {
namespace {

TEST(SpanTree, DumpsTheWholeSpan) {
  const std::string event = pb::fixed64(1, 1'700'000'000'250'000'000) + pb::bytes(2, "e") +
                            pb::bytes(3, pb::keyValue("a.b", pb::text("c")));
  const std::string link = pb::bytes(1, std::string(16, '\x44')) +
                           pb::bytes(2, std::string(8, '\x55')) + pb::bytes(3, "t") +
                           pb::bytes(4, pb::keyValue("l", pb::integer(1)));
  const std::string span = pb::span(
      "n", pb::bytes(3, "s") + pb::bytes(4, std::string(8, '\x33')) + pb::number(6, 1) +
               pb::attribute("x.y", pb::text(R"({"z":1})")) +
               pb::attribute("nan", pb::real(std::numeric_limits<double>::quiet_NaN())) +
               pb::attribute("raw", pb::blob("\x01\x02")) + pb::bytes(11, event) +
               pb::bytes(13, link) + pb::bytes(15, pb::bytes(2, "bad") + pb::number(3, 2)));
  const Result<ExportRequest> request = decodeProtobuf(pb::request(
      {span}, pb::bytes(1, pb::keyValue("service.name", pb::text("svc"))) + pb::number(2, 3)));
  ASSERT_TRUE(request);
  const ResourceSpans& from = request->resource_spans.at(0);
  const Result<ResourceTree> resource = treeOf(from, *request->texts);
  const Result<SpanTree> tree = treeOf(from.scope_spans.at(0).spans.at(0), *request->texts);
  ASSERT_TRUE(resource && tree);
  EXPECT_EQ(dumpSpan(*tree, dumpResource(*resource)),
            R"({"name":"n","context":{"trace_id":"11111111111111111111111111111101",)"
            R"("span_id":"2222222222222202","trace_state":"s"},"kind":"INTERNAL",)"
            R"("parent_id":"3333333333333333","start_time":"2023-11-14T22:13:20Z",)"
            R"("end_time":"2023-11-14T22:13:21.500000Z","status":{"code":"ERROR","message":"bad"},)"
            R"("attributes":{"x":{"y":{"z":1}},"nan":"NaN","raw":"AQI="},"events":[{"name":"e",)"
            R"("timestamp":"2023-11-14T22:13:20.250000Z","attributes":{"a":{"b":"c"}},)"
            R"("dropped_attributes_count":0}],"links":[{"context":{"trace_id":)"
            R"("44444444444444444444444444444444","span_id":"5555555555555555","trace_state":"t"},)"
            R"("attributes":{"l":1},"dropped_attributes_count":0}],"resource":{"attributes":)"
            R"({"service":{"name":"svc"}},"dropped_attributes_count":3}})");
}

TEST(SpanTree, NoBytesOrZerosMeanNoParent) {
  Span span;
  EXPECT_EQ(parentIdOf(span), "");
  const std::string zeros(8, '\0');
  span.parent_span_id = zeros;
  EXPECT_EQ(parentIdOf(span), "");
  span.parent_span_id = "\x01\xAB";
  EXPECT_EQ(parentIdOf(span), "01ab");
}

TEST(SpanTree, TruncatesTimeToMicroseconds) {
  EXPECT_EQ(microsOf(timeOf(1'999)), 1);
  EXPECT_EQ(microsOf(timeOf(0)), 0);
  EXPECT_EQ(formatTimestamp(timeOf(std::numeric_limits<std::uint64_t>::max())),
            "2554-07-21T23:34:33.709551Z");
}

TEST(SpanTree, ReportsConflictsOfEventsAndLinks) {
  const std::string conflicting = pb::bytes(3, pb::keyValue("a", pb::text("x"))) +
                                  pb::bytes(3, pb::keyValue("a.b", pb::text("y")));
  const Result<ExportRequest> request =
      decodeProtobuf(pb::request({pb::span("n", pb::bytes(11, conflicting))}));
  ASSERT_TRUE(request);
  const Result<SpanTree> tree =
      treeOf(request->resource_spans.at(0).scope_spans.at(0).spans.at(0), *request->texts);
  ASSERT_FALSE(tree);
  EXPECT_NE(tree.error().message().find("'a.b'"), std::string::npos);
}

}  // namespace
}  // namespace spindle::otlp
