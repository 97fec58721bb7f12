#include "evaluation/scoring/judge.h"

#include <gtest/gtest.h>

#include "evaluation/scoring/model_for_test.h"

namespace spindle::evaluation {
namespace {

ScoreOutcome ask(ModelPort& model, std::string_view object) {
  const Result<std::unique_ptr<const Scorer>> judge =
      makeScorer(object, {model, {"p1", "acme/lab"}});
  EXPECT_TRUE(judge) << (judge ? "" : judge.error().message());
  if (!judge) return {};
  const Result<ScoreOutcome> outcome =
      (*judge)->score({R"({"question":"Why?","target":"x"})", R"("Because.")"}, {});
  EXPECT_TRUE(outcome);
  return outcome ? *outcome : ScoreOutcome();
}

TEST(Judge, ReturnsTheScoreOfTheModel) {
  ModelForTest model(R"({"score": 0.75, "reason": "Mostly right."})");
  const ScoreOutcome outcome =
      ask(model, R"({"kind":"llm_judge","model":"m","rubric":"Be strict.","threshold":0.5})");
  EXPECT_EQ(outcome.value, R"({"score":0.75,"reason":"Mostly right.","passed":true})");
  EXPECT_FALSE(outcome.exception);
  EXPECT_EQ(outcome.summary,
            R"({"usage":{"model-1":{"requests":1,"prompt_tokens":2,"completion_tokens":1}}})");
}

TEST(Judge, SendsRubricExampleAndOutput) {
  ModelForTest model(R"({"score":1})");
  ask(model, R"({"kind":"llm_judge","model":"m","rubric":"Be strict."})");
  const std::vector<ModelRequest> asked = model.asked();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].model, "m");
  EXPECT_EQ(asked[0].parameters, R"({"temperature":0})");
  EXPECT_EQ(asked[0].project.id, "p1");
  for (const char* part :
       {"Be strict.", "Because.", R"(\"question\":\"Why?\")", "from 0.0 to 1.0"}) {
    EXPECT_NE(asked[0].messages.find(part), std::string::npos) << part << asked[0].messages;
  }
}

TEST(Judge, FillsACustomPrompt) {
  ModelForTest model(R"({"score":4,"reason":""})");
  const ScoreOutcome outcome = ask(
      model,
      R"x({"kind":"llm_judge","model":"m","prompt":"{question} -> {output} ({rubric})","rubric":"r","score_min":1,"score_max":5,"parameters":{"top_p":0.5}})x");
  EXPECT_EQ(outcome.value, R"({"score":4.0,"reason":""})");
  EXPECT_NE(model.asked()[0].messages.find("Why? -> Because. (r)"), std::string::npos);
  EXPECT_EQ(model.asked()[0].parameters, R"({"top_p":0.5})");
}

TEST(Judge, InvalidAnswerIsAnException) {
  for (const char* nonsense : {"", "I think it is fine.", "{}", R"({"score":"high"})",
                               R"({"score":2})", R"({"score":-0.1})", "{\"score\": 0.5", "[1]"}) {
    ModelForTest model(nonsense);
    const ScoreOutcome outcome = ask(model, R"({"kind":"llm_judge","model":"m","rubric":"r"})");
    EXPECT_EQ(outcome.value, "null") << nonsense;
    EXPECT_TRUE(outcome.exception && outcome.exception->starts_with("The judge's ")) << nonsense;
    EXPECT_NE(outcome.summary, "{}") << "it was paid for all the same";
  }
}

TEST(Judge, ModelFailureIsAnException) {
  ModelForTest model([](const ModelRequest&) -> Result<ModelAnswer> {
    return Error(ErrorCode::kUpstream, "The upstream failed with status 500.");
  });
  const ScoreOutcome outcome = ask(model, R"({"kind":"llm_judge","model":"m","rubric":"r"})");
  EXPECT_EQ(outcome.exception, "The judge did not answer: The upstream failed with status 500.");
}

TEST(Judge, MissingFieldIsAnException) {
  ModelForTest model(R"({"score":1})");
  const ScoreOutcome outcome =
      ask(model, R"({"kind":"llm_judge","model":"m","prompt":"{nothing}"})");
  EXPECT_EQ(outcome.exception, "The example has no field 'nothing'.");
  EXPECT_TRUE(model.asked().empty());
}

TEST(Judge, ReturnsUnavailableWhenStopped) {
  ModelForTest model(R"({"score":1})");
  const auto judge =
      makeScorer(R"({"kind":"llm_judge","model":"m","rubric":"r"})", {model, {"p1", "acme/lab"}});
  std::stop_source stop;
  stop.request_stop();
  const Result<ScoreOutcome> outcome = (*judge)->score({"{}", "1"}, stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kUnavailable);
}

TEST(Judge, ErrorNamesTheInvalidParameter) {
  ModelForTest model("");
  const auto problem = [&](std::string_view object) {
    const auto judge = makeScorer(object, {model, {}});
    return judge ? std::string() : judge.error().message();
  };
  EXPECT_EQ(problem(R"({"kind":"llm_judge","rubric":"r"})"), "'model' is required");
  EXPECT_EQ(problem(R"({"kind":"llm_judge","model":"m"})"), "'rubric' or 'prompt' is required");
  EXPECT_EQ(problem(R"({"kind":"llm_judge","model":"m","rubric":"r","score_min":5,"score_max":5})"),
            "'score_min' must be less than 'score_max'");
  EXPECT_EQ(problem(R"({"kind":"llm_judge","model":"m","rubric":"r","parameters":[]})"),
            "'parameters' must be an object");
}

TEST(JudgeAnswer, IsFoundInFencesAndText) {
  const JudgeScale scale;
  EXPECT_EQ(*parseJudgeAnswer("```json\n{\"score\": 1, \"reason\": \"ok\"}\n```", scale),
            R"({"score":1.0,"reason":"ok"})");
  EXPECT_EQ(*parseJudgeAnswer("My verdict: {\"score\": 0.5} as asked.", scale),
            R"({"score":0.5,"reason":""})");
  EXPECT_EQ(*parseJudgeAnswer(R"({"reason":"a } in it","score":0})", scale),
            R"({"score":0.0,"reason":"a } in it"})");
  EXPECT_FALSE(parseJudgeAnswer("{a} {\"score\":1}", scale));
}

}  // namespace
}  // namespace spindle::evaluation
