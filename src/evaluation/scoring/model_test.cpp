#include <gtest/gtest.h>

#include "evaluation/scoring/chat_completion_json.h"
#include "evaluation/scoring/model_for_test.h"
#include "evaluation/scoring/model_spec.h"
#include "evaluation/scoring/retrying_model.h"

namespace spindle::evaluation {
namespace {

using std::chrono::milliseconds;

std::string problem(std::string_view object) {
  const Result<ModelSpec> spec = modelSpecOf(object);
  EXPECT_FALSE(spec);
  return spec ? "" : spec.error().message();
}

TEST(Model, RequestFollowsTheModelObject) {
  const Result<ModelSpec> spec = modelSpecOf(
      R"({"_type":"Model","kind":"chat_completion","model":"gpt","messages":[{"role":"system","content":"Be {mood}."}],
          "prompt":"{question}","parameters":{"temperature":0.5,"max_tokens":10}})");
  ASSERT_TRUE(spec);
  const RunScope scope{{"p1", "acme/lab"}, "u1", wire::Spelling::kNeutral, "k1"};
  const Result<ModelRequest> request =
      requestFor(*spec, R"({"mood":"kind","question":"Why?"})", scope);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->project.id, "p1");
  EXPECT_EQ(request->user_id, "u1");
  EXPECT_EQ(request->key_id, "k1");
  EXPECT_EQ(
      completionBody(*request),
      R"({"temperature":0.5,"max_tokens":10,"model":"gpt","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Why?"}]})");
  const Result<ModelRequest> lacking = requestFor(*spec, R"({"mood":"kind"})", {});
  EXPECT_EQ(lacking.error().message(), "The example has no field 'question'.");
}

TEST(Model, SupportsStructuredCompletionModels) {
  const Result<ModelSpec> spec = modelSpecOf(
      R"({"_class_name":"LLMStructuredCompletionModel","llm_model_id":"gpt","default_params":{
          "messages_template":[{"role":"user","content":"{q}"}],"temperature":0.1,"n_times":3,"stop":null,
          "response_format":"json_object"}})");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->json_output);
  EXPECT_EQ(
      completionBody(*requestFor(*spec, R"({"q":"?"})", {})),
      R"({"temperature":0.1,"response_format":{"type":"json_object"},"model":"gpt","messages":[{"role":"user","content":"?"}]})");
}

TEST(Model, ErrorNamesTheInvalidParameter) {
  EXPECT_EQ(problem(R"({"kind":"http"})"), "'http' is no kind of model");
  EXPECT_EQ(problem(R"({"_type":"Model","files":{}})"),
            "the server can only ask models with kind: chat_completion; others run in an SDK");
  EXPECT_EQ(problem("1"),
            "the server can only ask models with kind: chat_completion; others run in an SDK");
  EXPECT_EQ(problem(R"({"kind":"chat_completion","prompt":"x"})"), "'model' is required");
  EXPECT_EQ(problem(R"({"kind":"chat_completion","model":"m"})"),
            "'messages' or 'prompt' is required");
  EXPECT_EQ(problem(R"({"kind":"chat_completion","model":"m","messages":{}})"),
            "'messages' must be a list");
  EXPECT_EQ(problem(R"({"kind":"chat_completion","model":"m","prompt":"x","output":"xml"})"),
            "'output' must be text or json");
  EXPECT_EQ(problem(R"({"llm_model_id":"m"})"),
            "'default_params' has no messages_template and no prompt");
}

TEST(Model, OutputIsTextUnlessJsonIsRequested) {
  ModelSpec spec;
  EXPECT_EQ(outputOf(spec, ModelForTest::saying("{\"a\": 1}")), R"("{\"a\": 1}")");
  spec.json_output = true;
  EXPECT_EQ(outputOf(spec, ModelForTest::saying(" {\"a\": 1}\n")), R"({"a":1})");
  EXPECT_EQ(outputOf(spec, ModelForTest::saying("not JSON")), R"("not JSON")");
}

TEST(Completion, IsParsedFromAResponse) {
  const Result<ModelAnswer> answer = completionAnswer(
      R"({"model":"gpt-1","choices":[{"message":{"role":"assistant","content":"Hi"}}],"usage":{"total_tokens": 3}})",
      "gpt");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "Hi");
  EXPECT_EQ(answer->model, "gpt-1");
  EXPECT_EQ(usageSummary(*answer), R"({"usage":{"gpt-1":{"requests":1,"total_tokens":3}}})");
  const auto text = [](std::string_view message) {
    return completionAnswer(R"({"choices":[{"message":)" + std::string(message) + "}]}", "gpt")
        ->text;
  };
  EXPECT_EQ(text(R"({"content":null,"refusal":"No."})"), "No.");
  EXPECT_EQ(text(R"({"content":null,"tool_calls":[{"id": 1}]})"), R"([{"id":1}])");
  EXPECT_EQ(completionAnswer(R"({"choices":[{"message":{"content":"x"}}]})", "gpt")->model, "gpt");
}

TEST(Completion, InvalidResponsesAreRefused) {
  for (const char* body : {"", "nonsense", "[]", "{}", R"({"choices":[]})", R"({"choices":[1]})",
                           R"({"choices":[{"message":{}}]})", R"({"choices":[{"message":7}]})"}) {
    const Result<ModelAnswer> answer = completionAnswer(body, "gpt");
    ASSERT_FALSE(answer) << body;
    EXPECT_EQ(answer.error().code(), ErrorCode::kUpstream);
  }
}

TEST(Completion, ErrorsAreShortened) {
  EXPECT_EQ(completionError(R"({"error":{"message":"no such model"}})"), "no such model");
  EXPECT_EQ(completionError(R"({"error":"plain"})"), "plain");
  EXPECT_EQ(completionError("<html>"), "");
  EXPECT_EQ(completionError(R"({"error":{"message":")" + std::string(299, 'x') + R"(☃☃"}})"),
            std::string(299, 'x') + "…");
}

class Retrying : public ::testing::Test {
 protected:
  /// Returns a model that fails a number of times with an error and then answers.
  Result<ModelAnswer> ask(int failures, const Error& error, int retries = 4) {
    int left = failures;
    ModelForTest model([&left, &error](const ModelRequest&) -> Result<ModelAnswer> {
      if (left-- > 0) return error;
      return ModelForTest::saying("at last");
    });
    RetryingModel retrying(model, {.retries = retries},
                           [this](milliseconds time, const std::stop_token& stop) {
                             pauses_.push_back(time.count());
                             return !stop.stop_requested();
                           });
    Result<ModelAnswer> answer = retrying.complete({}, {});
    asked_ = model.asked().size();
    return answer;
  }

  std::vector<std::int64_t> pauses_;
  std::size_t asked_ = 0;
};

using Pauses = std::vector<std::int64_t>;

TEST_F(Retrying, RetriesWithExponentialBackOff) {
  for (const ErrorCode code :
       {ErrorCode::kRateLimited, ErrorCode::kUpstream, ErrorCode::kTimeout}) {
    pauses_.clear();
    const Result<ModelAnswer> answer = ask(3, Error(code, "busy"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->text, "at last");
    EXPECT_EQ(pauses_, (Pauses{250, 500, 1000}));
  }
}

TEST_F(Retrying, StopsAfterTheLastRetry) {
  const Result<ModelAnswer> answer = ask(100, Error(ErrorCode::kUpstream, "down"), 2);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), "down");
  EXPECT_EQ(asked_, 3U);
}

TEST_F(Retrying, DoesNotRetryPermanentErrors) {
  EXPECT_FALSE(ask(1, Error::invalidArgument("no such model")));
  EXPECT_EQ(asked_, 1U);
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(Retrying, RespectsRetryAfter) {
  EXPECT_TRUE(ask(1, Error(ErrorCode::kRateLimited, "busy").with("retry_after", "1.5")));
  EXPECT_TRUE(ask(1, Error(ErrorCode::kRateLimited, "busy").with("retry_after", "0")));
  EXPECT_TRUE(ask(1, Error(ErrorCode::kRateLimited, "busy").with("retry_after", "86400")));
  EXPECT_EQ(pauses_, (Pauses{1500, 250, 30'000}));
}

TEST_F(Retrying, StopsDuringBackOff) {
  ModelForTest model(
      [](const ModelRequest&) -> Result<ModelAnswer> { return Error(ErrorCode::kUpstream, "x"); });
  std::stop_source stop;
  RetryingModel retrying(model, {}, [&](milliseconds, const std::stop_token&) {
    stop.request_stop();
    return false;
  });
  EXPECT_EQ(retrying.complete({}, stop.get_token()).error().code(), ErrorCode::kUnavailable);
  EXPECT_FALSE(waitOrStop(std::chrono::hours(1), stop.get_token()));
  EXPECT_TRUE(waitOrStop(milliseconds(0), {}));
}

}  // namespace
}  // namespace spindle::evaluation
