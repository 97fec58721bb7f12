#include "training/data/chat_row.h"

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

const std::string request_inputs = R"({"model":"m","messages":[{"role":"user","content":"2+2"}]})";

TEST(ChatRows, AreReadOutOfChatCompletions) {
  const std::optional<ChatRow> row = chatRowOf(
      R"({"self":{},"messages":[ {"role":"user","content":"2+2"} ],"tools":[{"name":"f"}]})",
      R"({"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",)"
      R"("content":"4"},"token_ids":[1]}],"prompt_token_ids":[7,8]})");
  ASSERT_TRUE(row);
  EXPECT_EQ(exampleLine(*row, row->answers[0]),
            R"({"messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":"4"}],)"
            R"("tools":[{"name":"f"}]})");
  EXPECT_EQ(trajectoryJson(*row, row->answers[0], 0.5, {{"call_id", "c"}}),
            R"({"messages_and_choices":[{"role":"user","content":"2+2"},{"index":0,)"
            R"("finish_reason":"stop","message":{"role":"assistant","content":"4"},)"
            R"("token_ids":[1],"prompt_token_ids":[7,8]}],"tools":[{"name":"f"}],"reward":0.5,)"
            R"("metadata":{"call_id":"c"}})");
}

TEST(ChatRows, AreReadOutOfMessagesAndTexts) {
  const std::optional<ChatRow> message =
      chatRowOf(request_inputs, R"({"role":"assistant","content":"4"})");
  ASSERT_TRUE(message);
  ASSERT_EQ(message->answers.size(), 1u);
  EXPECT_FALSE(message->answers[0].choice);
  EXPECT_EQ(message->answers[0].message, R"({"role":"assistant","content":"4"})");
  const std::optional<ChatRow> text = chatRowOf(R"({"question":"2+2"})", R"("4")");
  ASSERT_TRUE(text);
  EXPECT_EQ(exampleLine(*text, text->answers[0]),
            R"({"messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":"4"}]})");
}

TEST(ChatRows, AreReadFromOpenTelemetryMessages) {
  const std::optional<ChatRow> row = chatRowOf(
      R"({"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"2+2"}]},)"
      R"({"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"f","arguments":{}}]},)"
      R"({"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"4"}]}]})",
      R"({"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text","content":"4"}],)"
      R"("finish_reason":"stop"}]})");
  ASSERT_TRUE(row);
  EXPECT_EQ(exampleLine(*row, row->answers[0]),
            R"({"messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":null,)"
            R"("tool_calls":[{"id":"1","type":"function","function":{"name":"f",)"
            R"("arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"4"},)"
            R"({"role":"assistant","content":"4"}]})");
}

TEST(ChatRows, AreReadOutOfArgumentsThatAreWholeRequests) {
  const std::string request =
      R"({"messages":[{"role":"user","content":"2+2"}],"tools":[{"name":"f"}]})";
  for (const std::string& inputs :
       {R"({"arg0":)" + request + "}", R"({"arg0":)" + request + R"(,"arg1":{"timeout":3}})",
        R"({"request":)" + request + "}"}) {
    const std::optional<ChatRow> row = chatRowOf(inputs, R"("4")");
    ASSERT_TRUE(row) << inputs;
    EXPECT_EQ(row->messages, R"([{"role":"user","content":"2+2"}])");
    EXPECT_EQ(row->tools, R"([{"name":"f"}])");
  }
  EXPECT_FALSE(chatRowOf(R"({"self":)" + request + R"(,"question":1})", R"("4")"));
}

TEST(ChatRows, HaveEveryChoiceThatWasSampled) {
  const std::optional<ChatRow> row =
      chatRowOf(request_inputs,
                R"({"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",)"
                R"("content":"4"},"token_ids":[1]},{"index":1,"message":null},)"
                R"({"index":2,"finish_reason":"stop","message":{"role":"assistant","content":"5"},)"
                R"("token_ids":[2]}],"prompt_token_ids":[7]})");
  ASSERT_TRUE(row);
  ASSERT_EQ(row->answers.size(), 2u);
  EXPECT_EQ(row->answers[0].message, R"({"role":"assistant","content":"4"})");
  EXPECT_EQ(row->answers[1].message, R"({"role":"assistant","content":"5"})");
  EXPECT_EQ(row->answers[1].choice,
            R"({"index":2,"finish_reason":"stop","message":{"role":"assistant","content":"5"},)"
            R"("token_ids":[2],"prompt_token_ids":[7]})");
}

const std::string user_message = R"({"role":"user","content":"Weather?"})";
const std::string calls_message = R"({"role":"assistant","content":null,"tool_calls":[]})";
const std::string tool_message = R"({"role":"tool","tool_call_id":"1","content":"4 C"})";

std::string questionIn(const std::string& messages) { return promptOf({messages}); }

TEST(PromptOfRow, EndsWhereTheModelStartsToWork) {
  const std::string system = R"({"role":"system","content":"Be brief."})";
  const std::string asked = "[" + system + "," + user_message + "]";
  EXPECT_EQ(questionIn(asked), asked);
  EXPECT_EQ(questionIn("[" + system + "," + user_message + "," + calls_message + "," +
                       tool_message + "]"),
            asked);
  EXPECT_EQ(questionIn("[ " + system + " , " + user_message + ",\n" + calls_message + "]"), asked);
}

TEST(PromptOfRow, IncludesExamplesAndEarlierMessages) {
  const std::string answer = R"({"role":"assistant","content":"Cold."})";
  const std::string asked = "[" + user_message + "," + answer + "," + user_message + "]";
  EXPECT_EQ(questionIn(asked), asked);
  EXPECT_EQ(questionIn("[" + user_message + "," + answer + "," + user_message + "," +
                       calls_message + "," + tool_message + "]"),
            asked);
}

TEST(PromptOfRow, IsTheFirstPromptOfTheConversation) {
  const std::string first_prompt = "[" + user_message + "]";
  const std::string later = "[" + user_message + "," + calls_message + "," + user_message + "]";
  EXPECT_EQ(promptOf({.messages = later, .first_prompt = first_prompt}), first_prompt);
}

TEST(PromptOfRow, IsAllMessagesWithoutUserMessage) {
  EXPECT_EQ(questionIn("[" + calls_message + "]"), "[" + calls_message + "]");
  EXPECT_EQ(questionIn("[]"), "[]");
}

TEST(Conversations, ContinueWhatTheyBeginWith) {
  const std::string one = "[" + user_message + "]";
  const std::string two = "[" + user_message + "," + calls_message + "]";
  EXPECT_TRUE(continues(two, one));
  EXPECT_TRUE(continues(one, one));
  EXPECT_FALSE(continues(one, two));
  EXPECT_FALSE(continues("[" + calls_message + "]", one));
  EXPECT_FALSE(continues("[1]", "[]"));
  EXPECT_FALSE(continues("[12]", "[1]"));
  EXPECT_FALSE(continues("", ""));
}

TEST(ChatRows, AreEmptyForOtherCalls) {
  EXPECT_FALSE(chatRowOf(request_inputs, "17"));
  EXPECT_FALSE(chatRowOf(request_inputs, R"({"role":"user","content":"4"})"));
  EXPECT_FALSE(chatRowOf(request_inputs, R"({"choices":[]})"));
  EXPECT_FALSE(chatRowOf(request_inputs, R"({"choices":[{"text":"4"}]})"));
  EXPECT_FALSE(chatRowOf(R"({"messages":[]})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"messages":["hi"]})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"a":"1","b":"2"})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"a":1})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"a":[1]})", R"("4")"));
  EXPECT_FALSE(chatRowOf(request_inputs, R"({"a":[{"role":"user","content":"4"}]})"));
  EXPECT_FALSE(chatRowOf("[]", R"("4")"));
}

TEST(MetadataOfAnExport, DescribesItsContent) {
  EXPECT_EQ(exportMetadata({"sft", 3, 3, "team/project"}),
            R"({"format":"jsonl","kind":"sft","num_trajectories":3,"project":"team/project"})");
  EXPECT_EQ(exportMetadata({"rl", 3, 2, "team/project"}),
            R"({"format":"jsonl","kind":"rl","num_trajectories":3,"num_groups":2,)"
            R"("project":"team/project"})");
}

}  // namespace
}  // namespace spindle::training
