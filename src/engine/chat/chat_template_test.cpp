#include "engine/chat/chat_template.h"

#include <gtest/gtest.h>

#include "engine/runtime/model_for_test.h"
#include "engine/runtime/scheduler.h"
#include "json/document.h"

namespace spindle::engine {
namespace {

constexpr const char* kTemplateTools =
    R"([{"type":"function","function":{"name":"add","description":"Adds.","parameters":)"
    R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}])";

class ChatTemplateTest : public SharedModelTest {
 protected:
  static void SetUpTestSuite() {
    SharedModelTest::SetUpTestSuite();
    Result<std::unique_ptr<ChatTemplate>> made = ChatTemplate::of(**model_);
    ASSERT_TRUE(made) << made.error().message();
    template_ = *std::move(made);
  }
  static void TearDownTestSuite() {
    template_.reset();
    SharedModelTest::TearDownTestSuite();
  }

  static ChatPrompt render(const ChatTemplateInput& input) {
    Result<ChatPrompt> prompt = template_->render(input);
    EXPECT_TRUE(prompt) << prompt.error().message();
    return prompt ? *std::move(prompt) : ChatPrompt();
  }
  static ChatTemplateInput hello() {
    return {.messages =
                R"([{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}])"};
  }

  static std::unique_ptr<ChatTemplate> template_;
};
std::unique_ptr<ChatTemplate> ChatTemplateTest::template_;

TEST_F(ChatTemplateTest, RendersTheModelsTemplate) {
  EXPECT_EQ(render(hello()).text,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\n");
  ChatTemplateInput parts = hello();
  parts.messages = R"([{"role":"user","content":[{"type":"text","text":"Hi"}]}])";
  parts.add_generation_prompt = false;
  EXPECT_EQ(render(parts).text, "<|im_start|>user\nHi<|im_end|>\n");
}

TEST_F(ChatTemplateTest, PlainAnswersAreContent) {
  const ChatPrompt prompt = render(hello());
  EXPECT_FALSE(prompt.grammar);
  const ParsedAnswer reply = prompt.read("Hello there");
  EXPECT_EQ(reply.content, "Hello there");
  EXPECT_TRUE(reply.tool_calls.empty());
}

TEST_F(ChatTemplateTest, RendersToolsAndParsesTheirCalls) {
  ChatTemplateInput input = hello();
  input.tools = kTemplateTools;
  const ChatPrompt prompt = render(input);
  EXPECT_NE(prompt.text.find("\"add\""), std::string::npos) << prompt.text;
  const ParsedAnswer reply = prompt.parser->read(
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2}}\n</tool_call>", false);
  ASSERT_EQ(reply.tool_calls.size(), 1U) << reply.content;
  EXPECT_EQ(reply.tool_calls[0].name, "add");
  EXPECT_NE(reply.tool_calls[0].arguments.find('2'), std::string::npos);
}

TEST_F(ChatTemplateTest, ReturnsOneCallWithoutParallelCalls) {
  ChatTemplateInput input = hello();
  input.tools = kTemplateTools;
  const std::string two =
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2}}\n</tool_call>\n"
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 3}}\n</tool_call>";
  EXPECT_EQ(render(input).parser->read(two, false).tool_calls.size(), 2U);
  input.parallel_tool_calls = false;
  EXPECT_LE(render(input).parser->read(two, false).tool_calls.size(), 1U);
}

TEST_F(ChatTemplateTest, GeneratesARequiredCall) {
  ChatTemplateInput input = hello();
  input.tools = kTemplateTools;
  input.tool_choice = ToolChoice::kRequired;
  const ChatPrompt prompt = render(input);
  ASSERT_TRUE(prompt.grammar);
  Scheduler scheduler(**model_,
                      {.slots = 1, .context = 900, .batch = 256, .threads = 1, .exact = true});
  GenerationRequest request;
  request.prompt = (*model_)->tokensOf(prompt.text, true);
  request.max_tokens = 200;
  request.grammar = prompt.grammar;
  request.visible_special = prompt.visible_special;
  request.sampling.temperature = 0;
  const auto sink = std::make_shared<SinkForTest>();
  const Result<void> submitted = scheduler.submit(request, sink);
  ASSERT_TRUE(submitted) << submitted.error().message();
  const ParsedAnswer reply = prompt.read(sink->text());
  ASSERT_GE(reply.tool_calls.size(), 1U) << sink->text();
  EXPECT_EQ(reply.tool_calls[0].name, "add");
}

TEST_F(ChatTemplateTest, ASchemaBecomesAGrammar) {
  ChatTemplateInput input = hello();
  input.json_schema =
      R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false})";
  const ChatPrompt prompt = render(input);
  ASSERT_TRUE(prompt.grammar);
  EXPECT_TRUE(prompt.grammar->trigger_patterns.empty());
  EXPECT_TRUE(Grammar::of(**model_, *prompt.grammar));
}

TEST_F(ChatTemplateTest, AnswerMatchesItsSchemaForEverySeed) {
  ChatTemplateInput input = hello();
  input.json_schema =
      R"({"type":"object","properties":{"ok":{"type":"boolean"},"n":{"type":"integer","minimum":-5,)"
      R"("maximum":120},"s":{"type":"string","maxLength":6},"e":{"enum":["a","b c"]},)"
      R"("l":{"type":"array","items":{"type":"null"},"minItems":1,"maxItems":3}},)"
      R"("required":["ok","n","s","e","l"],"additionalProperties":false})";
  const ChatPrompt prompt = render(input);
  ASSERT_TRUE(prompt.grammar);
  Scheduler scheduler(**model_, {.slots = 4, .context = 900, .queue = 100, .threads = 1});
  std::vector<std::shared_ptr<SinkForTest>> sinks;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    GenerationRequest request;
    request.prompt = (*model_)->tokensOf(prompt.text, true);
    request.max_tokens = 800;
    request.grammar = prompt.grammar;
    request.visible_special = prompt.visible_special;
    request.sampling.temperature = seed % 2 == 0 ? 2 : 0.5;
    request.sampling.seed = seed;
    sinks.push_back(std::make_shared<SinkForTest>());
    ASSERT_TRUE(scheduler.submit(request, sinks.back()));
  }
  for (const std::shared_ptr<SinkForTest>& sink : sinks) {
    ASSERT_EQ(sink->end().reason, FinishReason::kStop) << sink->text();
    const ParsedAnswer reply = prompt.read(sink->text());
    const auto parsed = json::Document::parse(reply.content);
    const auto* document = std::get_if<json::Document>(&parsed);
    ASSERT_NE(document, nullptr) << reply.content;
    const json::Node root = document->root();
    ASSERT_EQ(root.size(), 5U) << reply.content;
    EXPECT_TRUE(root.find("ok")->isBool());
    EXPECT_LE(root.find("n")->integer().value_or(1000), 120) << reply.content;
    EXPECT_GE(root.find("n")->integer().value_or(-1000), -5) << reply.content;
    EXPECT_TRUE(root.find("s")->isString());
    EXPECT_TRUE(root.find("e")->textEquals("a") || root.find("e")->textEquals("b c"));
    EXPECT_GE(root.find("l")->size(), 1U);
    EXPECT_LE(root.find("l")->size(), 3U);
  }
}

TEST_F(ChatTemplateTest, ATemplateWithoutToolsRefusesThem) {
  const auto plain = ChatTemplate::of(
      **model_,
      "{%- for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
      "<|im_end|>\n{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  ASSERT_TRUE(plain);
  ChatTemplateInput input = hello();
  EXPECT_TRUE((*plain)->render(input));
  input.tools = kTemplateTools;
  const Result<ChatPrompt> refused = (*plain)->render(input);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "tools is not supported by this model: its chat template does not support them.");
  input.tool_choice = ToolChoice::kNone;
  EXPECT_TRUE((*plain)->render(input));
}

TEST_F(ChatTemplateTest, RefusesInvalidInput) {
  for (const std::string messages : {"", "{}", R"([{"content":"no role"}])", R"(["text"])"}) {
    const Result<ChatPrompt> prompt = template_->render({.messages = messages});
    ASSERT_FALSE(prompt) << messages;
    EXPECT_EQ(prompt.error().code(), ErrorCode::kInvalidArgument);
  }
  ChatTemplateInput input = hello();
  input.tools = R"([{"type":"code"}])";
  EXPECT_FALSE(template_->render(input));
}

}  // namespace
}  // namespace spindle::engine
