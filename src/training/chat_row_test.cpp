#include <gtest/gtest.h>

#include "training/chat_row_json.h"

namespace spindle::training {
namespace {

const std::string kAsked = R"({"model":"m","messages":[{"role":"user","content":"2+2"}]})";

TEST(ChatRows, AreReadOutOfChatCompletions) {
  const std::optional<ChatRow> row = chatRowOf(
      R"({"self":{},"messages":[ {"role":"user","content":"2+2"} ],"tools":[{"name":"f"}]})",
      R"({"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",)"
      R"("content":"4"},"token_ids":[1]}],"prompt_token_ids":[7,8]})");
  ASSERT_TRUE(row);
  EXPECT_EQ(exampleLine(*row),
            R"({"messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":"4"}],)"
            R"("tools":[{"name":"f"}]})");
  EXPECT_EQ(trajectoryJson(*row, 0.5, {{"call_id", "c"}}),
            R"({"messages_and_choices":[{"role":"user","content":"2+2"},{"index":0,)"
            R"("finish_reason":"stop","message":{"role":"assistant","content":"4"},)"
            R"("token_ids":[1],"prompt_token_ids":[7,8]}],"tools":[{"name":"f"}],"reward":0.5,)"
            R"("metadata":{"call_id":"c"}})");
}

TEST(ChatRows, AreReadOutOfMessagesAndTexts) {
  const std::optional<ChatRow> message = chatRowOf(kAsked, R"({"role":"assistant","content":"4"})");
  ASSERT_TRUE(message);
  EXPECT_FALSE(message->choice);
  EXPECT_EQ(message->answer, R"({"role":"assistant","content":"4"})");
  const std::optional<ChatRow> text = chatRowOf(R"({"question":"2+2"})", R"("4")");
  ASSERT_TRUE(text);
  EXPECT_EQ(exampleLine(*text),
            R"({"messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":"4"}]})");
}

TEST(ChatRows, AreReadOutOfWhatExportersSend) {
  const std::optional<ChatRow> row = chatRowOf(
      R"({"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"2+2"}]},)"
      R"({"role":"assistant","parts":[{"type":"tool_call","id":"1","name":"f","arguments":{}}]},)"
      R"({"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"4"}]}]})",
      R"({"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"text","content":"4"}],)"
      R"("finish_reason":"stop"}]})");
  ASSERT_TRUE(row);
  EXPECT_EQ(exampleLine(*row),
            R"({"messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":null,)"
            R"("tool_calls":[{"id":"1","type":"function","function":{"name":"f",)"
            R"("arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"4"},)"
            R"({"role":"assistant","content":"4"}]})");
}

TEST(ChatRows, AreNotMadeOfOtherCalls) {
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

TEST(NumbersAtPaths, AreFoundWhereTheyStand) {
  const std::string json =
      R"({"output":{"score":0.5,"right":true,"wrong":false,"list":[1,{"x":2}]}})";
  EXPECT_EQ(numberAt(json, "output.score"), 0.5);
  EXPECT_EQ(numberAt(json, "output.right"), 1);
  EXPECT_EQ(numberAt(json, "output.wrong"), 0);
  EXPECT_EQ(numberAt(json, "output.list.0"), 1);
  EXPECT_EQ(numberAt(json, "output.list.1.x"), 2);
  EXPECT_EQ(numberAt("3", ""), 3);
  for (const char* path : {"", "output", "output.none", "output.list.2", "output.list.x", "x.y"}) {
    EXPECT_FALSE(numberAt(json, path)) << path;
  }
}

TEST(NumbersAtPaths, AreWhetherAListHoldsAText) {
  const std::string json = R"({"tags":["good","2"],"none":[]})";
  EXPECT_EQ(numberAt(json, "tags.good"), 1);
  EXPECT_EQ(numberAt(json, "tags.bad"), 0);
  EXPECT_EQ(numberAt(json, "none.bad"), 0);
  EXPECT_FALSE(numberAt(json, "tags.good.more"));
}

TEST(FeedbackOfACall, CountsByItsNewest) {
  const std::string list =
      R"([{"feedback_type":"svc.note.1","payload":{"note":"x"}},)"
      R"({"feedback_type":"quality","payload":{"v":1}},)"
      R"({"feedback_type":"quality","payload":{"v":2},"scorer_ratings":{"v":3},)"
      R"("scorer_tags":["good"]}])";
  EXPECT_EQ(feedbackNumber(list, "quality", "v"), 2);
  EXPECT_EQ(feedbackNumber(list, "quality", "scorer_ratings.v"), 3);
  EXPECT_EQ(feedbackNumber(list, "quality", "scorer_tags.good"), 1);
  EXPECT_FALSE(feedbackNumber(list, "quality", "w"));
  EXPECT_FALSE(feedbackNumber(list, "other", "v"));
  EXPECT_FALSE(feedbackNumber("{}", "quality", "v"));
}

TEST(MetadataOfAnExport, SaysWhatItHolds) {
  EXPECT_EQ(exportMetadata({"sft", 3, 3, "team/project"}),
            R"({"format":"jsonl","kind":"sft","num_trajectories":3,"project":"team/project"})");
  EXPECT_EQ(exportMetadata({"rl", 3, 2, "team/project"}),
            R"({"format":"jsonl","kind":"rl","num_trajectories":3,"num_groups":2,)"
            R"("project":"team/project"})");
}

}  // namespace
}  // namespace spindle::training
