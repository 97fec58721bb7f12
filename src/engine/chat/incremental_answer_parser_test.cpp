#include "engine/chat/incremental_answer_parser.h"

#include <random>

#include <gtest/gtest.h>

#include "engine/runtime/model_for_test.h"

namespace spindle::engine {
namespace {

constexpr const char* kParserTools =
    R"([{"type":"function","function":{"name":"add","description":"Adds.","parameters":)"
    R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}}}])";

constexpr const char* kThinking =
    "{%- for message in messages %}<|im_start|>{{ message.role }}\n"
    "{%- if message.reasoning_content %}<think>\n{{ message.reasoning_content }}\n</think>\n\n"
    "{% endif %}{{ message.content }}<|im_end|>\n{% endfor %}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n"
    "{%- if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n"
    "{%- endif %}{% endif %}";

/// Counts the bytes that it parses.
class CountingParser final : public ChatParser {
 public:
  explicit CountingParser(std::shared_ptr<const ChatParser> parser) : parser_(std::move(parser)) {}
  ParsedAnswer read(const std::string& text, bool partial) const override {
    bytes += text.size();
    return parser_->read(text, partial);
  }
  mutable std::size_t bytes = 0;

 private:
  std::shared_ptr<const ChatParser> parser_;
};

class IncrementalAnswerParserTest : public SharedModelTest {
 protected:
  static std::shared_ptr<const ChatParser> parser(const std::string& tools,
                                                  const std::string& template_override = "") {
    const auto chat = ChatTemplate::of(**model_, template_override);
    EXPECT_TRUE(chat) << chat.error().message();
    ChatTemplateInput input;
    input.messages = R"([{"role":"user","content":"Hi"}])";
    input.tools = tools;
    const Result<ChatPrompt> prompt = (*chat)->render(input);
    EXPECT_TRUE(prompt) << prompt.error().message();
    return prompt->parser;
  }

  /// Returns the answer that a client assembles from all changes.
  static ParsedAnswer together(const std::shared_ptr<const ChatParser>& parser,
                               const std::vector<std::string>& pieces) {
    IncrementalAnswerParser stream(parser);
    ParsedAnswer all;
    const auto take = [&all](const ParsedAnswerDelta& change) {
      all.content += change.content;
      all.reasoning += change.reasoning;
      for (const ParsedAnswerDelta::Call& call : change.calls) {
        EXPECT_EQ(call.fresh, call.index == all.tool_calls.size());
        if (call.fresh) all.tool_calls.push_back({call.name, ""});
        all.tool_calls[call.index].arguments += call.arguments;
      }
    };
    for (const std::string& piece : pieces) take(stream.add(piece));
    take(stream.finish());
    EXPECT_EQ(stream.shown().content, all.content);
    return all;
  }
  static void cutEverywhere(const std::shared_ptr<const ChatParser>& reader,
                            const std::vector<std::string>& all);
  static void expectSame(const ParsedAnswer& a, const ParsedAnswer& b, const std::string& what) {
    EXPECT_EQ(a.content, b.content) << what;
    EXPECT_EQ(a.reasoning, b.reasoning) << what;
    ASSERT_EQ(a.tool_calls.size(), b.tool_calls.size()) << what;
    for (std::size_t i = 0; i < a.tool_calls.size(); ++i) {
      EXPECT_EQ(a.tool_calls[i].name, b.tool_calls[i].name) << what;
      EXPECT_EQ(a.tool_calls[i].arguments, b.tool_calls[i].arguments) << what;
    }
  }
};

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {
      "Hello there, how are you? I am fine.",
      "Some <b>bold</b> words, a {brace}, [a list] and `code`.",
      "  spaces first\n\nand last  \n",
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 7, \"b\": \"x y\"}}\n</tool_call>",
      ("Let me see.\n\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>\n"
       "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2, \"b\": \"<&>\"}}\n</tool_call>"),
      "a < b and b > c, so a <tool is no call",
      "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 and more",
      "",
  };
  return all;
}

TEST_F(IncrementalAnswerParserTest, WithoutAParserAllTextIsContent) {
  EXPECT_EQ(parser(""), nullptr) << "no parser is needed without tools and reasoning";
  expectSame(together(nullptr, {"a <tool_call>", " b ", ""}), {"a <tool_call> b ", "", {}}, "");
}

/// Splits each text at every position, between all bytes, and at random positions.
void IncrementalAnswerParserTest::cutEverywhere(const std::shared_ptr<const ChatParser>& reader,
                                                const std::vector<std::string>& all) {
  for (const std::string& text : all) {
    const ParsedAnswer whole = reader->read(text, false);
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
      expectSame(together(reader, {text.substr(0, cut), text.substr(cut)}), whole, text);
    std::vector<std::string> bytes;
    for (const char c : text) bytes.emplace_back(1, c);
    expectSame(together(reader, bytes), whole, text);
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::string> pieces;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = 1 + random() % 9;
        pieces.push_back(text.substr(at, size));
        at += size;
      }
      expectSame(together(reader, pieces), whole, text);
    }
  }
}

TEST_F(IncrementalAnswerParserTest, ChangesEqualTheWholeParseForEverySplit) {
  const std::shared_ptr<const ChatParser> reader = parser(kParserTools);
  ASSERT_NE(reader, nullptr);
  cutEverywhere(reader, texts());
}

TEST_F(IncrementalAnswerParserTest, ReasoningChangesEqualTheWholeParse) {
  const std::shared_ptr<const ChatParser> reader = parser("", kThinking);
  ASSERT_NE(reader, nullptr);
  const std::string thought = "<think>\nFirst, a < b.\nThen [c].\n</think>\n\nThe answer is 7.";
  const ParsedAnswer whole = reader->read(thought, false);
  EXPECT_NE(whole.reasoning.find("Then [c]."), std::string::npos) << whole.content;
  EXPECT_EQ(whole.content, "The answer is 7.");
  cutEverywhere(reader, {thought, "No thoughts at all.", "<think>\nIt never ends, ",
                         "<think>\n\n</think>\n\nNothing to think of.  "});
  const auto counting = std::make_shared<CountingParser>(reader);
  std::vector<std::string> pieces = {"<think>\n"};
  pieces.insert(pieces.end(), 10'000, " hm,");
  pieces.emplace_back("</think>");
  pieces.insert(pieces.end(), 10'000, " so");
  const ParsedAnswer long_one = together(counting, pieces);
  EXPECT_GE(long_one.reasoning.size(), 39'000U);
  EXPECT_GE(long_one.content.size(), 29'000U);
  EXPECT_LT(counting->bytes, 10 * 70'000U);
}

TEST_F(IncrementalAnswerParserTest, ParsesLongTextsInLinearTime) {
  const auto counting = std::make_shared<CountingParser>(parser(kParserTools));
  std::vector<std::string> plain(20'000, " word");
  together(counting, plain);
  const std::size_t size = 20'000UL * 5;
  EXPECT_LT(counting->bytes, 3 * size) << "text that cannot be a tool call is not parsed";

  counting->bytes = 0;
  std::vector<std::string> code(5'000, " {x}[i] <y>");
  const ParsedAnswer reply = together(counting, code);
  std::string all;
  for (const std::string& piece : code) all += piece;
  expectSame(reply, counting->read(all, false), "code");
  EXPECT_LT(counting->bytes, 100 * 5'000 * 11U);
}

}  // namespace
}  // namespace spindle::engine
