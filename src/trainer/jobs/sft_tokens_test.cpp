#include "trainer/jobs/sft_tokens.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/jobs/codec_for_test.h"

namespace spindle::trainer {
namespace {

std::string message(const std::string& role, const std::string& content) {
  return R"({"role":")" + role + R"(","content":")" + content + "\"}";
}

/// Returns the labelled text, each run in brackets.
std::string shown(const LabelledTokens& tokens, const ChatCodec& codec) {
  std::string text;
  bool inside = false;
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    if (tokens.labelled[i] != inside) text += inside ? "]" : "[";
    inside = tokens.labelled[i];
    text += codec.textOf({tokens.ids[i]});
  }
  return inside ? text + "]" : text;
}

std::string label(const std::string& json,
                  AssistantTurns turns = AssistantTurns::kAll,
                  const ChatCodec& codec = test_codec) {
  const Result<SftRow> row = sftRowOf(json);
  if (!row) return "row: " + row.error().message();
  const Result<LabelledTokens> tokens = labelled(*row, codec, turns);
  return tokens ? shown(*tokens, codec) : "tokens: " + tokens.error().message();
}

const std::string one_turn =
    R"({"messages":[)" + message("user", "a") + "," + message("assistant", "b") + "]}";
const std::string two_turns = R"({"messages":[)" + message("user", "a") + "," +
                              message("assistant", "b") + "," + message("user", "c") + "," +
                              message("assistant", "d") + "]";

TEST(SftLabels, OfAllTurnsAreBetweenMarkers) {
  EXPECT_EQ(label(two_turns + "}"),
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n[b<|im_end|>\n]"
            "<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n[d<|im_end|>\n]");
}

TEST(SftLabels, EndAtToolAndSystemTurns) {
  EXPECT_EQ(label(R"({"messages":[)" + message("user", "a") + "," + message("assistant", "b") +
                  "," + message("tool", "r") + "," + message("assistant", "d") + "]}"),
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n[b<|im_end|>\n]"
            "<|im_start|>tool\nr<|im_end|>\n<|im_start|>assistant\n[d<|im_end|>\n]");
}

TEST(SftLabels, OfTheLastTurnStartAfterThePrompt) {
  EXPECT_EQ(label(two_turns + "}", AssistantTurns::kLast),
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n"
            "<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n[d<|im_end|>\n]");
}

TEST(SftLabels, StartAfterAnEmptyThought) {
  const CodecForTest thinking("<|im_start|> <think> enable_thinking");
  EXPECT_EQ(label(one_turn, AssistantTurns::kAll, thinking),
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
            "[b<|im_end|>\n]");
}

TEST(SftLabels, FollowALossMask) {
  const std::string a = "<|im_start|>user\na<|im_end|>\n";
  const std::string b = "<|im_start|>assistant\nb<|im_end|>\n";
  const std::string c = "<|im_start|>user\nc<|im_end|>\n";
  const std::string d = "<|im_start|>assistant\nd<|im_end|>\n";
  const auto with = [](const std::string& mask) {
    return label(two_turns + R"(,"loss_mask":)" + mask + "}");
  };
  const std::string first = "<|im_start|>";
  const std::string rest = a.substr(first.size());
  EXPECT_EQ(with(R"({"type":"all"})"), first + "[" + rest + b + c + d + "]")
      << "the first token is never foretold";
  EXPECT_EQ(with(R"({"type":"none"})"), a + b + c + d);
  EXPECT_EQ(with(R"({"type":"last_assistant"})"), a + b + c + "[" + d + "]");
  EXPECT_EQ(with(R"({"type":"message_mask","mask":[false,true,true,false]})"),
            a + "[" + b + c + "]" + d);
  EXPECT_EQ(with(R"({"type":"roles"})"), a + "[" + b + "]" + c + "[" + d + "]");
  EXPECT_EQ(with(R"({"type":"roles","user":true,"assistant":false})"),
            first + "[" + rest + "]" + b + "[" + c + "]" + d);
  EXPECT_EQ(with(R"({"type":"roles","roles":{"user":true}})"),
            first + "[" + rest + b + c + d + "]");
}

TEST(SftRows, ReportErrors) {
  EXPECT_NE(label("{").find("row: it is not JSON"), std::string::npos);
  EXPECT_EQ(label("[]"), "row: it is not a JSON object");
  const std::string expected =
      R"(row: it has no messages: SFT learns from examples, {"messages": [{"role": …, "content": )"
      R"(…}, …]})";
  EXPECT_EQ(label("{}"), expected);
  EXPECT_EQ(label(R"({"messages":[]})"), expected);
  EXPECT_EQ(label(R"({"trajectories":[]})"), expected + "; this is a group of trajectories for RL");
  for (const char* content : {"7", "true", "{}"}) {
    EXPECT_EQ(label(R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":)" +
                    std::string(content) + "}]}"),
              "row: messages[1].content is neither text nor a list of parts");
  }
  EXPECT_EQ(label(R"({"messages":[{"content":"a"}]})"), "row: a message has no role");
  EXPECT_EQ(label(R"({"messages":[)" + message("user", "a") + "]}"),
            "row: its last message is not the assistant's");
  EXPECT_EQ(label(two_turns + R"(,"loss_mask":{"type":"some"}})"),
            "row: loss_mask has no known type");
  EXPECT_EQ(label(two_turns + R"(,"loss_mask":{"type":"message_mask","mask":[true]}})"),
            "tokens: loss_mask.mask is not as long as messages");
  EXPECT_EQ(
      label(R"({"messages":[)" + message("refused", "a") + "," + message("assistant", "b") + "]}"),
      "tokens: the chat template refuses it: no");
}

TEST(SftRows, UnknownTemplatesNeedTheLastTurnOrAMask) {
  const CodecForTest other("{{ messages }}");
  EXPECT_NE(label(one_turn, AssistantTurns::kAll, other).find("of an unknown kind"),
            std::string::npos);
  EXPECT_NE(label(one_turn, AssistantTurns::kLast, other).find("[b<|im_end|>"), std::string::npos);
}

TEST(SftRows, AreRefusedWhenTheTemplateRewritesEarlierMessages) {
  // The template writes an empty thought before the last answer only.
  const CodecForTest thinking("<|im_start|> <think> enable_thinking");
  EXPECT_NE(label(two_turns + R"(,"loss_mask":{"type":"all"}})", AssistantTurns::kAll, thinking)
                .find("changes earlier messages"),
            std::string::npos);
  EXPECT_EQ(label(one_turn, AssistantTurns::kLast, thinking),
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n[<think>\n\n</think>\n\nb"
            "<|im_end|>\n]");
}

TEST(TurnMarkers, AreKnownByFamily) {
  struct Family {
    std::string source;
    std::string instruction;
    std::string response;
  };
  const Family families[] = {{"<|im_start|>", "<|im_start|>user\n", "<|im_start|>assistant\n"},
                             {"<|start_header_id|>", "<|start_header_id|>user<|end_header_id|>\n\n",
                              "<|start_header_id|>assistant<|end_header_id|>\n\n"},
                             {"<start_of_turn>", "<start_of_turn>user\n", "<start_of_turn>model\n"},
                             {"[INST]", "[INST]", "[/INST]"}};
  for (const Family& family : families) {
    EXPECT_EQ(turnMarkersOf(family.source)->instructions.front(), family.instruction);
    EXPECT_EQ(turnMarkersOf(family.source)->responses.front(), family.response);
  }
  EXPECT_EQ(turnMarkersOf("<|im_start|> <think> enable_thinking")->responses.front(),
            "<|im_start|>assistant\n<think>\n\n</think>\n\n");
  EXPECT_FALSE(turnMarkersOf("{{ messages }}"));
}

}  // namespace
}  // namespace spindle::trainer
