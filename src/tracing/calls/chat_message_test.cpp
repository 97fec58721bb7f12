#include <gtest/gtest.h>

#include "tracing/calls/chat_message_json.h"

namespace spindle::tracing {
namespace {

std::string joined(const std::vector<ChatMessageJson>& messages) {
  std::string text;
  for (const ChatMessageJson& message : messages) text += message.json + "\n";
  return text;
}

std::string ofMessage(const std::string& json) {
  auto parsed = json::Document::parse(json);
  const auto* document = std::get_if<json::Document>(&parsed);
  return document == nullptr ? "no JSON" : joined(chatMessagesOf(document->root()));
}

TEST(ChatMessages, KeepChatCompletionMessages) {
  for (const std::string own : {
           R"({"role":"user","content":"a"})",
           R"({"role":"user","content":[{"type":"text","text":"a"}],"name":"n"})",
           R"({"role":"assistant","content":null,"tool_calls":[{"id":"1"}]})",
           R"({"role":"tool","tool_call_id":"1","content":"r","colour":"red"})",
       }) {
    EXPECT_EQ(ofMessage(own), own + "\n");
  }
}

TEST(ChatMessages, AreBuiltFromParts) {
  EXPECT_EQ(ofMessage(R"({"role":"user","parts":[{"type":"text","content":"a"},"b"]})"),
            "{\"role\":\"user\",\"content\":\"a\\nb\"}\n");
  EXPECT_EQ(ofMessage(R"({"role":"model","parts":[{"type":"reasoning","content":"hm"},
                {"type":"tool_call","id":"c1","name":"add","arguments":{"a": 1}}]})"),
            "{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\",\"tool_calls\":"
            "[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"add\","
            "\"arguments\":\"{\\\"a\\\":1}\"}}]}\n");
  EXPECT_EQ(
      ofMessage(R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f"}]})"),
      "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":"
      "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}\n");
}

TEST(ChatMessages, SeparateToolResults) {
  EXPECT_EQ(ofMessage(R"({"role":"tool","parts":[
                {"type":"tool_call_response","id":"1","response":"x"},
                {"type":"tool_call_response","id":"2","result":{"y": 2}}]})"),
            "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"x\"}\n"
            "{\"role\":\"tool\",\"tool_call_id\":\"2\",\"content\":\"{\\\"y\\\":2}\"}\n");
  EXPECT_EQ(ofMessage(R"({"role":"user","content":[
                {"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"}]},
                {"type":"text","text":"go on"}]})"),
            "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"x\"}\n"
            "{\"role\":\"user\",\"content\":\"go on\"}\n");
}

TEST(ChatMessages, KeepMedia) {
  EXPECT_EQ(ofMessage(R"({"role":"user","parts":[{"type":"text","content":"see"},
                {"type":"uri","uri":"u"}]})"),
            "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},"
            "{\"type\":\"uri\",\"uri\":\"u\"}]}\n");
}

TEST(ChatMessages, AcceptStringsAndParts) {
  EXPECT_EQ(joined(chatMessagesOf("user", "[a")), "{\"role\":\"user\",\"content\":\"[a\"}\n");
  EXPECT_EQ(joined(chatMessagesOf("ai", R"(["a"])")),
            "{\"role\":\"assistant\",\"content\":\"a\"}\n");
  EXPECT_EQ(joined(chatMessagesOf("tool", "a")), "{\"role\":\"tool\",\"content\":\"a\"}\n");
  EXPECT_EQ(joined(chatMessagesOf("human", "a")), "{\"role\":\"user\",\"content\":\"a\"}\n");
}

TEST(ChatMessages, IgnoreOtherValues) {
  for (const std::string other : {"1", "\"a\"", "{}", R"({"role":1})", "[]"}) {
    EXPECT_EQ(ofMessage(other), "") << other;
  }
  EXPECT_EQ(ofMessage(R"({"role":"odd","content":"a"})"),
            "{\"role\":\"user\",\"content\":\"a\"}\n");
}

TEST(ChatTools, AreWrapped) {
  EXPECT_EQ(chatToolsOf(R"([{"type":"function","name":"f","description":"d","parameters":{}},
                            {"name":"g","input_schema":{"a": 1}},
                            {"type":"function","function":{"name":"h"}}, {"type":"web"}])"),
            R"([{"type":"function","function":{"name":"f","description":"d","parameters":{}}},)"
            R"({"type":"function","function":{"name":"g","parameters":{"a":1}}},)"
            R"({"type":"function","function":{"name":"h"}}])");
  for (const std::string none : {"", "{}", "[]", "[1]", "nonsense", "[broken"}) {
    EXPECT_EQ(chatToolsOf(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace spindle::tracing
