#include "agents/chat/trace_conversation.h"

#include <chrono>

#include <gtest/gtest.h>

#include "agents/query/span_time_for_test.h"

namespace spindle::agents {
namespace {

AgentSpan span(const std::string& id, double start, const std::string& operation) {
  AgentSpan made;
  made.trace_id = "t";
  made.span_id = id;
  made.parent_span_id = operation == "invoke_agent" ? "" : "root";
  made.span_name = operation + " " + id;
  made.operation_name = operation;
  made.started_at = at(start);
  made.ended_at = made.started_at + std::chrono::milliseconds(400);
  made.status_code = "OK";
  return made;
}

AgentSpan model(const std::string& id,
                double start,
                std::vector<SpanMessage> input,
                const std::string& output) {
  AgentSpan made = span(id, start, "chat");
  made.input_messages = std::move(input);
  made.output_messages = {{"assistant", output, "stop"}};
  return made;
}

AgentSpan tool(const std::string& id, double start, const std::string& result) {
  AgentSpan made = span(id, start, "execute_tool");
  made.tool_name = "look";
  made.tool_call_arguments = R"({"at":")" + id + R"("})";
  made.tool_call_result = result;
  return made;
}

std::string call(const std::string& id, const std::string& at) {
  return R"({"id":")" + id +
         R"(","type":"function","function":{"name":"look","arguments":"{\"at\":\")" + at +
         R"(\"}"}})";
}
std::string result(const std::string& id, const std::string& text) {
  return R"({"role":"tool","tool_call_id":")" + id + R"(","content":")" + text + R"("})";
}

const std::string asked_where = R"({"role":"user","content":"where?"})";

TEST(AConversationOfATrace, IsTheInputAndAnswerOfTheLastModel) {
  AgentSpan root = span("root", 0, "invoke_agent");
  root.tool_definitions = R"([{"name":"look"}])";
  AgentSpan first =
      model("m1", 1, {{"user", "where?", ""}},
            R"([{"type":"tool_call","id":"c","name":"look","arguments":{"at":"x"}}])");
  AgentSpan last = model(
      "m2", 3,
      {{"user", "where?", ""},
       {"assistant", R"([{"type":"tool_call","id":"c","name":"look","arguments":{"at":"x"}}])", ""},
       {"tool", R"([{"type":"tool_call_response","id":"c","response":"here"}])", ""}},
      R"([{"type":"text","content":"Here."}])");
  last.system_instructions = {"Be", "brief"};
  const std::optional<TraceConversation> made =
      conversationOf({root, first, tool("x", 2, "here"), last});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->messages, R"([{"role":"system","content":"Be\nbrief"},)" + asked_where +
                                R"(,{"role":"assistant","content":null,"tool_calls":[)" +
                                call("c", "x") + "]}," + result("c", "here") + "]");
  EXPECT_EQ(made->answer, R"({"role":"assistant","content":"Here."})");
  EXPECT_EQ(made->tools, R"([{"type":"function","function":{"name":"look"}}])");
}

TEST(AConversationOfATrace, IsBuiltFromAllSpansWithoutHistory) {
  AgentSpan root = span("root", 0, "invoke_agent");
  root.agent_name = "finder";
  root.system_instructions = {"Be brief"};
  // Two parallel tool calls, then one more.
  const std::optional<TraceConversation> made = conversationOf(
      {root, model("m1", 1, {{"user", "where?", ""}}, "Looking."), tool("a", 2, "no"),
       tool("b", 2.5, "no"), model("m2", 3, {{"tool", "no", ""}}, ""), tool("c", 4, "yes"),
       model("m3", 5, {{"tool", "yes", ""}}, "There.")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->messages, R"([{"role":"system","content":"Be brief"},)" + asked_where +
                                R"(,{"role":"assistant","content":"Looking.","tool_calls":[)" +
                                call("call_1", "a") + "," + call("call_2", "b") + "]}," +
                                result("call_1", "no") + "," + result("call_2", "no") +
                                R"(,{"role":"assistant","content":null,"tool_calls":[)" +
                                call("call_3", "c") + "]}," + result("call_3", "yes") + "]");
  EXPECT_EQ(made->answer, R"({"role":"assistant","content":"There."})");
  EXPECT_FALSE(made->tools);
}

TEST(AConversationOfATrace, IsBuiltFromAllSpansWithoutToolCalls) {
  const std::optional<TraceConversation> made = conversationOf(
      {model("m1", 1, {{"user", "where?", ""}}, ""), tool("a", 2, "there"),
       model("m2", 3, {{"user", "where?", ""}, {"assistant", "", ""}, {"tool", "there", ""}},
             "There.")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->messages, "[" + asked_where +
                                R"(,{"role":"assistant","content":null,"tool_calls":[)" +
                                call("call_1", "a") + "]}," + result("call_1", "there") + "]");
}

TEST(AConversationOfATrace, WorksForAnAgentWithoutModelSpans) {
  AgentSpan root = span("root", 0, "invoke_agent");
  root.input_messages = {{"user", "where?", ""}};
  root.output_messages = {{"assistant", "Nowhere.", ""}};
  const std::optional<TraceConversation> made = conversationOf({root});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->messages, "[" + asked_where + "]");
  EXPECT_EQ(made->answer, R"({"role":"assistant","content":"Nowhere."})");
}

TEST(AConversationOfATrace, EndsWithTheLastSuccess) {
  AgentSpan failed = model(
      "m2", 3, {{"user", "where?", ""}, {"assistant", "Here.", ""}, {"user", "sure?", ""}}, "Er");
  failed.status_code = "ERROR";
  const std::optional<TraceConversation> made =
      conversationOf({model("m1", 1, {{"user", "where?", ""}}, "Here."), failed});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->messages, "[" + asked_where + "]");
  EXPECT_EQ(made->answer, R"({"role":"assistant","content":"Here."})");
}

TEST(AConversationOfATrace, NeedsAnAnswer) {
  EXPECT_FALSE(conversationOf({}));
  EXPECT_FALSE(conversationOf({span("root", 0, "invoke_agent")}));
  EXPECT_FALSE(conversationOf({tool("a", 1, "x")}));
  EXPECT_FALSE(conversationOf({model("m", 1, {}, "Unasked.")}));
}

}  // namespace
}  // namespace spindle::agents
