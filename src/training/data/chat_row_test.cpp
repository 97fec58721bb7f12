#include "training/data/chat_row.h"

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

const std::string kAsked = R"({"model":"m","messages":[{"role":"user","content":"2+2"}]})";

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
  const std::optional<ChatRow> message = chatRowOf(kAsked, R"({"role":"assistant","content":"4"})");
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
  const std::optional<ChatRow> row = chatRowOf(
      kAsked, R"({"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",)"
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

const std::string kUser = R"({"role":"user","content":"Weather?"})";
const std::string kCalls = R"({"role":"assistant","content":null,"tool_calls":[]})";
const std::string kTold = R"({"role":"tool","tool_call_id":"1","content":"4 C"})";

std::string questionIn(const std::string& messages) { return promptOf({messages}); }

TEST(PromptOfRow, EndsWhereTheModelStartsToWork) {
  const std::string system = R"({"role":"system","content":"Be brief."})";
  const std::string asked = "[" + system + "," + kUser + "]";
  EXPECT_EQ(questionIn(asked), asked);
  EXPECT_EQ(questionIn("[" + system + "," + kUser + "," + kCalls + "," + kTold + "]"), asked);
  EXPECT_EQ(questionIn("[ " + system + " , " + kUser + ",\n" + kCalls + "]"), asked);
}

TEST(PromptOfRow, IncludesExamplesAndEarlierMessages) {
  const std::string answer = R"({"role":"assistant","content":"Cold."})";
  const std::string asked = "[" + kUser + "," + answer + "," + kUser + "]";
  EXPECT_EQ(questionIn(asked), asked);
  EXPECT_EQ(questionIn("[" + kUser + "," + answer + "," + kUser + "," + kCalls + "," + kTold + "]"),
            asked);
}

TEST(PromptOfRow, IsTheFirstPromptOfTheConversation) {
  const std::string first_prompt = "[" + kUser + "]";
  const std::string later = "[" + kUser + "," + kCalls + "," + kUser + "]";
  EXPECT_EQ(promptOf({.messages = later, .first_prompt = first_prompt}), first_prompt);
}

TEST(PromptOfRow, IsAllMessagesWithoutUserMessage) {
  EXPECT_EQ(questionIn("[" + kCalls + "]"), "[" + kCalls + "]");
  EXPECT_EQ(questionIn("[]"), "[]");
}

TEST(Conversations, ContinueWhatTheyBeginWith) {
  const std::string one = "[" + kUser + "]";
  const std::string two = "[" + kUser + "," + kCalls + "]";
  EXPECT_TRUE(continues(two, one));
  EXPECT_TRUE(continues(one, one));
  EXPECT_FALSE(continues(one, two));
  EXPECT_FALSE(continues("[" + kCalls + "]", one));
  EXPECT_FALSE(continues("[1]", "[]"));
  EXPECT_FALSE(continues("[12]", "[1]"));
  EXPECT_FALSE(continues("", ""));
}

TEST(ChatRows, AreEmptyForOtherCalls) {
  EXPECT_FALSE(chatRowOf(kAsked, "17"));
  EXPECT_FALSE(chatRowOf(kAsked, R"({"role":"user","content":"4"})"));
  EXPECT_FALSE(chatRowOf(kAsked, R"({"choices":[]})"));
  EXPECT_FALSE(chatRowOf(kAsked, R"({"choices":[{"text":"4"}]})"));
  EXPECT_FALSE(chatRowOf(R"({"messages":[]})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"messages":["hi"]})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"a":"1","b":"2"})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"a":1})", R"("4")"));
  EXPECT_FALSE(chatRowOf(R"({"a":[1]})", R"("4")"));
  EXPECT_FALSE(chatRowOf(kAsked, R"({"a":[{"role":"user","content":"4"}]})"));
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
