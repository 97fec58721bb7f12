#include "engine/chat_template.h"

#include <gtest/gtest.h>

#include "engine/model_for_test.h"
#include "engine/scheduler.h"

namespace spindle::engine {
namespace {

constexpr const char* kTools =
    R"([{"type":"function","function":{"name":"add","description":"Adds.","parameters":)"
    R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}])";

class ChatTemplateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = std::make_unique<ModelForTest>();
    Result<std::unique_ptr<ChatTemplate>> made = ChatTemplate::of(**model_);
    ASSERT_TRUE(made) << made.error().message();
    template_ = *std::move(made);
  }
  static void TearDownTestSuite() {
    template_.reset();
    model_.reset();
  }

  static ChatPrompt render(const ChatQuestion& question) {
    Result<ChatPrompt> prompt = template_->render(question);
    EXPECT_TRUE(prompt) << prompt.error().message();
    return prompt ? *std::move(prompt) : ChatPrompt();
  }
  static ChatQuestion hello() {
    return {.messages =
                R"([{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}])"};
  }

  static std::unique_ptr<ModelForTest> model_;
  static std::unique_ptr<ChatTemplate> template_;
};
std::unique_ptr<ModelForTest> ChatTemplateTest::model_;
std::unique_ptr<ChatTemplate> ChatTemplateTest::template_;

TEST_F(ChatTemplateTest, FillsInTheModelsOwnTemplate) {
  EXPECT_EQ(render(hello()).text,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\n");
  ChatQuestion parts = hello();
  parts.messages = R"([{"role":"user","content":[{"type":"text","text":"Hi"}]}])";
  parts.add_generation_prompt = false;
  EXPECT_EQ(render(parts).text, "<|im_start|>user\nHi<|im_end|>\n");
}

TEST_F(ChatTemplateTest, PlainAnswersArePlain) {
  const ChatPrompt prompt = render(hello());
  EXPECT_FALSE(prompt.grammar);
  const ChatReply reply = prompt.read("Hello there");
  EXPECT_EQ(reply.content, "Hello there");
  EXPECT_TRUE(reply.tool_calls.empty());
}

TEST_F(ChatTemplateTest, ToolsAreOfferedAndTheirCallsRead) {
  ChatQuestion question = hello();
  question.tools = kTools;
  const ChatPrompt prompt = render(question);
  EXPECT_NE(prompt.text.find("\"add\""), std::string::npos) << prompt.text;
  const ChatReply reply = prompt.parser->read(
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2}}\n</tool_call>", false);
  ASSERT_EQ(reply.tool_calls.size(), 1U) << reply.content;
  EXPECT_EQ(reply.tool_calls[0].name, "add");
  EXPECT_NE(reply.tool_calls[0].arguments.find("2"), std::string::npos);
}

TEST_F(ChatTemplateTest, OneCallIsOneCall) {
  ChatQuestion question = hello();
  question.tools = kTools;
  const std::string two =
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2}}\n</tool_call>\n"
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 3}}\n</tool_call>";
  EXPECT_EQ(render(question).parser->read(two, false).tool_calls.size(), 2U);
  question.parallel_tool_calls = false;
  EXPECT_LE(render(question).parser->read(two, false).tool_calls.size(), 1U);
}

TEST_F(ChatTemplateTest, ACallThatIsAskedForComes) {
  ChatQuestion question = hello();
  question.tools = kTools;
  question.tool_choice = ToolChoice::kRequired;
  const ChatPrompt prompt = render(question);
  ASSERT_TRUE(prompt.grammar);
  Scheduler scheduler(**model_,
                      {.slots = 1, .context = 900, .batch = 256, .threads = 1, .exact = true});
  GenerationRequest request;
  request.prompt = (*model_)->tokensOf(prompt.text, true);
  request.max_tokens = 200;
  request.grammar = prompt.grammar;
  request.shown = prompt.shown;
  request.sampling.temperature = 0;
  const auto sink = std::make_shared<SinkForTest>();
  const Result<void> submitted = scheduler.submit(request, sink);
  ASSERT_TRUE(submitted) << submitted.error().message();
  const ChatReply reply = prompt.read(sink->text());
  ASSERT_GE(reply.tool_calls.size(), 1U) << sink->text();
  EXPECT_EQ(reply.tool_calls[0].name, "add");
}

TEST_F(ChatTemplateTest, ASchemaBecomesAGrammar) {
  ChatQuestion question = hello();
  question.json_schema =
      R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false})";
  const ChatPrompt prompt = render(question);
  ASSERT_TRUE(prompt.grammar);
  EXPECT_TRUE(prompt.grammar->trigger_patterns.empty());
  EXPECT_TRUE(Grammar::of(**model_, *prompt.grammar));
}

TEST_F(ChatTemplateTest, SaysWhatItCannotUse) {
  for (const std::string messages : {"", "{}", R"([{"content":"no role"}])", R"(["text"])"}) {
    const Result<ChatPrompt> prompt = template_->render({.messages = messages});
    ASSERT_FALSE(prompt) << messages;
    EXPECT_EQ(prompt.error().code(), ErrorCode::kInvalidArgument);
  }
  ChatQuestion question = hello();
  question.tools = R"([{"type":"code"}])";
  EXPECT_FALSE(template_->render(question));
}

}  // namespace
}  // namespace spindle::engine
