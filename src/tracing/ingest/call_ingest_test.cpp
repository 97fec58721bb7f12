#include "tracing/ingest/call_ingest.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tracing/ingest/payload_for_test.h"

namespace spindle::tracing {
namespace {

constexpr auto kUuid = "0190a5e2-7a43-7c30-9d5e-3f2b8c1d4e5f";

class CallIngestTest : public ::testing::Test {
 protected:
  static StartInput start() {
    StartInput input;
    input.project_id = "team/app";
    input.id = kUuid;
    input.trace_id = kUuid;
    input.op_name = "op";
    input.started_at = Timestamp(std::chrono::seconds(1000));
    input.attributes.json = "{}";
    input.inputs.json = "{}";
    return input;
  }
  static EndInput end() {
    EndInput input;
    input.project_id = "team/app";
    input.id = kUuid;
    input.ended_at = Timestamp(std::chrono::seconds(1001));
    input.summary.json = "{}";
    return input;
  }
  static CompleteInput complete() {
    CompleteInput input;
    static_cast<StartInput&>(input) = start();
    input.ended_at = Timestamp(std::chrono::seconds(1001));
    input.summary.json = "{}";
    return input;
  }

  template <class T>
  static std::string reasonOf(const Result<T>& taken) {
    if (taken) return "taken";
    return std::to_string(static_cast<int>(taken.error().code() == ErrorCode::kInvalidArgument)) +
           " " + taken.error().message();
  }
  std::string started(const StartInput& input) { return reasonOf(toCallStart(input, intake_)); }
  std::string ended(const EndInput& input) { return reasonOf(toCallEnd(input, intake_)); }

  ProjectsForTest projects_;
  MediaForTest media_;
  PayloadPorts ports_{projects_, media_};
  IngestContext intake_{"team/app", "usr_1", std::nullopt, Timestamp(std::chrono::seconds(5000)),
                        ports_};
};

TEST_F(CallIngestTest, AcceptsUuidsAndOpenTelemetryIds) {
  for (const std::string_view id : {kUuid, "0123456789abcdef", "any 16 letters.."})
    EXPECT_TRUE(checkCallId(id)) << id;
  for (const std::string id :
       {"", "0190A5E2-7A43-7C30-9D5E-3F2B8C1D4E5F", "0190a5e27a437c309d5e3f2b8c1d4e5f",
        "0123456789ABCDEF", "0123456789abcde", "0190a5e2-7a43-7c30-9d5e-3f2b8c1d4e5g"}) {
    const Result<void> checked = checkCallId(id);
    ASSERT_FALSE(checked) << id;
    EXPECT_EQ(checked.error().message(), "Invalid UUID: " + id);
  }
}

TEST_F(CallIngestTest, ChecksEveryIdOfAStart) {
  StartInput input = start();
  input.id = "x";
  EXPECT_EQ(started(input), "1 Invalid UUID: x");
  input = start();
  input.parent_id = "y";
  EXPECT_EQ(started(input), "1 Invalid UUID: y");
  input = start();
  input.trace_id = "0123456789abcdef";
  EXPECT_EQ(started(input), "1 Invalid UUID: 0123456789abcdef") << "too short for a trace";
  input.trace_id = std::string(32, 'f');
  EXPECT_EQ(started(input), "taken");
  EndInput last = end();
  last.id = "z";
  EXPECT_EQ(ended(last), "1 Invalid UUID: z");
}

TEST_F(CallIngestTest, LimitsNamesByCharacters) {
  StartInput input = start();
  std::string longest;
  for (int i = 0; i < 128; ++i) longest += "\xC3\xA9";
  input.op_name = longest;
  EXPECT_EQ(started(input), "taken");
  input.op_name = longest + "x";
  EXPECT_EQ(started(input), "1 String too long: " + longest + "x. Max length is 128");
  input.op_name = "svc:///team/app/op/" + std::string(120, 'x') + ":" + std::string(64, 'd');
  EXPECT_EQ(started(input), "taken") << "a reference may be longer";
  input = start();
  input.display_name = std::string(1025, 'n');
  EXPECT_EQ(started(input),
            "1 String too long: " + std::string(1025, 'n') + ". Max length is 1024");
}

TEST_F(CallIngestTest, RejectsNegativeSteps) {
  StartInput input = start();
  input.svc_run_step = -1;
  EXPECT_NE(started(input), "taken");
  EndInput last = end();
  last.svc_run_step_end = -1;
  EXPECT_NE(ended(last), "taken");
  last.svc_run_step_end = 0;
  EXPECT_EQ(ended(last), "taken");
}

TEST_F(CallIngestTest, GeneratesMissingIds) {
  StartInput input = start();
  input.id.reset();
  input.trace_id.reset();
  const Result<CallStart> taken = toCallStart(input, intake_);
  ASSERT_TRUE(taken);
  EXPECT_TRUE(checkCallId(taken->id));
  EXPECT_EQ(taken->trace_id.size(), 36U);
  EXPECT_NE(taken->id, taken->trace_id);
}

TEST_F(CallIngestTest, SetsUserFromCredentialAndQualifiesRuns) {
  StartInput input = start();
  input.svc_user_id = "somebody else";
  input.svc_run_id = "run";
  Result<CallStart> taken = toCallStart(input, intake_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->user_id, "usr_1");
  EXPECT_EQ(taken->run_id, "team/app/run");
  input.svc_run_id = "e/p/r";
  EXPECT_EQ(toCallStart(input, intake_)->run_id, "e/p/r");
  input.svc_run_id = "";
  EXPECT_EQ(toCallStart(input, intake_)->run_id, std::nullopt);
}

TEST_F(CallIngestTest, MakesRefsInternal) {
  StartInput input = start();
  input.op_name = "svc:///team/app/op/f:d1";
  input.inputs.json = R"({"m":"svc:///team/app/object/o:d2"})";
  const Result<CallStart> taken = toCallStart(input, intake_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->op_name, "svc-trace-internal:///prj_1/op/f:d1");
  EXPECT_EQ(taken->input_refs,
            (std::vector<std::string>{"svc-trace-internal:///prj_1/object/o:d2"}));
}

TEST_F(CallIngestTest, SetsTheExpiry) {
  EXPECT_EQ(toCallStart(start(), intake_)->expire_at, std::nullopt);
  IngestContext kept{"team/app", "usr_1", 2, intake_.now, ports_};
  EXPECT_EQ(toCallStart(start(), kept)->expire_at, start().started_at + std::chrono::hours(48));
}

TEST_F(CallIngestTest, CountsStoredBytes) {
  StartInput input = start();
  input.attributes.json = R"({"a":1})";        // 8 with a space
  input.inputs.json = R"({"b":[1,2]})";        // 13
  input.otel_dump = json::Text{R"({"c":1})"};  // 8
  EXPECT_EQ(toCallStart(input, intake_)->bytes, 29);
  EndInput last = end();
  EXPECT_EQ(toCallEnd(last, intake_)->output_bytes, 4) << "null";
  last.output = json::Text{"[1,2]"};
  EXPECT_EQ(toCallEnd(last, intake_)->output_bytes, 6);
  EXPECT_EQ(toCallEnd(last, intake_)->summary_bytes, 2);
}

TEST_F(CallIngestTest, TreatsNullOutputAsMissing) {
  EndInput last = end();
  last.output = json::Text{"null"};
  EXPECT_EQ(toCallEnd(last, intake_)->output, std::nullopt);
}

TEST_F(CallIngestTest, CountsDescendantErrors) {
  EndInput last = end();
  last.summary.json = R"({"status_counts":{"success":1,"error":3}})";
  EXPECT_EQ(toCallEnd(last, intake_)->descendant_errors, 3);
  last.summary.json = R"({"status_counts":null})";
  EXPECT_EQ(toCallEnd(last, intake_)->descendant_errors, 0);
}

TEST_F(CallIngestTest, CopiesTheUsageOfTheSummary) {
  EndInput last = end();
  EXPECT_EQ(toCallEnd(last, intake_)->usage, ReportedUsage());
  last.summary.json = R"({"usage":{"m":{"prompt_tokens":3,"output_tokens":1}}})";
  EXPECT_EQ(toCallEnd(last, intake_)->usage, (ReportedUsage{1, "m", 3, 1}));
  last.summary.json = R"({"usage":{"m":{},"n":{}}})";
  EXPECT_EQ(toCallEnd(last, intake_)->usage, ReportedUsage{2});
}

TEST_F(CallIngestTest, ReplacesTheLargestPayloadsUntilTheRowFits) {
  const auto text = [](std::size_t bytes) {
    return json::Text{"{\"x\":\"" + std::string(bytes, 'a') + "\"}"};
  };
  CompleteInput input = complete();
  input.inputs = text(2'000'000);
  input.attributes = text(1'000'000);
  input.output = text(1'500'000);
  const Result<CallComplete> taken = toCallComplete(input, intake_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->start.inputs, exceedsLimits());
  EXPECT_EQ(taken->start.attributes.size(), 1'000'008U);
  EXPECT_EQ(taken->end.output->size(), 1'500'008U);
  // The size is that of the stored value: a marker of 39 bytes instead of the inputs.
  EXPECT_EQ(taken->start.bytes, 39 + 1'000'009);
  EXPECT_EQ(taken->end.output_bytes, 1'500'009);
}

TEST_F(CallIngestTest, LimitsStartsAndEndsSeparately) {
  const std::string big = "{\"x\":\"" + std::string(4'000'000, 'a') + "\"}";
  StartInput input = start();
  input.attributes.json = big;
  EXPECT_EQ(toCallStart(input, intake_)->attributes, exceedsLimits());
  EXPECT_EQ(toCallStart(input, intake_)->bytes, 39 + 2);
  EndInput last = end();
  last.output = json::Text{big};
  EXPECT_EQ(toCallEnd(last, intake_)->output, exceedsLimits());
  EXPECT_EQ(toCallEnd(last, intake_)->output_bytes, 39);
}

TEST_F(CallIngestTest, RejectsExcessiveNesting) {
  StartInput input = start();
  input.inputs.json = std::string(R"({"a":)") + std::string(200, '[') + std::string(200, ']') + "}";
  const Result<CallStart> taken = toCallStart(input, intake_);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace spindle::tracing
