#include "transfer/call_line.h"

#include <gtest/gtest.h>

#include "wire/spelling.h"

namespace spindle::transfer {
namespace {

const CallLineOptions default_options{"new/app", false};

std::string sendable(std::string line, const CallLineOptions& options = default_options) {
  const Result<ImportCall> call = readCallLine(std::move(line), options);
  return call ? (call->ended ? "ended " : "started ") + call->json : call.error().message();
}

TEST(CallLine, ConvertsAnEndedCallToACompleteRecord) {
  EXPECT_EQ(
      sendable(
          R"({"id":"1","project_id":"old/app","op_name":"op","display_name":"mine","trace_id":"2",)"
          R"("parent_id":"3","thread_id":"t","turn_id":null,"started_at":"2026-01-01T00:00:00Z",)"
          R"("attributes":{"a":1.10},"inputs":{"b":[]},"ended_at":"2026-01-01T00:00:01Z",)"
          R"("exception":"boom","output":"svc:///old/app/op/x:1","summary":{"usage":{"m":{}},)"
          R"("svc":{"status":"error","latency_ms":1000,"display_name":"mine"}},"svc_user_id":"u",)"
          R"("svc_run_id":"old/app/r","svc_run_step":1,"svc_run_step_end":2,"deleted_at":null,)"
          R"("expire_at":null,"storage_size_bytes":null,"total_storage_size_bytes":null})"),
      R"(ended {"project_id":"new/app","id":"1","trace_id":"2","op_name":"op",)"
      R"("started_at":"2026-01-01T00:00:00Z","attributes":{"a":1.10},"inputs":{"b":[]},)"
      R"("display_name":"mine","parent_id":"3","thread_id":"t","svc_run_id":"old/app/r",)"
      R"("svc_run_step":1,"ended_at":"2026-01-01T00:00:01Z","exception":"boom",)"
      R"("output":"svc:///new/app/op/x:1","svc_run_step_end":2,"summary":{"usage":{"m":{}}}})");
}

TEST(CallLine, ConvertsARunningCallToAStart) {
  EXPECT_EQ(sendable(R"({"id":"1","trace_id":"2","op_name":"op","started_at":"t","ended_at":null,)"
                     R"("output":null,"summary":{"svc":{"status":"running"}}})"),
            R"(started {"project_id":"new/app","id":"1","trace_id":"2","op_name":"op",)"
            R"("started_at":"t","attributes":{},"inputs":{}})");
}

TEST(CallLine, KeepsSummaryMembersThatAreNotDerived) {
  EXPECT_NE(sendable(R"({"id":"1","trace_id":"2","op_name":"op","started_at":"t","ended_at":"u",)"
                     R"("summary":{"svc":{"status":"success","note":"kept"},"x":1}})")
                .find(R"("summary":{"svc":{"note":"kept"},"x":1})"),
            std::string::npos);
}

TEST(CallLine, KeepsReferencesWithKeepRefs) {
  const std::string line =
      R"({"id":"1","project_id":"old/app","trace_id":"2","op_name":"svc:///old/app/op/x:1",)"
      R"("started_at":"t","inputs":{"m":"svc:///old/app/object/m:1"}})";
  EXPECT_NE(sendable(line).find(R"("op_name":"svc:///new/app/op/x:1")"), std::string::npos);
  EXPECT_NE(sendable(line).find(R"("inputs":{"m":"svc:///new/app/object/m:1"})"),
            std::string::npos);
  const std::string kept = sendable(line, {"new/app", true});
  EXPECT_NE(kept.find(R"("op_name":"svc:///old/app/op/x:1")"), std::string::npos);
  EXPECT_NE(kept.find(R"("inputs":{"m":"svc:///old/app/object/m:1"})"), std::string::npos);
}

TEST(CallLine, AcceptsTheVendorSpelling) {
  const auto vendor = [](std::string_view neutral) {
    return std::string(wire::memberFor(wire::Spelling::kVendor, neutral));
  };
  const std::string key(wire::platformKey(wire::Spelling::kVendor));
  EXPECT_EQ(
      sendable(R"({"id":"1","trace_id":"2","op_name":"op","started_at":"t","ended_at":"u",")" +
               vendor("svc_run_step") + R"(":4,"summary":{")" + key +
               R"(":{"status":"success"}}})"),
      R"(ended {"project_id":"new/app","id":"1","trace_id":"2","op_name":"op",)"
      R"("started_at":"t","attributes":{},"inputs":{},"svc_run_step":4,"ended_at":"u",)"
      R"("summary":{}})");
}

TEST(CallLine, ReportsWhyALineIsNotACall) {
  EXPECT_EQ(sendable("{\"id\":").substr(0, 8), "not JSON");
  EXPECT_EQ(sendable("[1]"), "not a JSON object");
  EXPECT_EQ(sendable(R"({"id":"1","op_name":"op"})"), "not a call: it has no \"trace_id\"");
  EXPECT_EQ(sendable(R"({"id":7})"), "not a call: it has no \"id\"");
}

}  // namespace
}  // namespace spindle::transfer
