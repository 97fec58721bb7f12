#include "otlp/decode.h"

#include <limits>

#include <gtest/gtest.h>

#include "otlp/json_text.h"
#include "otlp/protobuf_for_test.h"

namespace spindle::otlp {
namespace {

using namespace std::string_view_literals;

std::string jsonOf(const Value& value) {
  std::string text;
  appendJson(text, value);
  return text;
}

const Span& onlySpan(const Result<ExportRequest>& request) {
  return request->resource_spans.at(0).scope_spans.at(0).spans.at(0);
}

std::string faultOf(const Result<ExportRequest>& request) {
  return request ? "none" : request.error().message();
}

/// Checks the parts of the example that are the same in both encodings.
void expectExample(const ExportRequest& request, const Span& read) {
  const ResourceSpans& of = request.resource_spans.at(0);
  EXPECT_EQ(of.attributes.at(0).name, "service.name");
  EXPECT_EQ(of.dropped_attributes_count, 4U);
  EXPECT_EQ(of.scope_spans.at(0).scope_name, "lib");
  EXPECT_EQ(of.scope_spans.at(0).scope_version, "1.2");
  EXPECT_EQ(read.trace_state, "k=v");
  EXPECT_EQ(read.name, "chat m");
  EXPECT_EQ(read.kind, SpanKind::kClient);
  EXPECT_EQ(read.start_time_unix_nano, 1'700'000'000'000'000'000U);
  EXPECT_EQ(read.end_time_unix_nano, 1'700'000'001'500'000'000U);
  EXPECT_EQ(read.status, StatusCode::kError);
  EXPECT_EQ(read.status_message, "bad");
  ASSERT_EQ(read.events.size(), 1U);
  EXPECT_EQ(read.events[0].name, "exception");
  EXPECT_EQ(read.events[0].time_unix_nano, 77U);
  EXPECT_EQ(read.events[0].dropped_attributes_count, 5U);
  ASSERT_EQ(read.links.size(), 1U);
  EXPECT_EQ(read.links[0].trace_state, "ls");
  EXPECT_EQ(read.links[0].dropped_attributes_count, 6U);
}

TEST(DecodeProtobuf, ReadsEveryFieldOfASpan) {
  const std::string event = pb::fixed64(1, 77) + pb::bytes(2, "exception") +
                            pb::bytes(3, pb::keyValue("exception.type", pb::text("E"))) +
                            pb::number(4, 5);
  const std::string link = pb::bytes(1, "0123456789abcdef") + pb::bytes(2, "01234567") +
                           pb::bytes(3, "ls") + pb::bytes(4, pb::keyValue("l", pb::integer(1))) +
                           pb::number(5, 6);
  const std::string span = pb::span(
      "chat m", pb::bytes(3, "k=v") + pb::bytes(4, "parent!!") + pb::number(6, 3) +
                    pb::attribute("a", pb::text("x")) + pb::number(10, 9) + pb::bytes(11, event) +
                    pb::bytes(13, link) + pb::bytes(15, pb::bytes(2, "bad") + pb::number(3, 2)));
  const std::string scope =
      pb::bytes(1, pb::bytes(1, "lib") + pb::bytes(2, "1.2")) + pb::bytes(2, span);
  const std::string resource =
      pb::bytes(1, pb::keyValue("service.name", pb::text("s"))) + pb::number(2, 4);
  const Result<ExportRequest> request =
      decodeProtobuf(pb::bytes(1, pb::bytes(1, resource) + pb::bytes(2, scope)));
  ASSERT_TRUE(request) << faultOf(request);
  EXPECT_EQ(request->spanCount(), 1U);
  const Span& read = onlySpan(request);
  expectExample(*request, read);
  EXPECT_EQ(read.trace_id.size(), 16U);
  EXPECT_EQ(read.span_id.size(), 8U);
  EXPECT_EQ(read.parent_span_id, "parent!!");
  EXPECT_EQ(read.links.at(0).span_id, "01234567");
}

TEST(DecodeProtobuf, ReadsValuesOfEveryKind) {
  const std::string value = pb::list(
      {pb::text("t"), pb::truth(true), pb::integer(-5), pb::real(1.5), pb::blob("\x01\x02"sv),
       pb::list({pb::integer(1)}), pb::map({pb::keyValue("k", pb::text("v"))}), ""});
  const Result<ExportRequest> request =
      decodeProtobuf(pb::request({pb::span("s", pb::attribute("v", value))}));
  ASSERT_TRUE(request) << faultOf(request);
  EXPECT_EQ(jsonOf(onlySpan(request).attributes.at(0).value),
            R"(["t",true,-5,1.5,"AQI=",[1],{"k":"v"},null])");
}

TEST(DecodeProtobuf, SkipsUnknownFieldsOfEveryWireType) {
  const std::string unknown = pb::number(100, 1) + pb::fixed64(101, 2) + pb::bytes(102, "x") +
                              pb::tag(103, 5) + std::string(4, '\0');
  const Result<ExportRequest> request =
      decodeProtobuf(unknown + pb::request({pb::span("s", unknown)}));
  ASSERT_TRUE(request) << faultOf(request);
  EXPECT_EQ(onlySpan(request).name, "s");
}

TEST(DecodeProtobuf, UnknownKindsAndStatusesAreUnset) {
  const Result<ExportRequest> request = decodeProtobuf(
      pb::request({pb::span("s", pb::number(6, 99) + pb::bytes(15, pb::number(3, 99)))}));
  ASSERT_TRUE(request);
  EXPECT_EQ(onlySpan(request).kind, SpanKind::kUnspecified);
  EXPECT_EQ(onlySpan(request).status, StatusCode::kUnset);
}

TEST(DecodeProtobuf, EmptyBodyHasNoSpans) {
  const Result<ExportRequest> request = decodeProtobuf("");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->spanCount(), 0U);
}

TEST(DecodeProtobuf, RepairsTextThatIsNotUtf8) {
  const Result<ExportRequest> request =
      decodeProtobuf(pb::request({pb::span("a\xFF", pb::attribute("k\x80", pb::text("\xC3")))}));
  ASSERT_TRUE(request);
  EXPECT_EQ(onlySpan(request).name, "a\xEF\xBF\xBD");
  EXPECT_EQ(onlySpan(request).attributes.at(0).name, "k\xEF\xBF\xBD");
}

TEST(DecodeProtobuf, ReportsTheByteOfEveryError) {
  struct Case {
    std::string body;
    std::string_view fault;
  };
  const std::string endless(11, '\xFF');
  for (const Case& each : {
           Case{"\x0A", "the message ends inside a number at byte 1"},
           Case{"\x0A\x05xx", "a field of 5 bytes reaches beyond its message at byte 0"},
           Case{endless, "a number is longer than ten bytes at byte 0"},
           Case{std::string("\x00\x00", 2), "a field has no valid number at byte 0"},
           Case{pb::tag(7, 3), "a group, which OTLP does not have, at byte 0"},
           Case{pb::tag(7, 4), "a group, which OTLP does not have, at byte 0"},
           Case{pb::tag(7, 6), "a field of an unknown wire type at byte 0"},
           Case{pb::tag(7, 1) + "1234567", "the message ends inside a number at byte 1"},
           Case{pb::tag(7, 5) + "123", "the message ends inside a number at byte 1"},
           Case{pb::number(1, 4), "field 1 has the wrong wire type at byte 0"},
           Case{pb::bytes(1, pb::number(2, 4)), "field 2 has the wrong wire type at byte 2"},
       }) {
    const Result<ExportRequest> request = decodeProtobuf(each.body);
    EXPECT_EQ(faultOf(request), "Invalid OTLP body: " + std::string(each.fault));
    EXPECT_EQ(request.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(DecodeProtobuf, EveryPrefixOfAValidBodyIsHandled) {
  const std::string body = pb::request(
      {pb::span("s", pb::attribute("k", pb::list({pb::map({pb::keyValue("a", pb::text("b"))})})))});
  for (std::size_t length = 0; length < body.size(); ++length) {
    (void)decodeProtobuf(body.substr(0, length));
  }
}

TEST(DecodeProtobuf, LimitsDepthSpansAndValues) {
  std::string deep = pb::integer(1);
  for (std::size_t i = 0; i <= kMaxValueDepth; ++i) deep = pb::list({deep});
  EXPECT_NE(faultOf(decodeProtobuf(pb::request({pb::span("s", pb::attribute("k", deep))})))
                .find("nested too deep"),
            std::string::npos);
  std::string spans;
  for (std::size_t i = 0; i <= kMaxSpans; ++i) spans += pb::bytes(2, "");
  const Result<ExportRequest> many = decodeProtobuf(pb::bytes(1, pb::bytes(2, spans)));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code(), ErrorCode::kTooLarge);
  std::string events;
  for (std::size_t i = 0; i <= kMaxValues; ++i) events += pb::bytes(11, "");
  const Result<ExportRequest> values = decodeProtobuf(pb::request({events}));
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().code(), ErrorCode::kTooLarge);
}

TEST(DecodeJson, ReadsEveryFieldOfASpan) {
  const Result<ExportRequest> request = decodeJson(
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":)"
      R"({"stringValue":"s"}}],"droppedAttributesCount":4},"scopeSpans":[{"scope":{"name":"lib",)"
      R"("version":"1.2"},"spans":[{"traceId":"11111111111111111111111111111101","spanId":)"
      R"("2222222222222202","parentSpanId":"3333333333333303","traceState":"k=v","name":"chat m",)"
      R"("kind":3,"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":1700000001500000000,)"
      R"("attributes":[{"key":"a","value":{"stringValue":"x"}}],"events":[{"timeUnixNano":"77",)"
      R"("name":"exception","attributes":[{"key":"exception.type","value":{"stringValue":"E"}}],)"
      R"("droppedAttributesCount":5}],"links":[{"traceId":"11111111111111111111111111111109",)"
      R"("spanId":"2222222222222209","traceState":"ls","attributes":[],"droppedAttributesCount":6}],)"
      R"("status":{"code":2,"message":"bad"},"somethingNew":{"a":[1]}}]}]}]})");
  ASSERT_TRUE(request) << faultOf(request);
  const Span& read = onlySpan(request);
  expectExample(*request, read);
  EXPECT_EQ(read.trace_id, std::string(15, '\x11') + '\x01');
  EXPECT_EQ(read.span_id, std::string(7, '\x22') + '\x02');
  EXPECT_EQ(read.parent_span_id, std::string(7, '\x33') + '\x03');
}

std::string inSpan(std::string_view members) {
  return R"({"resource_spans":[{"scope_spans":[{"spans":[{)" + std::string(members) + "}]}]}]}";
}

TEST(DecodeJson, AcceptsSnakeCaseAndEnumerationNamesAndBase64Ids) {
  const Result<ExportRequest> request =
      decodeJson(inSpan(R"("trace_id":"ERERERERERERERERERERAQ==","span_id":"IiIiIiIiIgI=",)"
                        R"("start_time_unix_nano":5,"kind":"SPAN_KIND_SERVER",)"
                        R"("status":{"code":"STATUS_CODE_OK"})"));
  ASSERT_TRUE(request) << faultOf(request);
  const Span& read = onlySpan(request);
  EXPECT_EQ(read.trace_id, std::string(15, '\x11') + '\x01');
  EXPECT_EQ(read.span_id, std::string(7, '\x22') + '\x02');
  EXPECT_EQ(read.start_time_unix_nano, 5U);
  EXPECT_EQ(read.kind, SpanKind::kServer);
  EXPECT_EQ(read.status, StatusCode::kOk);
}

TEST(DecodeJson, ReadsValuesOfEveryKind) {
  const Result<ExportRequest> request = decodeJson(inSpan(
      R"("attributes":[{"key":"v","value":{"arrayValue":{"values":[{"stringValue":"t\n"},)"
      R"({"boolValue":true},{"intValue":"-5"},{"intValue":6},{"doubleValue":1.5},)"
      R"({"doubleValue":"NaN"},{"bytesValue":"AQI="},{"arrayValue":{"values":[{"intValue":1}]}},)"
      R"({"kvlistValue":{"values":[{"key":"k","value":{"string_value":"v"}}]}},{},null]}}}])"));
  // A null in the list is not a valid AnyValue.
  EXPECT_FALSE(request);
  const Result<ExportRequest> good = decodeJson(inSpan(
      R"("attributes":[{"key":"v","value":{"arrayValue":{"values":[{"stringValue":"t\n"},)"
      R"({"boolValue":true},{"intValue":"-5"},{"intValue":6},{"doubleValue":1.5},)"
      R"({"doubleValue":"NaN"},{"bytesValue":"AQI="},{"arrayValue":{"values":[{"intValue":1}]}},)"
      R"({"kvlistValue":{"values":[{"key":"k","value":{"string_value":"v"}}]}},{}]}}},)"
      R"({"key":"none","value":null}])"));
  ASSERT_TRUE(good) << faultOf(good);
  EXPECT_EQ(jsonOf(onlySpan(good).attributes.at(0).value),
            R"(["t\n",true,-5,6,1.5,"NaN","AQI=",[1],{"k":"v"},null])");
  EXPECT_TRUE(onlySpan(good).attributes.at(1).value.isNull());
}

TEST(DecodeJson, ReportsErrorAndPosition) {
  struct Case {
    std::string body;
    std::string_view fault;
  };
  for (const Case& each : {
           Case{"[]", "an object was expected at byte 0"},
           Case{R"({"resourceSpans":{}})", "a list was expected at byte 17"},
           Case{inSpan(R"("name":5)"), "a string was expected at byte 61"},
           Case{inSpan(R"("startTimeUnixNano":"x")"), "an integer was expected at byte 74"},
           Case{inSpan(R"("traceId":"xyz!")"), "an id is neither hex nor Base64 at byte 64"},
           Case{inSpan(R"("attributes":[{"key":"k","value":{"boolValue":1}}])"),
                "a boolean was expected at byte 100"},
       }) {
    const std::string fault = faultOf(decodeJson(each.body));
    const std::string_view what = each.fault.substr(0, each.fault.find(" at byte"));
    EXPECT_NE(fault.find(what), std::string::npos) << fault;
    EXPECT_NE(fault.find(" at byte "), std::string::npos) << fault;
  }
  EXPECT_NE(faultOf(decodeJson("{")).find("at character"), std::string::npos);
}

TEST(DecodeJson, LimitsDepth) {
  std::string deep = R"({"intValue":1})";
  for (std::size_t i = 0; i <= kMaxValueDepth; ++i)
    deep = R"({"arrayValue":{"values":[)" + deep + "]}}";
  EXPECT_FALSE(decodeJson(inSpan(R"("attributes":[{"key":"k","value":)" + deep + "}]")));
}

}  // namespace
}  // namespace spindle::otlp
