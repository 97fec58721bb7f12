#include "evaluation/recording/run_recorder.h"

#include "evaluation/recording/call_names.h"
#include "evaluation/recording/recorder_for_test.h"
#include "evaluation/recording/run_payload_json.h"

namespace spindle::evaluation {
namespace {

constexpr const char* kInternalEvaluation = "svc-trace-internal:///p1/object/quiz:e1";
constexpr const char* kInternalModel = "svc-trace-internal:///p1/object/bot:m1";
constexpr const char* kInternalScorer = "svc-trace-internal:///p1/object/accuracy:s1";

TEST_F(RecorderTest, RecordsARunAsACall) {
  const std::string run_id = run(1);
  EXPECT_EQ(run_id, id(1));
  const tracing::Call made = call(run_id);
  EXPECT_EQ(made.trace_id, run_id);
  EXPECT_EQ(made.parent_id, std::nullopt);
  EXPECT_EQ(made.op_name, kEvaluateOp);
  EXPECT_EQ(made.user_id, "u1");
  EXPECT_EQ(made.inputs, R"({"self":"svc-trace-internal:///p1/object/quiz:e1",)"
                         R"("model":"svc-trace-internal:///p1/object/bot:m1"})");
  EXPECT_EQ(made.attributes, R"({"svc":{"evaluation_run":"true",)"
                             R"("evaluation":"svc-trace-internal:///p1/object/quiz:e1",)"
                             R"("model":"svc-trace-internal:///p1/object/bot:m1"}})");
  const auto read = runOf(made);
  EXPECT_EQ(read.evaluation, kInternalEvaluation);
  EXPECT_EQ(read.model, kInternalModel);
  EXPECT_EQ(read.status, "running");
  EXPECT_EQ(read.source_run_id, std::nullopt);
}

TEST_F(RecorderTest, RecordsTheSourceRun) {
  const std::string run_id = good(recorder_.createRun(
      scope_, {.evaluation = kEvaluation, .model = kModel, .source_run_id = id(7)}));
  EXPECT_EQ(runOf(call(run_id)).source_run_id, id(7));
}

TEST_F(RecorderTest, WritesAPredictionOfARunAsTwoCalls) {
  const std::string run_id = run(1);
  const PredictionIds ids =
      good(recorder_.recordPrediction(scope_, {.model = kModel,
                                               .inputs = R"({"q":1})",
                                               .output = "3",
                                               .run_id = run_id,
                                               .genai_spans = R"([{"trace_id":"t","span_id":"s"}])",
                                               .id = id(2),
                                               .row_call_id = id(3)}));
  EXPECT_EQ(ids.prediction_id, id(2));
  EXPECT_EQ(ids.row_call_id, id(3));
  const tracing::Call row = call(id(3));
  EXPECT_EQ(row.op_name, kPredictAndScoreOp);
  EXPECT_EQ(row.parent_id, run_id);
  EXPECT_EQ(row.trace_id, run_id);
  EXPECT_EQ(row.ended_at, std::nullopt);
  EXPECT_EQ(row.attributes, R"({"svc":{"predict_call_id":")" + id(2) +
                                R"(","genai_span_ref":[{"trace_id":"t","span_id":"s"}]}})");
  EXPECT_EQ(row.inputs, R"({"self":"svc-trace-internal:///p1/object/quiz:e1",)"
                        R"("model":"svc-trace-internal:///p1/object/bot:m1","example":{"q":1}})");
  const tracing::Call predict = call(id(2));
  EXPECT_EQ(predict.op_name, "bot.predict");
  EXPECT_EQ(predict.parent_id, id(3));
  EXPECT_EQ(predict.trace_id, run_id);
  EXPECT_EQ(predict.output, "3");
  EXPECT_EQ(predict.summary, "{}");
  EXPECT_TRUE(predict.ended_at);
  EXPECT_EQ(predict.inputs,
            R"({"self":"svc-trace-internal:///p1/object/bot:m1","inputs":{"q":1}})");
  EXPECT_EQ(predict.attributes, R"({"svc":{"prediction":"true",)"
                                R"("model":"svc-trace-internal:///p1/object/bot:m1",)"
                                R"("evaluation_run_id":")" +
                                    run_id + R"("}})");
}

TEST_F(RecorderTest, RecordsAPredictionWithoutARunAsARoot) {
  const PredictionIds ids = good(
      recorder_.recordPrediction(scope_, {.model = "no ref", .inputs = "{}", .output = "null"}));
  EXPECT_EQ(ids.row_call_id, std::nullopt);
  const tracing::Call predict = call(ids.prediction_id);
  EXPECT_EQ(predict.op_name, "Model.predict");
  EXPECT_EQ(predict.parent_id, std::nullopt);
  EXPECT_EQ(predict.trace_id, ids.prediction_id);
  EXPECT_EQ(predictionOf(predict).output.json, "null");
}

TEST_F(RecorderTest, RefusesPredictionsOfUnknownRuns) {
  const Result<PredictionIds> refused = recorder_.recordPrediction(
      scope_, {.model = kModel, .inputs = "{}", .output = "1", .run_id = id(9)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(refused.error().message(), "Evaluation run " + id(9) + " not found");
}

TEST_F(RecorderTest, WritesAScoreBesideItsPredictionAndAsFeedback) {
  const std::string run_id = run(1);
  const PredictionIds ids = good(recorder_.recordPrediction(
      scope_, {.model = kModel, .inputs = R"({"q":1})", .output = "3", .run_id = run_id}));
  const std::string score_id = good(recorder_.recordScore(
      scope_,
      {.prediction_id = ids.prediction_id, .scorer = kAccuracy, .value = "0.5", .run_id = run_id}));
  const tracing::Call score = call(score_id);
  EXPECT_EQ(score.op_name, "accuracy.score");
  EXPECT_EQ(score.parent_id, ids.row_call_id);
  EXPECT_EQ(score.trace_id, run_id);
  EXPECT_EQ(score.output, "0.5");
  EXPECT_EQ(score.inputs, R"({"self":"svc-trace-internal:///p1/object/accuracy:s1",)"
                          R"("inputs":{"q":1},"output":3})");
  EXPECT_EQ(scoreOf(score).scorer, kInternalScorer);
  EXPECT_EQ(scoreOf(score).run_id, run_id);
  EXPECT_TRUE(isScore(score));

  auto said = good(feedback_.ofTargets("p1", feedback::kCallTarget, {ids.prediction_id}));
  ASSERT_EQ(said[ids.prediction_id].size(), 1U);
  const feedback::Feedback& feedback = said[ids.prediction_id].front();
  EXPECT_EQ(feedback.feedback_type, "svc.runnable.accuracy");
  EXPECT_EQ(feedback.payload, R"({"output":0.5})");
  EXPECT_EQ(feedback.runnable_ref, kInternalScorer);
  EXPECT_EQ(feedback.call_ref, "svc-trace-internal:///p1/call/" + score_id);
}

TEST_F(RecorderTest, ScoresWithoutARowAreChildrenOfTheRunOrRoots) {
  const std::string run_id = run(1);
  const PredictionIds ids =
      good(recorder_.recordPrediction(scope_, {.model = kModel, .inputs = "{}", .output = "1"}));
  const NewScore score{.prediction_id = ids.prediction_id, .scorer = kAccuracy, .value = "1"};
  EXPECT_EQ(call(good(recorder_.recordScore(scope_, score))).parent_id, std::nullopt);
  NewScore of_run = score;
  of_run.run_id = run_id;
  const tracing::Call below = call(good(recorder_.recordScore(scope_, of_run)));
  EXPECT_EQ(below.parent_id, run_id);
  EXPECT_EQ(below.trace_id, run_id);
}

TEST_F(RecorderTest, RefusesScoresOfUnknownPredictions) {
  const Result<std::string> missing =
      recorder_.recordScore(scope_, {.prediction_id = id(9), .scorer = kAccuracy, .value = "1"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), "Prediction " + id(9) + " not found");
  const PredictionIds ids =
      good(recorder_.recordPrediction(scope_, {.model = kModel, .inputs = "{}", .output = "1"}));
  const Result<std::string> nameless = recorder_.recordScore(
      scope_, {.prediction_id = ids.prediction_id, .scorer = "accuracy", .value = "1"});
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(RecorderTest, FinishesAPredictionWithItsScores) {
  const std::string run_id = run(1);
  const PredictionIds ids = good(recorder_.recordPrediction(
      scope_, {.model = kModel,
               .inputs = "{}",
               .output = "\"x\"",
               .run_id = run_id,
               .summary = R"({"usage":{"m":{"total_tokens":5}}})",
               .started_at = clock_.now() - std::chrono::milliseconds(1500),
               .ended_at = clock_.now()}));
  for (const char* value : {"0.1", "0.5"}) {
    clock_.advance(std::chrono::seconds(1));
    good(recorder_.recordScore(scope_, {.prediction_id = ids.prediction_id,
                                        .scorer = kAccuracy,
                                        .value = value,
                                        .run_id = run_id}));
  }
  ASSERT_TRUE(recorder_.finishPrediction(scope_, ids.prediction_id));
  const tracing::Call row = call(*ids.row_call_id);
  EXPECT_EQ(row.output, R"({"output":"x","scores":{"accuracy":0.5},"model_latency":{"mean":1.5}})");
  EXPECT_TRUE(row.ended_at);
  const tracing::Call predict = call(ids.prediction_id);
  EXPECT_EQ(predict.output, "\"x\"");
  EXPECT_EQ(predict.summary, R"({"usage":{"m":{"total_tokens":5}}})");
  EXPECT_TRUE(recorder_.finishPrediction(scope_, id(99)));
}

TEST_F(RecorderTest, FinishesARunWithTheMeansOfItsRows) {
  const std::string run_id = run(1);
  row(run_id, "{}", "3", "0.5");
  clock_.advance(std::chrono::milliseconds(8));
  ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = run_id, .summary = R"({"x":1})"}));
  const tracing::Call finished = call(run_id);
  EXPECT_EQ(finished.output, R"({"accuracy":{"mean":0.5},"output":{"mean":3.0}})");
  EXPECT_EQ(finished.summary, R"({"x":1})");
  EXPECT_EQ(runOf(finished).status, "completed");
  const std::vector<tracing::Call> children = childrenOf(run_id);
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[1].op_name, kSummarizeOp);
  EXPECT_EQ(children[1].output, finished.output);

  ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = run_id}));
  EXPECT_EQ(childrenOf(run_id).size(), 2U);
}

TEST_F(RecorderTest, FinishOfAnUnknownRunHasNoEffect) {
  ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = id(9)}));
  EXPECT_TRUE(childrenOf(id(9)).empty());
}

TEST_F(RecorderTest, AveragesOnlyNumbers) {
  RunTotals totals;
  totals.add(R"({"output":"text","scores":{"a":1,"b":true,"c":"x","d":{"e":1}}})");
  totals.add(R"({"output":2,"scores":{"a":0.5,"b":false}})");
  totals.add(R"([1,2])");
  EXPECT_EQ(totals.json(), R"({"a":{"mean":0.75},"output":{"mean":2.0}})");
  EXPECT_EQ(RunTotals().json(), "{}");
}

TEST_F(RecorderTest, FailsARunWithItsReason) {
  const std::string run_id = run(1);
  ASSERT_TRUE(recorder_.failRun(scope_, run_id, "cancelled"));
  const tracing::Call failed = call(run_id);
  EXPECT_EQ(failed.exception, "cancelled");
  EXPECT_EQ(runOf(failed).status, "failed");
}

TEST_F(RecorderTest, RepeatedStepsMergeIntoTheSameCalls) {
  const std::string run_id = run(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(1), run_id);
    good(recorder_.recordPrediction(scope_, {.model = kModel,
                                             .inputs = "{}",
                                             .output = "1",
                                             .run_id = run_id,
                                             .id = id(2),
                                             .row_call_id = id(3)}));
    good(recorder_.recordScore(scope_, {.prediction_id = id(2),
                                        .scorer = kAccuracy,
                                        .value = "1",
                                        .run_id = run_id,
                                        .id = id(4)}));
    ASSERT_TRUE(recorder_.finishPrediction(scope_, id(2)));
    ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = run_id, .summarize_id = id(5)}));
  }
  EXPECT_EQ(childrenOf(run_id).size(), 2U);
  EXPECT_EQ(childrenOf(id(3)).size(), 2U);
  const auto said = good(feedback_.ofTargets("p1", feedback::kCallTarget, {id(2)}));
  EXPECT_EQ(said.at(id(2)).size(), 1U);
}

TEST(RunShape, ReadsTheCallsOfSdks) {
  tracing::Call call;
  call.id = "r";
  call.inputs = R"({"this":"svc-trace-internal:///p1/object/quiz:e1","model":"m"})";
  EXPECT_EQ(runOf(call).evaluation, kInternalEvaluation);
  EXPECT_EQ(runOf(call).model, "m");
  call.inputs = R"({"self":"bot","question":"why"})";
  call.output = "null";
  EXPECT_EQ(predictionOf(call).model, "bot");
  EXPECT_EQ(predictionOf(call).inputs.json, R"({"question":"why"})");
  call.op_name = "judge";
  EXPECT_FALSE(isScore(call));
  call.attributes = R"({"_svc_eval_meta":{"score":true}})";
  EXPECT_TRUE(isScore(call));
  call.output = std::nullopt;
  EXPECT_EQ(scoreOf(call).value.json, "0.0");
  call.inputs = "{}";
  EXPECT_EQ(runOf(call).evaluation, "");
}

TEST(CallNames, AreKnownInBothSpellingsAndAsReferences) {
  EXPECT_TRUE(isPredictAndScore("Evaluation.predict_and_score"));
  EXPECT_TRUE(isPredictAndScore("svc-trace-internal:///p1/op/Evaluation.predictAndScore:abc"));
  EXPECT_FALSE(isPredictAndScore("predict"));
  EXPECT_TRUE(isEvaluate("svc-trace-internal:///p1/op/Evaluation.evaluate:abc"));
  EXPECT_TRUE(isSummarize("Evaluation.summarize"));
}

TEST_F(RecorderTest, ReportsFinishedRuns) {
  const std::string run_id = run(1);
  row(run_id, "{}", "3", "0.5");
  ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = run_id}));
  ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = id(9)})) << "an unknown run";
  ASSERT_EQ(finished_events_.size(), 1U);
  EXPECT_EQ(finished_events_[0], R"({"entity_name":"acme","project_name":"lab","run_id":")" +
                                     run_id +
                                     R"(","run_state":"FINISHED","scores":{"accuracy":0.5,)"
                                     R"("accuracy.mean":0.5,"output":3.0,"output.mean":3.0}})");
}

}  // namespace
}  // namespace spindle::evaluation
