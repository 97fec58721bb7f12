#include "tracing/routes/call_json.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {
namespace {

Call running() {
  return {.id = "call",
          .trace_id = "trace",
          .op_name = "op_a",
          .started_at = Timestamp(std::chrono::seconds(1)),
          .attributes = R"({"a":1})",
          .inputs = R"({"i":1})"};
}

Call ended() {
  Call call = running();
  call.ended_at = *call.started_at + std::chrono::microseconds(1'999'999);
  call.output = "[1]";
  call.summary = "{}";
  return call;
}

std::string json(const Call& call,
                 const CallExtras& extras = {},
                 const CallFormat& style = {"e/p"}) {
  return callJson(call, style, extras);
}

/// Returns the member `summary`. No other object of these calls follows it.
std::string summaryOf(const Call& call, const CallExtras& extras = {}) {
  const std::string text = json(call, extras);
  const std::size_t begin = text.find(R"("summary":)") + 10;
  return text.substr(begin, text.find(R"(,"svc_user_id")") - begin);
}

TEST(CallJson, HasEveryMember) {
  const Call call{.id = "call",
                  .trace_id = "trace",
                  .parent_id = "parent",
                  .thread_id = "thread",
                  .turn_id = "turn",
                  .op_name = "op_a",
                  .display_name = "shown",
                  .started_at = Timestamp(std::chrono::seconds(1)),
                  .ended_at = Timestamp(std::chrono::microseconds(2'999'999)),
                  .exception = "boom",
                  .attributes = R"({"a":1})",
                  .inputs = R"({"i":1})",
                  .output = "[1]",
                  .summary = "{}",
                  .user_id = "usr",
                  .run_id = "e/p/r",
                  .run_step = 1,
                  .run_step_end = 2,
                  .expire_at = Timestamp(std::chrono::seconds(100))};
  EXPECT_EQ(json(call, {.username = "ann", .storage_bytes = 10, .total_storage_bytes = 20}),
            R"({"id":"call","project_id":"e/p","op_name":"op_a","display_name":"shown",)"
            R"("trace_id":"trace","parent_id":"parent","thread_id":"thread","turn_id":"turn",)"
            R"("started_at":"1970-01-01T00:00:01Z","attributes":{"a":1},"inputs":{"i":1},)"
            R"("ended_at":"1970-01-01T00:00:02.999999Z","exception":"boom","output":[1],)"
            R"("summary":{"svc":{"status":"error","display_name":"shown","latency_ms":1999}},)"
            R"("svc_user_id":"usr","svc_username":"ann","svc_run_id":"e/p/r","svc_run_step":1,)"
            R"("svc_run_step_end":2,"deleted_at":null,"expire_at":"1970-01-01T00:01:40Z",)"
            R"("storage_size_bytes":10,"total_storage_size_bytes":20})");
}

TEST(CallJson, WritesNullsButOmitsAMissingUsername) {
  const std::string text = json(running());
  EXPECT_NE(text.find(R"("display_name":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("output":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("storage_size_bytes":null)"), std::string::npos);
  EXPECT_EQ(text.find("svc_username"), std::string::npos);
}

TEST(DerivedSummary, ContainsTheStatus) {
  EXPECT_EQ(summaryOf(running()), R"({"svc":{"status":"running","trace_name":"op_a"}})");
  Call call = ended();
  EXPECT_EQ(statusOf(call), "success");
  call.descendant_errors = 2;
  EXPECT_EQ(statusOf(call), "descendant_error");
  call.ended_at.reset();
  EXPECT_EQ(statusOf(call), "running") << "while it runs, errors below are no verdict";
  call.exception = "boom";
  EXPECT_EQ(statusOf(call), "error") << "also of a call that has not ended";
}

TEST(DerivedSummary, RoundsTheLatencyDown) {
  EXPECT_EQ(latencyOf(ended()), 1999);
  Call early = ended();
  early.ended_at = *early.started_at - std::chrono::microseconds(1);
  EXPECT_EQ(latencyOf(early), -1);
  EXPECT_EQ(latencyOf(running()), std::nullopt);
}

TEST(DerivedSummary, NamesTheTraceAfterTheOp) {
  Call call = running();
  call.op_name = "svc-trace-internal:///prj_1/op/my%20op:digest";
  EXPECT_EQ(summaryOf(call), R"({"svc":{"status":"running","trace_name":"my op"}})");
  call.display_name = "shown";
  EXPECT_EQ(summaryOf(call), R"({"svc":{"status":"running","display_name":"shown"}})");
}

TEST(DerivedSummary, ReplacesStoredValuesAndKeepsOthers) {
  Call call = ended();
  call.summary =
      R"({"usage":{"m":{}},"svc":{"status":"mine","latency_ms":1,"costs":1,"own":true},"z":1})";
  EXPECT_EQ(summaryOf(call), R"({"usage":{"m":{}},"z":1,"svc":{"status":"success",)"
                             R"("trace_name":"op_a","latency_ms":1999,"own":true}})");
}

TEST(DerivedSummary, ContainsRequestedCostsAndFeedback) {
  CallExtras extras;
  extras.costs = R"({"m":{}})";
  extras.feedback = "[]";
  EXPECT_EQ(summaryOf(running(), extras), R"({"svc":{"status":"running","trace_name":"op_a",)"
                                          R"("costs":{"m":{}},"feedback":[]}})");
}

TEST(CallJson, ShowsTheOtelDumpAmongTheAttributes) {
  Call call = running();
  call.otel_dump = R"({"name":"span"})";
  EXPECT_NE(json(call).find(R"("attributes":{"a":1,"otel_span":{"name":"span"}})"),
            std::string::npos);
}

TEST(CallJson, UsesTheSpellingOfTheReader) {
  Call call = ended();
  call.attributes = R"({"svc":{"x":1}})";
  call.inputs = std::string(exceedsLimits());
  CallFormat style{"e/p", wire::Spelling::kVendor};
  const std::string text = json(call, {}, style);
  const std::string key(wire::platformKey(wire::Spelling::kVendor));
  EXPECT_NE(text.find("\"attributes\":{\"" + key + "\":{\"x\":1}}"), std::string::npos) << text;
  EXPECT_NE(text.find("\"inputs\":{\"_" + key + "\":{\"error\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"summary\":{\"" + key + "\":{"), std::string::npos) << text;
  EXPECT_NE(text.find(wire::memberFor(wire::Spelling::kVendor, "svc_run_step_end")),
            std::string::npos);
  EXPECT_EQ(text.find("svc"), std::string::npos) << text;
}

TEST(CallColumns, AreEmptyUnlessRequested) {
  CallFormat style{"e/p"};
  style.members = CallMembers::named({"parent_id"}, false);
  Call call = ended();
  call.parent_id = "parent";
  call.user_id = "usr";
  call.exception = "boom";
  const std::string text = json(call, {}, style);
  EXPECT_NE(text.find(R"("attributes":{},"inputs":{},"ended_at":null,"exception":null,)"
                      R"("output":null,"summary":{"svc":{"status":"error")"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("parent_id":"parent")"), std::string::npos);
  EXPECT_NE(text.find(R"("svc_user_id":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("op_name":"op_a")"), std::string::npos) << "always there";
}

TEST(CallColumns, AcceptNestedAndDumpNames) {
  const CallMembers members = CallMembers::named({"inputs.a.b", "output_dump", "unknown"}, false);
  EXPECT_TRUE(members.inputs);
  EXPECT_TRUE(members.output);
  EXPECT_FALSE(members.attributes);
  EXPECT_FALSE(members.summary);
}

TEST(CallColumns, IncludeTheSourcesOfTheSummary) {
  for (const CallMembers& members :
       {CallMembers::named({"summary.usage"}, false), CallMembers::named({}, true)}) {
    EXPECT_TRUE(members.summary);
    EXPECT_TRUE(members.ended_at);
    EXPECT_TRUE(members.exception);
    EXPECT_TRUE(members.display_name);
    EXPECT_FALSE(members.inputs);
  }
}

TEST(CallColumns, AreReadOnlyWhenNeeded) {
  const auto reads = [](const CallMembers& members, CallColumn column) {
    const std::vector<CallColumn> columns = members.columns();
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const CallMembers few = CallMembers::named({"id"}, false);
  EXPECT_FALSE(reads(few, CallColumn::kInputs));
  EXPECT_FALSE(reads(few, CallColumn::kSummary));
  EXPECT_TRUE(reads(few, CallColumn::kEndedAt)) << "the status needs it";
  EXPECT_TRUE(reads(CallMembers(), CallColumn::kOtelDump));
}

}  // namespace
}  // namespace spindle::tracing
