#include "agents/chat/completion_span.h"

#include <gtest/gtest.h>

#include "agents/query/span_time_for_test.h"

namespace spindle::agents {
namespace {

Completion asked() {
  Completion completion;
  completion.request = R"({"model":"m","messages":[{"role":"system","content":"Be brief."},)"
                       R"({"role":"user","content":"Hi"}],"temperature":0})";
  completion.started_at = at(1);
  return completion;
}

Completion answered() {
  Completion completion = asked();
  completion.response =
      R"({"id":"r1","model":"m-1","choices":[{"index":0,"finish_reason":"stop","message":)"
      R"({"role":"assistant","content":"Hello"}}],)"
      R"("usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}})";
  completion.ended_at = at(3);
  return completion;
}

TEST(CompletionSpan, IsOneModelSpanInItsOwnTrace) {
  const AgentSpan span = spanOfCompletion(answered());
  EXPECT_EQ(span.operation_name, "chat");
  EXPECT_EQ(span.span_kind, "CLIENT");
  EXPECT_EQ(span.parent_span_id, "");
  EXPECT_EQ(span.trace_id.size(), 32U);
  EXPECT_EQ(span.span_id.size(), 16U);
  EXPECT_NE(span.trace_id, spanOfCompletion(answered()).trace_id);
  EXPECT_EQ(span.started_at, at(1));
  EXPECT_EQ(span.ended_at, at(3));
}

TEST(CompletionSpan, IsNamedAfterItsSource) {
  Completion completion = answered();
  EXPECT_EQ(spanOfCompletion(completion).span_name, "Playground");
  EXPECT_EQ(spanOfCompletion(completion).agent_name, "Playground");
  EXPECT_EQ(spanOfCompletion(completion).custom.strings.at("svc.source"), "playground");
  completion.source = CompletionSource::kSignal;
  EXPECT_EQ(spanOfCompletion(completion).span_name, "Signal");
  EXPECT_EQ(spanOfCompletion(completion).agent_name, "Signal");
  EXPECT_EQ(spanOfCompletion(completion).custom.strings.at("svc.source"), "signal");
}

TEST(CompletionSpan, HasMessagesAndSystemInstructions) {
  const AgentSpan span = spanOfCompletion(answered());
  EXPECT_EQ(span.system_instructions, std::vector<std::string>{"Be brief."});
  ASSERT_EQ(span.input_messages.size(), 1U);
  EXPECT_EQ(span.input_messages[0].role, "user");
  EXPECT_EQ(span.input_messages[0].content, "Hi");
  ASSERT_EQ(span.output_messages.size(), 1U);
  EXPECT_EQ(span.output_messages[0].content, "Hello");
}

TEST(CompletionSpan, HasTheUsageAndTheModelsOfTheAnswer) {
  const AgentSpan span = spanOfCompletion(answered());
  EXPECT_EQ(span.input_tokens, 7);
  EXPECT_EQ(span.output_tokens, 2);
  EXPECT_EQ(span.request_model, "m");
  EXPECT_EQ(span.response_model, "m-1");
  EXPECT_EQ(span.response_id, "r1");
}

TEST(CompletionSpan, ShowsRequestedToolsAsLines) {
  Completion completion = answered();
  completion.response =
      R"({"model":"m-1","choices":[{"message":{"role":"assistant","content":"Let me see.",)"
      R"("tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":)"
      R"("{\"at\":1}"}},{"id":"b","type":"function","function":{"name":"hear","arguments":"{}"}}]}}]})";
  const AgentSpan span = spanOfCompletion(completion);
  ASSERT_EQ(span.output_messages.size(), 1U);
  EXPECT_EQ(span.output_messages[0].content,
            "Let me see.\nTool call: look({\"at\":1})\nTool call: hear({})");
}

TEST(CompletionSpan, StatusIsOkErrorOrUnset) {
  EXPECT_EQ(spanOfCompletion(answered()).status_code, "OK");
  EXPECT_EQ(spanOfCompletion(answered()).error_type, "");
  const AgentSpan open = spanOfCompletion(asked());
  EXPECT_EQ(open.status_code, "UNSET");
  EXPECT_EQ(open.ended_at, std::nullopt);
  Completion failed = asked();
  failed.ended_at = at(2);
  failed.failure = "no such model";
  const AgentSpan span = spanOfCompletion(failed);
  EXPECT_EQ(span.status_code, "ERROR");
  EXPECT_EQ(span.error_type, "LLMError");
  EXPECT_EQ(span.status_message, "no such model");
  EXPECT_EQ(span.input_messages.size(), 1U);
}

TEST(CompletionSpan, HasUserAndConversation) {
  Completion completion = answered();
  completion.user_id = "usr_1";
  completion.conversation_id = "c1";
  EXPECT_EQ(spanOfCompletion(completion).svc_user_id, "usr_1");
  EXPECT_EQ(spanOfCompletion(completion).conversation_id, "c1");
}

}  // namespace
}  // namespace spindle::agents
