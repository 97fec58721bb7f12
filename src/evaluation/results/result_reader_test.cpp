#include "evaluation/results/result_reader.h"

#include "evaluation/recording/recorder_for_test.h"

namespace spindle::evaluation {
namespace {

class ResultReaderTest : public RecorderTest {
 protected:
  Result<EvaluationResults> ask(const ResultQuery& result_query, ResultLimits limits = {}) {
    return ResultReader({calls_, values_, prices_}, limits).read(scope_.project, result_query);
  }

  /// Returns the price of one model, `m`: 2 per prompt token.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view)> prices_ =
      [](std::string_view) -> Result<std::shared_ptr<const pricing::ProjectPrices>> {
    pricing::Price price;
    price.llm_id = "m";
    price.tokens.prompt = 2;
    auto table = std::make_shared<const pricing::PriceTable>(std::vector{price});
    return std::make_shared<const pricing::ProjectPrices>(pricing::ProjectPrices::Tables{table});
  };
};

TEST_F(ResultReaderTest, ReadsRecordedRuns) {
  const std::string run_id = run(1);
  const PredictionIds ids = row(run_id, R"({"q":1})", R"("yes")", "0.5");
  const EvaluationResults answer = good(ask({.evaluations = {run_id}, .raw_rows = true}));
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(answer.rows[0].raw.value().json, R"({"q":1})");
  ASSERT_EQ(answer.rows[0].evaluations.size(), 1U);
  const Trial& trial = answer.rows[0].evaluations[0].trials.at(0);
  EXPECT_EQ(trial.call_id, ids.row_call_id);
  EXPECT_EQ(trial.predict_call_id, ids.prediction_id);
  EXPECT_EQ(trial.model_output.json, R"("yes")");
  EXPECT_EQ(trial.scores.json, R"({"accuracy":0.5})");
  ASSERT_EQ(trial.scorer_call_ids.size(), 1U);
  EXPECT_EQ(trial.scorer_call_ids[0].first, "accuracy");
}

TEST_F(ResultReaderTest, CountsTokensAndCostsOfTheModelsCall) {
  const std::string run_id = run(1);
  for (const char* usage : {R"({"usage":{"m":{"prompt_tokens":3,"completion_tokens":4}}})",
                            R"({"usage":{"m":{"prompt_tokens":1,"total_tokens":9},"x":{}}})"}) {
    good(recorder_.recordPrediction(
        scope_,
        {.model = kModel, .inputs = "{}", .output = "1", .run_id = run_id, .summary = usage}));
    clock_.advance(std::chrono::milliseconds(1));  // trials are in the order of their starts
  }
  const EvaluationResults answer =
      good(ask({.evaluations = {run_id}, .summary = true, .costs = true}));
  const std::vector<Trial>& trials = answer.rows.at(0).evaluations.at(0).trials;
  EXPECT_EQ(trials[0].tokens, 7);
  EXPECT_EQ(trials[0].cost, 6);
  EXPECT_EQ(trials[1].tokens, 9);
  EXPECT_EQ(trials[1].cost, 2);
  EXPECT_EQ(answer.summary->evaluations.at(0).tokens, 16);
  EXPECT_EQ(answer.summary->evaluations.at(0).cost, 8);
  const EvaluationResults free = good(ask({.evaluations = {run_id}, .summary = true}));
  EXPECT_EQ(free.summary->evaluations.at(0).cost, std::nullopt);
}

TEST_F(ResultReaderTest, WarnsOfUnresolvedRows) {
  const std::string run_id = run(1);
  good(recorder_.recordPrediction(
      scope_, {.model = kModel,
               .inputs = "{}",
               .output = "1",
               .run_id = run_id,
               .example = R"("svc:///acme/lab/object/data:d1/attr/rows/id/r1")"}));
  const EvaluationResults answer =
      good(ask({.evaluations = {run_id}, .raw_rows = true, .resolve_rows = true}));
  EXPECT_EQ(answer.rows.at(0).digest, "r1");
  EXPECT_EQ(answer.rows.at(0).raw.value().json,
            R"("svc-trace-internal:///p1/object/data:d1/attr/rows/id/r1")");
  EXPECT_EQ(answer.warnings, std::vector<std::string>{"1 dataset rows could not be resolved"});
}

TEST_F(ResultReaderTest, EnforcesLimits) {
  const std::string run_id = run(1);
  for (int i = 0; i < 3; ++i) row(run_id, R"({"q":)" + std::to_string(i) + "}", "\"long\"", "1");
  const ResultQuery result_query{.evaluations = {run_id}};
  EXPECT_TRUE(ask(result_query, {.trials = 3}));
  for (const ResultLimits& limits : {ResultLimits{.trials = 2}, ResultLimits{.light_bytes = 64},
                                     ResultLimits{.page_bytes = 32}}) {
    const Result<EvaluationResults> refused = ask(result_query, limits);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
  }
  ResultQuery page = result_query;
  page.limit = 1;
  EXPECT_TRUE(ask(page, {.page_bytes = 32})) << "a smaller page fits";
}

TEST_F(ResultReaderTest, MissingRunHasNoRows) {
  const EvaluationResults answer = good(ask({.evaluations = {id(9)}, .summary = true}));
  EXPECT_TRUE(answer.rows.empty());
  EXPECT_TRUE(answer.summary->evaluations.empty());
}

}  // namespace
}  // namespace spindle::evaluation
