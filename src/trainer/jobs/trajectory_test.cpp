#include "trainer/jobs/trajectory.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/jobs/codec_for_test.h"
#include "trainer/jobs/trajectory_tokens.h"

namespace spindle::trainer {
namespace {

using Ids = std::vector<std::int64_t>;

std::string choice(const std::string& content, const std::string& more) {
  return R"({"finish_reason":"stop","index":0,"message":{"role":"assistant","content":")" +
         content + "\"}" + more + "}";
}

std::string logprobs(const std::vector<std::pair<std::string, double>>& tokens) {
  std::string text = R"(,"logprobs":{"content":[)";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    text += (i == 0 ? "" : ",") + (R"({"token":")" + tokens[i].first + R"(","logprob":)") +
            std::to_string(tokens[i].second) + R"(,"top_logprobs":[]})";
  }
  return text + "]}";
}

Result<TokenTrajectory> read(const std::string& trajectory, bool without_logprobs = false) {
  const TrajectoryGroup group = TRY(trajectoryGroupOf(R"({"trajectories":[)" + trajectory + "]}"));
  return tokensOf(group.trajectories.at(0), test_codec, without_logprobs);
}

TEST(TrajectoryGroups, AreReadWithTheirDefaults) {
  const Result<TrajectoryGroup> group = trajectoryGroupOf(
      R"({"trajectories":[{"messages_and_choices":[{"role":"user","content":"a"}]},)"
      R"({"reward":1.5,"metrics":{"won":true,"turns":3,"note":"x"}}],)"
      R"("exceptions":[{"type":"T","message":"m","traceback":""}],"metrics":{"k":2},"other":1})");
  ASSERT_TRUE(group) << group.error().message();
  EXPECT_EQ(group->trajectories.size(), 2U);
  EXPECT_EQ(group->trajectories[0].reward, 0);
  EXPECT_EQ(group->trajectories[1].reward, 1.5);
  EXPECT_EQ(group->trajectories[1].metrics,
            (std::map<std::string, double>{{"won", 1}, {"turns", 3}}));
  EXPECT_EQ(group->exceptions, 1U);
  EXPECT_EQ(group->metrics.at("k"), 2);
}

TEST(TrajectoryGroups, ReportErrors) {
  const auto problem = [](const std::string& json) {
    const Result<TrajectoryGroup> group = trajectoryGroupOf(json);
    return group ? std::string() : group.error().message();
  };
  EXPECT_EQ(problem("[]"), "it is not a JSON object");
  EXPECT_NE(problem("{").find("it is not JSON"), std::string::npos);
  EXPECT_EQ(problem(R"({"trajectories":{}})"), "trajectories is not a list");
  const std::string expected =
      R"(it has no trajectories: RL learns from groups, {"trajectories": [{"messages_and_choices": )"
      R"([…], "reward": …}, …]})";
  EXPECT_EQ(problem("{}"), expected);
  EXPECT_EQ(problem(R"({"trajectories":null})"), expected);
  EXPECT_EQ(problem(R"({"messages":[{"role":"user","content":"a"}]})"),
            expected + "; this is an example for SFT");
  EXPECT_EQ(problem(R"({"trajectories":[{},7]})"), "trajectories[1]: it is not a JSON object");
  EXPECT_EQ(problem(R"({"trajectories":[{"reward":"much"}]})"),
            "trajectories[0]: reward is not a finite number");
  EXPECT_EQ(problem(R"({"trajectories":[{"messages_and_choices":[{"content":"a"}]}]})"),
            "trajectories[0]: a message has no role");
  EXPECT_EQ(problem(R"({"trajectories":[{"additional_histories":[{}]}]})"),
            "trajectories[0]: messages_and_choices is missing");
  EXPECT_EQ(problem(R"({"trajectories":[{"messages_and_choices":[)" +
                    choice("a", R"(,"token_ids":[1,"b"])") + "]}]}"),
            "trajectories[0]: token_ids contains a value that is not a token id");
  EXPECT_EQ(problem(R"({"trajectories":[{"messages_and_choices":[)" +
                    choice("a", R"(,"logprobs":{"content":[{"token":"a"}]})") + "]}]}"),
            "trajectories[0]: logprobs contains an entry without a logprob");
  EXPECT_EQ(problem(R"({"trajectories":[{"exchanges":{"responses":[{}]}}]})"),
            "trajectories[0]: exchanges.responses cannot be trained on; chat_completions can, and "
            "messages_and_choices");
}

TEST(ExactTokens, StartANewSequenceAfterRewrittenHistory) {
  const Result<TokenTrajectory> tokens = read(
      R"({"reward":2,"messages_and_choices":[{"role":"user","content":"q"},)" +
      choice("a", R"(,"prompt_token_ids":[1,2],"token_ids":[3,4])" +
                      logprobs({{"x", -0.5}, {"y", -0.25}})) +
      R"(,{"role":"user","content":"r"},)" +
      choice("b", R"(,"prompt_token_ids":[1,2,3,4,5],"token_ids":[6])" + logprobs({{"z", -1}})) +
      "," + choice("c", R"(,"prompt_token_ids":[1,2,9],"token_ids":[7])" + logprobs({{"z", -2}})) +
      "]}");
  ASSERT_TRUE(tokens) << tokens.error().message();
  EXPECT_EQ(tokens->reward, 2);
  ASSERT_EQ(tokens->sequences.size(), 2U);
  EXPECT_EQ(tokens->sequences[0].ids, (Ids{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tokens->sequences[0].sampled,
            (std::vector<bool>{false, false, true, true, false, true}));
  EXPECT_TRUE(std::isnan(tokens->sequences[0].old_logprobs[4]));
  EXPECT_EQ(tokens->sequences[0].old_logprobs[3], -0.25);
  EXPECT_EQ(tokens->sequences[1].ids, (Ids{1, 2, 9, 7}));
  EXPECT_EQ(tokens->sampledTokens(), 4U);
}

/// Returns the error for a choice with these token ids and one log probability.
std::string refusalOfTokens(const std::string& ids) {
  const Result<TokenTrajectory> tokens = read(
      R"({"messages_and_choices":[)" +
      choice("a", R"(,"prompt_token_ids":[1],"token_ids":)" + ids + logprobs({{"x", -1}})) + "]}");
  EXPECT_FALSE(tokens);
  return tokens ? "" : tokens.error().message();
}

TEST(ExactTokens, RejectWrongLogprobCount) {
  EXPECT_EQ(refusalOfTokens("[3,4]"), "a choice has 2 token_ids but 1 logprobs");
}

TEST(ExactTokens, RejectUnknownTokens) {
  EXPECT_EQ(refusalOfTokens("[5000]"), "the token id 5000 is not in the base model's vocabulary");
}

TEST(ExactTokens, WithoutLogprobsAreContextUnlessAskedFor) {
  const std::string trajectory =
      R"({"messages_and_choices":[)" + choice("a", R"(,"prompt_token_ids":[1],"token_ids":[2])") +
      "," + choice("b", R"(,"prompt_token_ids":[1,2,3],"token_ids":[4])" + logprobs({{"x", -1}})) +
      "]}";
  const Result<TokenTrajectory> some = read(trajectory);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->sequences.at(0).ids, (Ids{1, 2, 3, 4}));
  EXPECT_EQ(some->sampledTokens(), 1U);
  const Result<TokenTrajectory> all = read(trajectory, true);
  EXPECT_EQ(all->sampledTokens(), 2U);
  EXPECT_TRUE(std::isnan(all->sequences.at(0).old_logprobs[1]));
}

TEST(ExactTokens, AreReadFromExchanges) {
  const auto exchange = [](const std::string& prompt, const std::string& answer) {
    return R"({"request":{"messages":[{"role":"user","content":"q"}]},"response":)"
           R"({"prompt_token_ids":)" +
           prompt + R"(,"choices":[)" +
           choice("a", R"(,"token_ids":)" + answer + logprobs({{"x", -1}})) + "]}}";
  };
  const Result<TokenTrajectory> tokens =
      read(R"({"exchanges":{"chat_completions":[)" + exchange("[1,2]", "[3]") + "," +
           exchange("[1,2,3,4]", "[5]") + "]}}");
  ASSERT_TRUE(tokens) << tokens.error().message();
  ASSERT_EQ(tokens->sequences.size(), 1U);
  EXPECT_EQ(tokens->sequences[0].ids, (Ids{1, 2, 3, 4, 5}));
}

TEST(SplicedTokens, InsertSampledIdsIntoTheRenderedText) {
  // The sampled tokens differ from the tokenization of their text: `a` as token 120, then the end.
  const Result<TokenTrajectory> tokens =
      read(R"({"messages_and_choices":[{"role":"user","content":"q"},)" +
           choice("a", logprobs({{"token_id:120", -0.5}, {"<|im_end|>", -0.25}})) +
           R"(,{"role":"user","content":"cut"}]})");
  ASSERT_TRUE(tokens) << tokens.error().message();
  ASSERT_EQ(tokens->sequences.size(), 1U);
  const TokenSequence& sequence = tokens->sequences[0];
  EXPECT_EQ(test_codec.textOf(sequence.ids),
            "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\nx<|im_end|>");
  EXPECT_EQ(tokens->sampledTokens(), 2U);
  EXPECT_EQ(sequence.old_logprobs[sequence.ids.size() - 2], -0.5);
  EXPECT_EQ(sequence.old_logprobs.back(), -0.25);
}

TEST(SplicedTokens, ReplaceUnknownTokensByTheEndToken) {
  const Result<TokenTrajectory> tokens =
      read(R"({"messages_and_choices":[)" + choice("a", logprobs({{"ab", -0.5}})) + "]}");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->sequences.at(0).ids.back(), test_codec.endToken());
}

TEST(SplicedTokens, TrainMessagesWithoutLogprobsOnlyWhenAskedTo) {
  const std::string trajectory =
      R"({"messages_and_choices":[{"role":"user","content":"q"},{"role":"assistant","content":"yes"}]})";
  const Result<TokenTrajectory> none = read(trajectory);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->sequences.empty());
  const Result<TokenTrajectory> all = read(trajectory, true);
  ASSERT_TRUE(all);
  EXPECT_EQ(test_codec.textOf(all->sequences.at(0).ids),
            "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\nyes");
  EXPECT_EQ(all->sampledTokens(), 3U);
}

TEST(SplicedTokens, RefuseToolCallsWithoutLogprobs) {
  const Result<TokenTrajectory> tokens = read(
      R"({"messages_and_choices":[{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}]})",
      true);
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.error().message(),
            "an assistant message with tool_calls has no logprobs, without which it cannot be "
            "trained");
}

TEST(SplicedTokens, KeepOneThinkTag) {
  const CodecForTest thinking("<|im_start|> <think> enable_thinking");
  const Result<TrajectoryGroup> group =
      trajectoryGroupOf(R"({"trajectories":[{"messages_and_choices":[)" +
                        choice("a", logprobs({{"<think>", -1}, {"a", -1}})) + "]}]}");
  ASSERT_TRUE(group);
  const Result<TokenTrajectory> tokens = tokensOf(group->trajectories[0], thinking, false);
  ASSERT_TRUE(tokens);
  const std::string text = thinking.textOf(tokens->sequences.at(0).ids);
  EXPECT_EQ(text.find("<think>"), text.rfind("<think>")) << text;
}

TEST(SplicedTokens, ReportTemplateErrors) {
  const Result<TokenTrajectory> tokens =
      read(R"({"messages_and_choices":[{"role":"refused","content":"q"},)" +
           choice("a", logprobs({{"a", -1}})) + "]}");
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.error().message(), "the chat template refuses it: no");
}

TEST(Tools, BareFunctionsAreWrapped) {
  const Result<TrajectoryGroup> group = trajectoryGroupOf(
      R"({"trajectories":[{"messages_and_choices":[{"role":"user","content":"a"}],)"
      R"("tools":[{"name":"f"},{"type":"function","function":{"name":"g"}}]}]})");
  ASSERT_TRUE(group);
  EXPECT_EQ(group->trajectories[0].histories[0].tools,
            R"([{"type":"function","function":{"name":"f"}},)"
            R"({"type":"function","function":{"name":"g"}}])");
}

}  // namespace
}  // namespace spindle::trainer
