#include "agents/chat/call_to_span.h"

#include <string>

#include <gtest/gtest.h>

#include "agents/chat/chat_for_test.h"
#include "agents/chat/chat_projection.h"
#include "agents/query/span_time_for_test.h"

namespace spindle::agents {
namespace {

using tracing::Call;

Call call(const std::string& id,
          const std::string& op,
          double start,
          double end,
          const std::string& parent,
          const std::string& inputs,
          const std::string& output) {
  Call made;
  made.id = id;
  made.trace_id = "trace";
  made.op_name = "svc-trace-internal:///P/op/" + op + ":v1";
  made.started_at = at(start);
  made.ended_at = at(end);
  if (!parent.empty()) made.parent_id = parent;
  made.attributes = "{}";
  made.inputs = inputs;
  made.output = output;
  made.summary = "{}";
  return made;
}

Chat chatOf(const std::vector<Call>& calls) {
  const std::vector<AgentSpan> spans = spansOfCalls(calls);
  return projectChat(spans, std::vector<std::optional<pricing::Cost>>(spans.size()));
}

Texts messageTexts(const Chat& chat) {
  struct What : PayloadText {
    using PayloadText::operator();
    std::string operator()(const ToolCall& m) const {
      return m.tool_name + " " + m.tool_arguments.value_or("") + " -> " +
             m.tool_result.value_or("");
    }
  };
  Texts texts;
  for (const ChatMessage& message : chat.messages)
    texts.push_back(std::visit(What{}, message.payload));
  return texts;
}

TEST(CallsAsChat, AChatCompletionIsRead) {
  Call one = call(
      "c1", "openai.chat.completions.create", 0, 2, "",
      R"({"self":"ref","model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},)"
      R"({"role":"user","content":[{"type":"text","text":"What is this?"},)"
      R"({"type":"image_url","image_url":{"url":"svc-trace-internal:///P/object/pic:D"}}]}]})",
      R"({"id":"r1","object":"chat.completion","model":"gpt-4o-2024-08-06","choices":[{"index":0,)"
      R"("finish_reason":"stop","message":{"role":"assistant","content":"A cat."}}],)"
      R"("usage":{"prompt_tokens":10,"completion_tokens":3,)"
      R"("completion_tokens_details":{"reasoning_tokens":1}}})");
  const Chat chat = chatOf({one});
  EXPECT_EQ(messageTexts(chat), (Texts{"What is this?", "Be brief.", "A cat."}));
  EXPECT_EQ(std::get<UserMessage>(chat.messages[0].payload).content_refs,
            (Texts{"svc-trace-internal:///P/object/pic:D"}));
  const auto& answer = std::get<AssistantMessage>(chat.messages[2].payload);
  EXPECT_EQ(answer.model, "gpt-4o-2024-08-06");
  EXPECT_EQ(answer.input_tokens, 10);
  EXPECT_EQ(answer.output_tokens, 3);
  EXPECT_EQ(answer.reasoning_tokens, 1);
  EXPECT_EQ(chat.root->provider, "openai");
  EXPECT_EQ(chat.messages[2].span_id, "c1");
}

TEST(CallsAsChat, RequestedToolsAreShownWithTheirResults) {
  const Call root =
      call("r", "agent", 0, 9, "", R"({"question":"Weather in Oslo?"})", R"("4 C in Oslo.")");
  const Call ask = call(
      "c1", "openai.chat.completions.create", 1, 2, "r",
      R"({"model":"m","messages":[{"role":"user","content":"Weather in Oslo?"}],)"
      R"("tools":[{"type":"function","function":{"name":"forecast"}}]})",
      R"({"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1",)"
      R"("type":"function","function":{"name":"forecast","arguments":"{\"city\":\"Oslo\"}"}}]}}]})");
  const Call answer =
      call("c2", "openai.chat.completions.create", 4, 5, "r",
           R"({"model":"m","messages":[{"role":"user","content":"Weather in Oslo?"},)"
           R"({"role":"assistant","content":null,"tool_calls":[{"id":"t1"}]},)"
           R"({"role":"tool","tool_call_id":"t1","content":"4 C"}]})",
           R"({"choices":[{"message":{"role":"assistant","content":"4 C in Oslo."}}]})");
  const Chat chat = chatOf({root, ask, answer});
  EXPECT_EQ(messageTexts(chat),
            (Texts{"Weather in Oslo?", "-", R"(forecast {"city":"Oslo"} -> 4 C)", "4 C in Oslo."}));
  EXPECT_EQ(std::get<ToolCall>(chat.messages[2].payload).duration_ms, 2000);
  EXPECT_EQ(chat.root->name, "agent");
}

TEST(CallsAsChat, AToolWithItsOwnCallIsShownOnce) {
  const Call root = call("r", "agent", 0, 9, "", R"({"question":"q"})", R"("a")");
  const Call ask =
      call("c1", "openai.chat.completions.create", 1, 2, "r",
           R"({"model":"m","messages":[{"role":"user","content":"q"}]})",
           R"({"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1",)"
           R"("function":{"name":"forecast","arguments":"{}"}}]}}]})");
  const Call tool = call("t", "forecast", 3, 4, "r", R"({"city":"Oslo"})", R"({"celsius":4})");
  EXPECT_EQ(messageTexts(chatOf({root, ask, tool})),
            (Texts{"q", "-", R"(forecast {"city":"Oslo"} -> {"celsius":4})", "a"}));
}

TEST(CallsAsChat, ResponsesAreRead) {
  const Call one = call(
      "c1", "create", 0, 2, "",
      R"({"model":"o4-mini","instructions":"Be brief.","input":[{"role":"user","content":)"
      R"([{"type":"input_text","text":"Weather?"}]},{"type":"function_call","call_id":"f1",)"
      R"("name":"forecast","arguments":"{}"},{"type":"function_call_output","call_id":"f1",)"
      R"("output":"4 C"},{"role":"user","content":"And now?"}]})",
      R"({"id":"resp","object":"response","model":"o4-mini","output":[{"type":"reasoning",)"
      R"("summary":[{"type":"summary_text","text":"Ask again."}]},{"type":"function_call",)"
      R"("call_id":"f2","name":"forecast","arguments":"{\"again\":true}"},{"type":"message",)"
      R"("role":"assistant","content":[{"type":"output_text","text":"Still 4 C."}]}],)"
      R"("usage":{"input_tokens":8,"output_tokens":4,"output_tokens_details":{"reasoning_tokens":2}}})");
  const Chat chat = chatOf({one});
  EXPECT_EQ(messageTexts(chat),
            (Texts{"And now?", "Be brief.", "Still 4 C.", R"(forecast {"again":true} -> )"}));
  const auto& answer = std::get<AssistantMessage>(chat.messages[2].payload);
  EXPECT_EQ(answer.reasoning_content, "Ask again.");
  EXPECT_EQ(answer.reasoning_tokens, 2);
  EXPECT_EQ(answer.input_tokens, 8);
}

TEST(CallsAsChat, AResponseToAPlainTextIsRead) {
  const Call one = call("c1", "create", 0, 2, "", R"({"model":"m","input":"hi"})",
                        R"({"responses":[{"model":"m","output":[{"type":"message",)"
                        R"("role":"assistant","content":[{"type":"output_text","text":"yo"}]}],)"
                        R"("usage":{"input_tokens":1,"output_tokens":2}}]})");
  EXPECT_EQ(messageTexts(chatOf({one})), (Texts{"hi", "yo"}));
}

TEST(CallsAsChat, MessagesOfAnthropicAreRead) {
  const Call ask = call(
      "c1", "anthropic.Messages.create", 0, 2, "",
      R"({"model":"claude","system":[{"type":"text","text":"Be brief."}],"max_tokens":9,)"
      R"("messages":[{"role":"user","content":"Weather?"}]})",
      R"({"id":"msg","type":"message","role":"assistant","model":"claude","content":[)"
      R"({"type":"thinking","thinking":"Use the tool."},{"type":"text","text":"Let me look."},)"
      R"({"type":"tool_use","id":"tu1","name":"forecast","input":{"city":"Oslo"}}],)"
      R"("stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":6}})");
  const Call answer = call(
      "c2", "anthropic.Messages.create", 3, 4, "",
      R"({"model":"claude","system":"Be brief.","messages":[{"role":"user","content":"Weather?"},)"
      R"({"role":"assistant","content":[{"type":"tool_use","id":"tu1"}]},{"role":"user","content":)"
      R"([{"type":"tool_result","tool_use_id":"tu1","content":[{"type":"text","text":"4 C"}]}]}]})",
      R"({"role":"assistant","content":[{"type":"text","text":"4 C."}],"stop_reason":"end_turn"})");
  const Chat chat = chatOf({ask, answer});
  EXPECT_EQ(messageTexts(chat), (Texts{"Weather?", "Be brief.", "Let me look.",
                                       R"(forecast {"city":"Oslo"} -> 4 C)", "4 C."}));
  EXPECT_EQ(std::get<AssistantMessage>(chat.messages[2].payload).reasoning_content,
            "Use the tool.");
}

TEST(CallsAsChat, StreamedAnswersAreReadCombinedOrAsChunks) {
  const std::string inputs =
      R"({"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]})";
  // The combined form of the npm SDK.
  const Call whole = call("c1", "openai.chat.completions.create", 0, 1, "", inputs,
                          R"({"id":"r","object":"chat.completion.chunk","model":"m","choices":[)"
                          R"({"index":0,"message":{"role":"assistant","content":"yo",)"
                          R"("function_call":null},"finish_reason":"stop"}],"usage":)"
                          R"({"prompt_tokens":1,"completion_tokens":2}})");
  EXPECT_EQ(messageTexts(chatOf({whole})), (Texts{"hi", "yo"}));
  const Call pieces =
      call("c1", "openai.chat.completions.create", 0, 1, "", inputs,
           R"([{"model":"m","choices":[{"delta":{"role":"assistant","content":"y"}}]},)"
           R"({"choices":[{"delta":{"content":"o","tool_calls":[{"index":0,"id":"t1",)"
           R"("function":{"name":"f","arguments":"{\"a\""}}]}}]},{"choices":[{"delta":)"
           R"({"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]},)"
           R"({"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}])");
  EXPECT_EQ(messageTexts(chatOf({pieces})), (Texts{"hi", "yo", R"(f {"a":1} -> )"}));
}

TEST(CallsAsChat, PlainFunctionsAreAgentsAndTools) {
  const Call root = call("r", "pipeline", 0, 9, "", R"({"a":1,"b":[2]})", R"({"sum":3})");
  const Call step = call("s", "add", 1, 2, "r", R"({"x":1})", "3");
  const Chat chat = chatOf({root, step});
  EXPECT_EQ(messageTexts(chat),
            (Texts{R"({"a":1,"b":[2]})", "-", R"(add {"x":1} -> 3)", R"({"sum":3})"}));
  EXPECT_EQ(chat.messages[1].agent_name, "pipeline");
}

TEST(CallsAsChat, UsageThatIsReportedUpwardsCountsOnce) {
  Call outer = call("o", "langchain.invoke", 0, 9, "",
                    R"({"messages":[{"role":"user","content":"hi"}]})", R"("yo")");
  outer.summary = R"({"usage":{"m":{"prompt_tokens":7,"completion_tokens":1}}})";
  Call inner = call("i", "openai.chat.completions.create", 1, 2, "o",
                    R"({"model":"m","messages":[{"role":"user","content":"hi"}]})",
                    R"({"choices":[{"message":{"role":"assistant","content":"yo"}}]})");
  inner.summary = R"({"usage":{"m":{"prompt_tokens":7,"completion_tokens":1}}})";
  const Chat chat = chatOf({outer, inner});
  EXPECT_EQ(chat.input_tokens, 7);
  EXPECT_EQ(messageTexts(chat), (Texts{"hi", "yo"}));
}

TEST(CallsAsChat, FailuresAndOpenCallsAreShown) {
  Call failed = call("f", "openai.chat.completions.create", 0, 1, "",
                     R"({"model":"m","messages":[{"role":"user","content":"hi"}]})", "");
  failed.output = std::nullopt;
  failed.exception = "RateLimitError";
  Chat chat = chatOf({failed});
  EXPECT_EQ(messageTexts(chat), (Texts{"hi", "~"}));
  EXPECT_EQ(chat.messages[1].status_code, "ERROR");
  failed.exception = std::nullopt;
  failed.ended_at = std::nullopt;
  chat = chatOf({failed});
  EXPECT_EQ(messageTexts(chat), (Texts{"hi"}));
  EXPECT_EQ(chat.root->status_code, "UNSET");
}

TEST(CallsAsChat, AttributesCanNameTheOperation) {
  Call tool = call("t", "lookup", 0, 1, "", R"({"q":"x"})", R"("y")");
  tool.attributes = R"({"kind":"TOOL"})";
  EXPECT_EQ(messageTexts(chatOf({tool})), (Texts{R"(lookup {"q":"x"} -> y)"}));
  Call model = call("m", "chat", 0, 1, "",
                    R"({"gen_ai.input.messages":[{"role":"user","parts":)"
                    R"([{"type":"text","content":"hi"}]}]})",
                    R"({"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text",)"
                    R"("content":"yo"}]}]})");
  model.attributes = R"({"operation_name":"chat","agent_name":"bot"})";
  const Chat chat = chatOf({model});
  EXPECT_EQ(messageTexts(chat), (Texts{"hi", "yo"}));
  EXPECT_EQ(chat.messages[1].agent_name, "bot");
}

}  // namespace
}  // namespace spindle::agents
