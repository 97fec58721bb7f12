#include <gtest/gtest.h>

#include "engine/api/answer_for_test.h"
#include "engine/api/text_response.h"
#include "schema/parse.h"

namespace spindle::engine {
namespace {

class TextAnswerTest : public SharedModelTest {
 protected:
  static std::string with(const std::string& members) {
    return R"({"model":"tiny","temperature":0,"ignore_eos":true)" +
           (members.empty() ? "" : "," + members) + "}";
  }
  static TextRequest request(const std::string& members) {
    Result<TextRequest> read = schema::parse(textRequestCodec(), with(members));
    EXPECT_TRUE(read) << members;
    return read ? *std::move(read) : TextRequest();
  }
  static std::string refusal(const std::string& members) {
    const Result<TextPlan> made = planText(**model_, request(members), kContext, 1);
    if (made) return "";
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidArgument);
    return made.error().message();
  }
  static TextResponseFormat format(const std::string& members) {
    const TextRequest asked = request(members);
    Result<TextPlan> made = planText(**model_, asked, kContext, 1);
    EXPECT_TRUE(made) << made.error().message();
    TextResponseFormat format;
    format.head = {"cmpl-1", 7, "tiny"};
    format.plan = *std::move(made);
    format.view.ids = asked.return_token_ids;
    format.view.as_ids = asked.return_tokens_as_token_ids;
    format.view.bytes_of = [](Token token) { return (*model_)->bytesOf(token, true); };
    format.echo = asked.echo;
    if (asked.logprobs) format.logprobs = static_cast<std::size_t>(*asked.logprobs);
    if (asked.prompt_logprobs)
      format.prompt_logprobs = static_cast<std::size_t>(*asked.prompt_logprobs);
    format.text_of = [](Token token) { return (*model_)->bytesOf(token, false); };
    return format;
  }
  static std::vector<GenerationRequest> requests(const TextResponseFormat& format) {
    std::vector<GenerationRequest> all;
    for (const TextPlan::Prompt& prompt : format.plan.prompts)
      all.insert(all.end(), format.plan.answers, prompt.generation);
    return all;
  }
  std::string whole(const std::string& members) {
    const TextResponseFormat made = format(members);
    return textCompletion(made, collected(scheduler_, requests(made)));
  }
  std::vector<std::string> streamed(const std::string& members) {
    const TextResponseFormat made = format(members);
    const std::vector<GenerationRequest> all = requests(made);
    return eventsOf(scheduler_, all, [&](std::shared_ptr<EventSink> out) {
      return std::make_shared<StreamedAnswers>(
          all.size(), made.plan.answers, 0, StreamedAnswers::Usage{.at_end = true, .always = false},
          textStreamFormatter(made), std::move(out));
    });
  }

  static constexpr std::int64_t kContext = 300;
  Scheduler scheduler_{**model_, {.slots = 2, .context = kContext, .threads = 1, .exact = true}};
};

TEST_F(TextAnswerTest, ReturnsATextCompletion) {
  const std::string text = whole(R"("prompt":"Once upon")");
  EXPECT_EQ(at(text, {"object"}), "text_completion");
  EXPECT_EQ(at(text, {"id"}), "cmpl-1");
  EXPECT_EQ(at(text, {"choices", kFirst, "index"}), "0");
  EXPECT_EQ(at(text, {"choices", kFirst, "logprobs"}), "null");
  EXPECT_EQ(at(text, {"choices", kFirst, "finish_reason"}), "length");
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "16") << "the default of max_tokens";
}

TEST_F(TextAnswerTest, AcceptsTextOrTokenPrompts) {
  const std::vector<Token> tokens = (*model_)->tokensOf("he", true, true);
  std::string ids;
  for (const Token token : tokens) ids += (ids.empty() ? "" : ",") + std::to_string(token);
  const std::string expected =
      at(whole(R"("prompt":"he","max_tokens":6)"), {"choices", kFirst, "text"});
  for (const std::string& prompt : {std::string(R"(["he"])"), "[" + ids + "]", "[[" + ids + "]]"}) {
    EXPECT_EQ(at(whole(R"("max_tokens":6,"prompt":)" + prompt), {"choices", kFirst, "text"}),
              expected)
        << prompt;
  }
  EXPECT_FALSE(schema::parse(textRequestCodec(), with(R"("prompt":[])")));
  EXPECT_FALSE(schema::parse(textRequestCodec(), with(R"("prompt":[[]])")));
  EXPECT_FALSE(schema::parse(textRequestCodec(), with(R"("prompt":[-1])")));
  EXPECT_FALSE(schema::parse(textRequestCodec(), with("")));
}

TEST_F(TextAnswerTest, SeveralPromptsHaveSeveralAnswersEach) {
  const std::string text = whole(R"("prompt":["one","two!"],"n":2,"max_tokens":3)");
  const std::string one =
      at(whole(R"("prompt":"one","max_tokens":3)"), {"choices", kFirst, "text"});
  const std::string two =
      at(whole(R"("prompt":"two!","max_tokens":3)"), {"choices", kFirst, "text"});
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(at(text, {"choices", i, "index"}), std::to_string(i));
    EXPECT_EQ(at(text, {"choices", i, "text"}), i < 2 ? one : two);
  }
  const std::size_t tokens = (*model_)->tokensOf("one", true, true).size() +
                             (*model_)->tokensOf("two!", true, true).size();
  EXPECT_EQ(at(text, {"usage", "prompt_tokens"}), std::to_string(tokens)) << "each prompt once";
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "12");
}

TEST_F(TextAnswerTest, StreamEqualsTheWholeAnswer) {
  for (const std::string members :
       {R"("prompt":"Once","max_tokens":9)", R"("prompt":"Once","max_tokens":9,"echo":true)",
        R"("prompt":["a","b"],"max_tokens":5,"n":2)",
        R"("prompt":"Once","max_tokens":5,"echo":true,"logprobs":2)"}) {
    const std::string expected = whole(members);
    const std::vector<std::string> events = streamed(members + std::string(R"(,"stream":true)"));
    std::vector<std::string> texts(4);
    std::vector<std::string> offsets(4);
    for (std::size_t i = 0; i + 2 < events.size(); ++i) {
      EXPECT_EQ(at(events[i], {"object"}), "text_completion");
      const auto index =
          static_cast<std::size_t>(std::stoi(at(events[i], {"choices", kFirst, "index"})));
      texts[index] += at(events[i], {"choices", kFirst, "text"});
      const std::string places = at(events[i], {"choices", kFirst, "logprobs", "text_offset"});
      if (places.size() > 2)
        offsets[index] += (offsets[index].empty() ? "" : ",") + places.substr(1, places.size() - 2);
    }
    for (std::int64_t i = 0; i < 4; ++i) {
      if (at(expected, {"choices", i, "index"}) != std::to_string(i)) continue;
      EXPECT_EQ(texts[static_cast<std::size_t>(i)], at(expected, {"choices", i, "text"}));
      const std::string places = at(expected, {"choices", i, "logprobs", "text_offset"});
      if (places != "nothing") {
        EXPECT_EQ("[" + offsets[static_cast<std::size_t>(i)] + "]", places);
      }
    }
    EXPECT_EQ(at(events[events.size() - 2], {"choices"}), "[]");
    EXPECT_EQ(at(events[events.size() - 2], {"usage", "completion_tokens"}),
              at(expected, {"usage", "completion_tokens"}));
    EXPECT_EQ(events.back(), "[DONE]");
  }
}

TEST_F(TextAnswerTest, ReturnsLegacyLogprobs) {
  const std::string text = whole(R"("prompt":"he","max_tokens":3,"logprobs":2)");
  const std::vector<LocStep> at_logprobs = {"choices", kFirst, "logprobs"};
  const std::string logprobs = at(text, at_logprobs);
  double before = 1;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::string token = at(logprobs, {"tokens", i});
    EXPECT_EQ(at(logprobs, {"top_logprobs", i, token}), at(logprobs, {"token_logprobs", i}))
        << "greedy sampling takes the most likely token";
    EXPECT_LE(std::stod(at(logprobs, {"token_logprobs", i})), 0);
    const double offset = std::stod(at(logprobs, {"text_offset", i}));
    EXPECT_LE(before, i == 0 ? 1 : offset);
    before = offset;
  }
  EXPECT_EQ(at(logprobs, {"text_offset", kFirst}), "0");
  // With logprobs=0, only the token itself.
  const std::string alone = whole(R"("prompt":"he","max_tokens":1,"logprobs":0)");
  EXPECT_NE(at(alone, {"choices", kFirst, "logprobs", "top_logprobs", kFirst}), "{}");
}

TEST_F(TextAnswerTest, ScoresAPromptWithoutGenerating) {
  const std::string text =
      whole(R"("prompt":"hello","max_tokens":0,"echo":true,"logprobs":1,"prompt_logprobs":1)");
  EXPECT_EQ(at(text, {"choices", kFirst, "text"}), "hello");
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "0");
  EXPECT_EQ(at(text, {"choices", kFirst, "finish_reason"}), "length");
  const std::string logprobs = at(text, {"choices", kFirst, "logprobs"});
  EXPECT_EQ(at(logprobs, {"token_logprobs", kFirst}), "null");
  EXPECT_EQ(at(logprobs, {"top_logprobs", kFirst}), "null");
  const std::vector<Token> tokens = (*model_)->tokensOf("hello", true, true);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    EXPECT_EQ(at(text, {"choices", kFirst, "prompt_logprobs", place, std::to_string(tokens[i]),
                        "logprob"}),
              at(logprobs, {"token_logprobs", place}));
  }
}

TEST_F(TextAnswerTest, RefusesUnsupportedParameters) {
  EXPECT_EQ(refusal(R"("prompt":"a","suffix":"b")"), "suffix is not supported by this model.");
  EXPECT_EQ(refusal(R"("prompt":"a","suffix":"")"), "");
  EXPECT_EQ(refusal(R"("prompt":"a","best_of":2)"),
            "best_of must not be greater than n: all answers are returned.");
  EXPECT_EQ(refusal(R"("prompt":"a","best_of":2,"n":2)"), "");
  EXPECT_EQ(refusal(R"("prompt":"a","max_tokens":0)"),
            "max_tokens=0 requires echo or prompt_logprobs.");
  EXPECT_NE(refusal(R"("prompt":"a","max_tokens":300)").find("maximum context length is 300"),
            std::string::npos);
  EXPECT_EQ(refusal(R"("prompt":"a","stream_options":{})"), "stream_options requires stream=true.");
  EXPECT_FALSE(schema::parse(textRequestCodec(), with(R"("prompt":"a","logprobs":6)")));
}

}  // namespace
}  // namespace spindle::engine
