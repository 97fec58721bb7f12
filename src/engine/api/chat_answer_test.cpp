#include <gtest/gtest.h>

#include "engine/api/answer_for_test.h"
#include "engine/api/chat_response.h"
#include "schema/parse.h"

namespace spindle::engine {
namespace {

class ChatAnswerTest : public SharedModelTest {
 protected:
  static void SetUpTestSuite() {
    SharedModelTest::SetUpTestSuite();
    template_ = *ChatTemplate::of(**model_);
  }
  static void TearDownTestSuite() {
    template_.reset();
    SharedModelTest::TearDownTestSuite();
  }

  static ChatRequest request(const std::string& json) {
    Result<ChatRequest> read = schema::parse(chatRequestCodec(), json);
    EXPECT_TRUE(read) << json;
    return read ? *std::move(read) : ChatRequest();
  }
  static std::string with(const std::string& members) {
    return R"({"model":"tiny","temperature":0,"messages":[{"role":"user","content":"Hi"}])" +
           (members.empty() ? "" : "," + members) + "}";
  }
  static Result<ChatPlan> plan(const std::string& members) {
    return planChat(**model_, *template_, request(with(members)), kContext, 1);
  }
  static std::string refusal(const std::string& members) {
    const Result<ChatPlan> made = plan(members);
    if (made) return "";
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidArgument);
    return made.error().message();
  }
  static ChatResponseFormat format(const std::string& members) {
    const ChatRequest asked = request(with(members));
    Result<ChatPlan> made = plan(members);
    EXPECT_TRUE(made) << made.error().message();
    ChatResponseFormat format;
    format.head = {"chatcmpl-1", 7, "tiny"};
    format.plan = *std::move(made);
    format.view.logprobs = format.plan.shows_logprobs;
    format.view.ids = asked.return_token_ids;
    format.view.as_ids = asked.return_tokens_as_token_ids;
    format.view.bytes_of = [](Token token) { return (*model_)->bytesOf(token, true); };
    format.shows_prompt_ids = asked.return_token_ids;
    format.new_call_id = [] { return std::string("call_1"); };
    format.tokens_in = [](const std::string& text) {
      return static_cast<std::int64_t>((*model_)->tokensOf(text, true).size());
    };
    return format;
  }
  static std::vector<GenerationRequest> requests(const ChatResponseFormat& format) {
    return {static_cast<std::size_t>(format.plan.answers), format.plan.generation};
  }
  std::string whole(const std::string& members) {
    const ChatResponseFormat made = format(members);
    return chatCompletion(made, collected(scheduler_, requests(made)));
  }
  std::vector<std::string> streamed(const std::string& members, StreamedAnswers::Usage usage) {
    const ChatResponseFormat made = format(members);
    const std::vector<GenerationRequest> all = requests(made);
    return eventsOf(scheduler_, all, [&](std::shared_ptr<EventSink> out) {
      return std::make_shared<StreamedAnswers>(all.size(), all.size(),
                                               static_cast<std::int64_t>(all[0].prompt.size()),
                                               usage, chatStreamFormatter(made), std::move(out));
    });
  }

  static constexpr std::int64_t kContext = 1000;
  static std::unique_ptr<ChatTemplate> template_;
  Scheduler scheduler_{**model_, {.slots = 2, .context = kContext, .threads = 1, .exact = true}};
};
std::unique_ptr<ChatTemplate> ChatAnswerTest::template_;

TEST_F(ChatAnswerTest, ReturnsAChatCompletion) {
  const std::string text = whole(R"("max_tokens":5)");
  EXPECT_EQ(at(text, {"object"}), "chat.completion");
  EXPECT_EQ(at(text, {"model"}), "tiny");
  EXPECT_EQ(at(text, {"choices", kFirst, "index"}), "0");
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "role"}), "assistant");
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "reasoning"}), "null");
  EXPECT_EQ(at(text, {"choices", kFirst, "finish_reason"}), "length");
  EXPECT_EQ(at(text, {"choices", kFirst, "logprobs"}), "null");
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "5");
  EXPECT_EQ(at(text, {"usage", "prompt_tokens_details", "cached_tokens"}), "0");
}

TEST_F(ChatAnswerTest, StreamEqualsTheWholeAnswer) {
  const std::string expected =
      at(whole(R"("max_tokens":20)"), {"choices", kFirst, "message", "content"});
  const std::vector<std::string> events =
      streamed(R"("max_tokens":20,"stream":true)", {.at_end = true});
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(at(events[0], {"choices", kFirst, "delta", "role"}), "assistant");
  EXPECT_EQ(at(events[0], {"choices", kFirst, "delta", "content"}), "");
  std::string content;
  for (std::size_t i = 1; i + 3 < events.size(); ++i)
    content += at(events[i], {"choices", kFirst, "delta", "content"});
  EXPECT_EQ(content, expected);
  EXPECT_EQ(at(events[events.size() - 3], {"choices", kFirst, "finish_reason"}), "length");
  EXPECT_EQ(at(events[events.size() - 3], {"choices", kFirst, "delta"}), "{}");
  EXPECT_EQ(at(events[events.size() - 2], {"choices"}), "[]");
  EXPECT_EQ(at(events[events.size() - 2], {"usage", "completion_tokens"}), "20");
  EXPECT_EQ(events.back(), "[DONE]");
}

TEST_F(ChatAnswerTest, SeveralAnswersCountThePromptOnce) {
  const std::string text = whole(R"("max_tokens":4,"n":3)");
  EXPECT_EQ(at(text, {"choices", std::int64_t{2}, "index"}), "2");
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "12");
  const std::vector<std::string> events = streamed(R"("max_tokens":4,"n":2,"stream":true)", {});
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const std::string& event) {
                            return at(event, {"choices", kFirst, "finish_reason"}) == "length";
                          }),
            2);
}

TEST_F(ChatAnswerTest, ParsesToolCalls) {
  const std::string members =
      R"("max_tokens":200,"tool_choice":{"type":"function","function":{"name":"add"}},"tools":[)"
      R"({"type":"function","function":{"name":"add","parameters":{"type":"object","properties":)"
      R"({"a":{"type":"integer"}},"required":["a"]}}},)"
      R"({"type":"function","function":{"name":"other","parameters":{"type":"object"}}}])";
  const std::string text = whole(members);
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "tool_calls", kFirst, "function", "name"}),
            "add")
      << text;
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "tool_calls", kFirst, "id"}), "call_1");
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "content"}), "null");
  std::string arguments;
  std::string name;
  for (const std::string& event : streamed(members + R"(,"stream":true)", {})) {
    const std::string calls = at(event, {"choices", kFirst, "delta", "tool_calls"});
    if (!calls.starts_with("[")) continue;
    // The first chunk names the call and may contain the beginning of its arguments.
    const std::int64_t pieces = calls.find(R"(},{"index")") == std::string::npos ? 1 : 2;
    for (std::int64_t i = 0; i < pieces; ++i) {
      if (at(calls, {i, "index"}) != "0") continue;
      arguments += at(calls, {i, "function", "arguments"});
      const std::string found = at(calls, {i, "function", "name"});
      if (found != "nothing") name = found;
    }
  }
  EXPECT_EQ(name, "add");
  EXPECT_EQ(arguments, at(text, {"choices", kFirst, "message", "tool_calls", kFirst, "function",
                                 "arguments"}));
}

TEST_F(ChatAnswerTest, ReturnsRequestedLogprobs) {
  const std::string text = whole(R"("max_tokens":2,"logprobs":true,"top_logprobs":2)");
  const std::vector<LocStep> first = {"choices", kFirst, "logprobs", "content", kFirst};
  std::vector<LocStep> path = first;
  path.insert(path.end(), {"top_logprobs", kFirst, "logprob"});
  const std::string best = at(text, path);
  path = first;
  path.emplace_back("logprob");
  EXPECT_EQ(at(text, path), best) << "greedy sampling takes the most likely token";
}

TEST_F(ChatAnswerTest, RefusesInvalidCombinations) {
  EXPECT_EQ(refusal(R"("stream_options":{"include_usage":true})"),
            "stream_options requires stream=true.");
  EXPECT_EQ(refusal(R"("top_logprobs":2)"), "top_logprobs requires logprobs=true.");
  EXPECT_EQ(refusal(R"("tool_choice":"required")"),
            "tool_choice is 'required', but there are no tools.");
  EXPECT_EQ(refusal(R"("tool_choice":{"type":"function","function":{"name":"f"}},)"
                    R"("tools":[{"type":"function","function":{"name":"g"}}])"),
            "tool_choice names 'f', which is not in tools.");
  EXPECT_EQ(refusal(R"("response_format":{"type":"json_schema"})"),
            "response_format.json_schema has no schema.");
  EXPECT_EQ(refusal(R"("logit_bias":{"x":1})"), "logit_bias: 'x' is not a token id.");
  EXPECT_EQ(refusal(R"("cache_salt":"")"), "cache_salt must not be empty.");
  EXPECT_EQ(refusal(R"("stream":true,"prompt_logprobs":1)"),
            "prompt_logprobs cannot be used with stream=true.");
  for (const std::string name :
       {"audio", "functions", "function_call", "prediction", "web_search_options"})
    EXPECT_EQ(refusal(R"(")" + name + R"(":{})"), name + " is not supported by this model.");
  EXPECT_NE(refusal(R"("max_tokens":1000)").find("maximum context length is 1000"),
            std::string::npos);
  EXPECT_NE(refusal(R"("messages":[{"content":"no role"}])").find("The messages are invalid"),
            std::string::npos);
}

TEST_F(ChatAnswerTest, ReturnsRequestedPromptLogprobs) {
  EXPECT_EQ(at(whole(R"("max_tokens":2)"), {"prompt_logprobs"}), "null");
  const std::string text = whole(R"("max_tokens":2,"prompt_logprobs":2,"return_token_ids":true)");
  const std::vector<Token> prompt = plan("")->generation.prompt;
  EXPECT_EQ(at(text, {"prompt_logprobs", kFirst}), "null") << "no token precedes it";
  for (std::size_t i = 1; i < prompt.size(); ++i) {
    const std::string of_token =
        at(text, {"prompt_logprobs", static_cast<std::int64_t>(i), std::to_string(prompt[i])});
    EXPECT_LE(std::stod(at(of_token, {"logprob"})), 0) << of_token;
    EXPECT_GE(std::stoi(at(of_token, {"rank"})), 1);
  }
  EXPECT_EQ(at(text, {"usage", "prompt_tokens"}), std::to_string(prompt.size()));
}

TEST_F(ChatAnswerTest, ReturnsRequestedTokenIds) {
  const std::string text = whole(R"("max_tokens":2,"logprobs":true,"return_token_ids":true,)"
                                 R"("return_tokens_as_token_ids":true,"ignore_eos":true)");
  const std::string first = at(text, {"choices", kFirst, "token_ids", kFirst});
  EXPECT_EQ(at(text, {"choices", kFirst, "logprobs", "content", kFirst, "token"}),
            "token_id:" + first);
  EXPECT_NE(at(text, {"prompt_token_ids", kFirst}), "nothing");
  const std::vector<std::string> events =
      streamed(R"("max_tokens":2,"return_token_ids":true,"ignore_eos":true,"stream":true)", {});
  EXPECT_NE(at(events[0], {"prompt_token_ids"}), "nothing");
  EXPECT_EQ(at(events[1], {"prompt_token_ids"}), "nothing") << "on the first chunk only";
  EXPECT_EQ(at(events[1], {"choices", kFirst, "token_ids", kFirst}), first);
}

TEST_F(ChatAnswerTest, SendsUsageInEveryChunkWhenRequested) {
  const std::vector<std::string> events = streamed(
      R"("max_tokens":3,"ignore_eos":true,"stream":true)", {.at_end = true, .always = true});
  const std::string prompt = std::to_string(plan("")->generation.prompt.size());
  for (std::size_t i = 0; i + 1 < events.size(); ++i)
    EXPECT_EQ(at(events[i], {"usage", "prompt_tokens"}), prompt) << events[i];
  EXPECT_EQ(at(events[events.size() - 2], {"usage", "completion_tokens"}), "3");
}

TEST_F(ChatAnswerTest, OptionsReachTheGeneration) {
  const GenerationRequest generation =
      plan(R"("temperature":0.5,"top_p":0.9,"top_k":3,"min_p":0.1,"repetition_penalty":1.1,)"
           R"("frequency_penalty":0.2,"presence_penalty":0.3,"logit_bias":{"7":-5},"seed":9,)"
           R"("max_tokens":5,"max_completion_tokens":4,"min_tokens":2,"stop":["a","b"],)"
           R"("stop_token_ids":[3],"ignore_eos":true,"include_stop_str_in_output":true,)"
           R"("skip_special_tokens":false,"logprobs":true,"top_logprobs":6,"prompt_logprobs":1,)"
           R"("cache_salt":"s","priority":-3)")
          ->generation;
  EXPECT_EQ(generation.sampling.temperature, 0.5);
  EXPECT_EQ(generation.sampling.top_p, 0.9);
  EXPECT_EQ(generation.sampling.top_k, 3);
  EXPECT_EQ(generation.sampling.min_p, 0.1);
  EXPECT_EQ(generation.sampling.repetition_penalty, 1.1);
  EXPECT_EQ(generation.sampling.frequency_penalty, 0.2);
  EXPECT_EQ(generation.sampling.presence_penalty, 0.3);
  EXPECT_EQ(generation.sampling.logit_bias.at(7), -5);
  EXPECT_EQ(generation.sampling.seed, 9U);
  EXPECT_EQ(generation.max_tokens, 4) << "max_completion_tokens overrides max_tokens";
  EXPECT_EQ(generation.min_tokens, 2);
  EXPECT_EQ(generation.stop_texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(generation.stop_tokens, std::vector<Token>{3});
  EXPECT_TRUE(generation.ignore_end);
  EXPECT_TRUE(generation.include_stop_text);
  EXPECT_TRUE(generation.shows_special);
  EXPECT_EQ(generation.top_logprobs, 6);
  EXPECT_EQ(generation.prompt_logprobs, 1);
  EXPECT_EQ(generation.cache_salt, "s");
  EXPECT_EQ(generation.priority, -3);
}

TEST_F(ChatAnswerTest, UsesTheDefaultsOfTheApi) {
  const GenerationRequest generation =
      planChat(**model_, *template_,
               request(R"({"model":"tiny","messages":[{"role":"user","content":"Hi"}]})"), kContext,
               5)
          ->generation;
  EXPECT_EQ(generation.sampling.temperature, 1);
  EXPECT_EQ(generation.sampling.top_p, 1);
  EXPECT_EQ(generation.sampling.seed, 5U);
  EXPECT_EQ(generation.max_tokens, kContext - static_cast<std::int64_t>(generation.prompt.size()));
  EXPECT_EQ(generation.top_logprobs, -1);
  EXPECT_EQ(generation.prompt_logprobs, -1);
  EXPECT_FALSE(generation.shows_special);
}

}  // namespace
}  // namespace spindle::engine
