#include "evaluation/results/result_table.h"

#include <gtest/gtest.h>

#include "evaluation/results/trial_json.h"
#include "query/codec.h"
#include "schema/parse.h"

namespace spindle::evaluation {
namespace {

using Texts = std::vector<std::string>;

/// A fixture with two evaluations, A and B, over the rows r1 to r4.
class ResultTableTest : public ::testing::Test {
 protected:
  ResultTableTest() { query_.evaluations = {"A", "B"}; }

  void fill() {
    Result<RequestedFields> fields = requestedFields(query_);
    ASSERT_TRUE(fields) << fields.error().message();
    table_.emplace(query_, *std::move(fields));
    add("r1", 0, R"({"acc":0.5,"ok":true})", R"("x")");
    add("r1", 0, R"({"acc":1,"ok":false})", R"("y")");
    add("r1", 1, R"({"acc":0.25,"ok":true})", R"("z")");
    add("r2", 0, R"({"acc":1.0,"judge":{"score":3,"why":"good"}})", "5");
    add("r2", 1, R"({"acc":0.0,"judge":{"score":4,"why":"bad","tags":["a"],"none":null}})", "7");
    add("r3", 0, R"({"acc":0.1})", "null");
    add("r4", 1, R"({"acc":0.9})", "2");
  }
  void add(const std::string& digest,
           std::size_t evaluation,
           const std::string& scores,
           const std::string& output) {
    LightRow& row = table_->row(digest);
    LightTrial trial{.call_id = digest, .scores = scores};
    for (std::size_t i = 0; i < table_->fields().output.size(); ++i)
      trial.outputs.push_back(output);
    for (std::optional<std::string>& input : row.inputs) input = "\"" + digest + "\"";
    row.trials[evaluation].push_back(std::move(trial));
  }
  Texts selected() {
    fill();
    const Result<std::vector<const LightRow*>> rows = table_->selected();
    EXPECT_TRUE(rows) << (rows ? "" : rows.error().message());
    Texts digests;
    if (rows) {
      for (const LightRow* row : *rows) digests.push_back(row->digest);
    }
    return digests;
  }
  void filter(const std::string& expression, const std::optional<std::string>& evaluation = {}) {
    Result<query::Query> query =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    ASSERT_TRUE(query);
    query_.filters.push_back({*std::move(query), evaluation});
  }
  static std::string over(const std::string& field, const std::string& literal) {
    return R"({"$gt":[{"$getField":")" + field + R"("},{"$literal":)" + literal + "}]}";
  }
  std::string refusal() {
    const Result<RequestedFields> fields = requestedFields(query_);
    return fields ? "" : fields.error().message();
  }

  ResultQuery query_;
  std::optional<ResultTable> table_;
};

TEST_F(ResultTableTest, OrdersRowsByTheirDigests) {
  EXPECT_EQ(selected(), (Texts{"r1", "r2", "r3", "r4"}));
}

TEST_F(ResultTableTest, IntersectsEvaluations) {
  query_.require_intersection = true;
  EXPECT_EQ(selected(), (Texts{"r1", "r2"}));
}

TEST_F(ResultTableTest, NeedsNoIntersectionOfOne) {
  query_.evaluations = {"A"};
  query_.require_intersection = true;
  table_.emplace(query_, RequestedFields());
  add("r1", 0, "{}", "1");
  EXPECT_EQ(table_->selected()->size(), 1U);
}

TEST_F(ResultTableTest, SortsByTheMeanOfTheTrials) {
  query_.sort = {{.field = "scores.acc", .evaluation_call_id = "A"}};
  EXPECT_EQ(selected(), (Texts{"r3", "r1", "r2", "r4"}));
  query_.sort = {{.field = "scores.acc", .descending = true, .evaluation_call_id = "A"}};
  EXPECT_EQ(selected(), (Texts{"r2", "r1", "r3", "r4"})) << "rows without a value stay last";
}

TEST_F(ResultTableTest, SortsByDifference) {
  query_.sort = {{.field = "scores.acc", .descending = true, .difference = true}};
  EXPECT_EQ(selected(), (Texts{"r2", "r1", "r3", "r4"}));
}

TEST_F(ResultTableTest, SortsByInputsAndOutputs) {
  query_.sort = {{.field = "inputs.q", .descending = true}};
  EXPECT_EQ(selected(), (Texts{"r4", "r3", "r2", "r1"}));
  query_.sort = {{.field = "output.a"}};
  EXPECT_EQ(selected(), (Texts{"r4", "r2", "r1", "r3"})) << "numbers, texts, nothing";
}

TEST_F(ResultTableTest, RefusesUnsupportedFields) {
  query_.sort = {{.field = "latency"}};
  EXPECT_EQ(refusal(),
            "Unsupported sort field: 'latency'. Supported: scores.*, inputs.*, output.*.");
  query_.sort = {{.field = "inputs.q", .difference = true}};
  EXPECT_EQ(refusal(), "Sort mode 'difference' is only supported for scores.*");
  query_.sort.clear();
  filter(over("started_at", "1"));
  EXPECT_EQ(refusal(),
            "Unsupported filter field: 'started_at'. Supported: row_digest, scores.*, "
            "inputs.*, output.*.");
}

TEST_F(ResultTableTest, FiltersByTheFirstTrialOfAnyEvaluation) {
  filter(over("scores.acc", "0.4"));
  EXPECT_EQ(selected(), (Texts{"r1", "r2", "r4"}));
}

TEST_F(ResultTableTest, FiltersByOneEvaluation) {
  filter(over("scores.acc", "0.4"), "B");
  EXPECT_EQ(selected(), (Texts{"r4"}));
}

TEST_F(ResultTableTest, CombinesFiltersOfOneEvaluation) {
  filter(over("scores.acc", "0.4"), "A");
  filter(over("scores.judge.score", "1"), "A");
  EXPECT_EQ(selected(), (Texts{"r1", "r2"}));
  query_.all_filters = true;
  EXPECT_EQ(selected(), (Texts{"r2"}));
}

TEST_F(ResultTableTest, RequiresTheFiltersOfEachEvaluation) {
  filter(over("scores.acc", "0.4"), "A");
  filter(over("scores.acc", "0.2"), "B");
  EXPECT_EQ(selected(), (Texts{"r1"}));
}

TEST_F(ResultTableTest, FiltersByDigestInputsAndOutput) {
  filter(R"({"$eq":[{"$getField":"row_digest"},{"$literal":"r2"}]})");
  EXPECT_EQ(selected(), (Texts{"r2"}));
  query_.filters.clear();
  filter(R"({"$eq":[{"$getField":"inputs.q"},{"$literal":"r3"}]})");
  EXPECT_EQ(selected(), (Texts{"r3"}));
  query_.filters.clear();
  filter(over("output.a", "4"));
  EXPECT_EQ(selected(), (Texts{"r2"}));
}

TEST_F(ResultTableTest, SummarizesEveryLeafOfTheScores) {
  fill();
  const ResultSummary summary = table_->summary();
  EXPECT_EQ(summary.rows, 4);
  ASSERT_EQ(summary.evaluations.size(), 2U);
  const EvaluationSummary& a = summary.evaluations[0];
  EXPECT_EQ(a.evaluation_call_id, "A");
  EXPECT_EQ(a.trials, 4);
  ASSERT_EQ(a.scorers.size(), 4U);
  const ScorerStats& acc = a.scorers[0];
  EXPECT_EQ(acc.scorer, "acc");
  EXPECT_EQ(acc.path, std::nullopt);
  EXPECT_EQ(acc.value_type, "continuous");
  EXPECT_EQ(acc.trials, 4);
  EXPECT_EQ(acc.numbers, 4);
  EXPECT_DOUBLE_EQ(*acc.mean, 0.65);
  EXPECT_EQ(acc.pass_rate, std::nullopt);
  const ScorerStats& score = a.scorers[1];
  EXPECT_EQ(score.scorer, "judge");
  EXPECT_EQ(score.path, "score");
  EXPECT_EQ(score.numbers, 1);
  const ScorerStats& why = a.scorers[2];
  EXPECT_EQ(why.path, "why");
  EXPECT_EQ(why.value_type, "text");
  EXPECT_EQ(why.mean, std::nullopt);
  const ScorerStats& ok = a.scorers[3];
  EXPECT_EQ(ok.value_type, "binary");
  EXPECT_EQ(ok.passes, 1);
  EXPECT_EQ(ok.known, 2);
  EXPECT_DOUBLE_EQ(*ok.pass_rate, 0.5);
  EXPECT_DOUBLE_EQ(*ok.coverage, 0.5);
  EXPECT_EQ(ok.numbers, 0);
}

TEST_F(ResultTableTest, SummarizesTheIntersectionOnRequest) {
  query_.summary_intersection = true;
  fill();
  const ResultSummary summary = table_->summary();
  EXPECT_EQ(summary.rows, 2);
  EXPECT_EQ(summary.evaluations[0].trials, 3);
  EXPECT_EQ(table_->selected()->size(), 4U);
}

TEST_F(ResultTableTest, ComparesRowByRow) {
  fill();
  const Result<ResultComparison> found = table_->compare(*table_->selected(), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->baseline, "A");
  ASSERT_EQ(found->runs.size(), 1U);
  EXPECT_EQ(found->runs[0].evaluation_call_id, "B");
  ASSERT_EQ(found->runs[0].metrics.size(), 3U);
  const MetricComparison& acc = found->runs[0].metrics[0];
  EXPECT_EQ(acc.scorer, "acc");
  EXPECT_EQ(acc.rows, 2U);
  EXPECT_DOUBLE_EQ(*acc.baseline_mean, 0.875);
  EXPECT_DOUBLE_EQ(*acc.mean, 0.125);
  EXPECT_DOUBLE_EQ(*acc.mean_difference, -0.75);
  EXPECT_EQ(acc.losses, 2U);
  ASSERT_EQ(acc.worse.size(), 2U);
  EXPECT_EQ(acc.worse[0].row_digest, "r2");
  EXPECT_EQ(acc.worse[1].row_digest, "r1");
  const MetricComparison& judge = found->runs[0].metrics[1];
  EXPECT_EQ(judge.path, "score");
  EXPECT_EQ(judge.wins, 1U);
  EXPECT_EQ(found->runs[0].metrics[2].scorer, "ok");
}

TEST_F(ResultTableTest, ComparesWithTheRequestedBaselineAndMetrics) {
  query_.limit = 1;
  query_.offset = 0;
  fill();
  const Result<ResultComparison> found = table_->compare(
      *table_->selected(), {.baseline = "B", .metrics = Texts{"judge.score", "ok"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs[0].evaluation_call_id, "A");
  ASSERT_EQ(found->runs[0].metrics.size(), 2U);
  EXPECT_EQ(found->runs[0].metrics[0].worse.size(), 1U);
}

TEST_F(ResultTableTest, RefusesInvalidComparisons) {
  fill();
  const auto rows = *table_->selected();
  EXPECT_EQ(table_->compare(rows, {.baseline = "C"}).error().code(), ErrorCode::kInvalidArgument);
  CompareQuery endless;
  endless.bootstrap.resamples = 1'000'000'000;
  EXPECT_EQ(table_->compare(rows, endless).error().code(), ErrorCode::kInvalidArgument);
  query_.evaluations = {"A"};
  EXPECT_EQ(table_->compare(rows, {}).error().message(), "compare takes 2 to 10 evaluations");
}

TEST(Trials, AreGroupedByRow) {
  EXPECT_EQ(rowDigestOf(R"("svc-trace-internal:///p1/object/quiz:abc/attr/rows/id/ROW")"), "ROW");
  EXPECT_EQ(rowDigestOf(R"({"a":1})"), "XdhgKMbg1k4iUYb5astpM4ssWXZN95FiEH9cS7NNExA");
  EXPECT_EQ(rowDigestOf(R"({"b":[1],"a":1})"), rowDigestOf(R"({"a":1,"b":[1]})"));
  EXPECT_EQ(rowDigestOf(R"("hello")"), "LPJNulXwow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ")
      << "a text is hashed as it is";
}

TEST(Trials, AreParsedFromBothSdks) {
  tracing::Call call;
  call.inputs = R"({"example":{"a":1}})";
  call.output = R"({"output":3,"scores":{"s":1},"model_latency":{"mean":0.5}})";
  call.attributes = R"({"svc":{"predict_call_id":"p","genai_span_ref":[]}})";
  TrialParts parts = trialPartsOf(call);
  EXPECT_EQ(parts.example, R"({"a":1})");
  EXPECT_EQ(parts.model_output, "3");
  EXPECT_EQ(parts.scores, R"({"s":1})");
  EXPECT_EQ(parts.latency_seconds, 0.5);
  EXPECT_EQ(parts.predict_call_id, "p");
  EXPECT_EQ(parts.genai_spans, "[]");
  call.output = R"({"model_output":"x","scores":{},"model_latency":2})";
  parts = trialPartsOf(call);
  EXPECT_EQ(parts.model_output, "\"x\"");
  EXPECT_EQ(parts.latency_seconds, 2);
  call.output = std::nullopt;
  EXPECT_EQ(trialPartsOf(call).scores, "{}");
}

TEST(Trials, IdentifyTheCallOfTheModel) {
  tracing::Call call;
  call.op_name = "guess";
  call.inputs = R"({"self":"svc-trace-internal:///p1/object/bot:m1"})";
  EXPECT_TRUE(isPredict(call, "svc-trace-internal:///p1/object/bot:m1"));
  EXPECT_FALSE(isPredict(call, "other"));
  EXPECT_TRUE(isPredict(call, "guess"));
  call.op_name = "bot.invoke_now";
  EXPECT_TRUE(isPredict(call, "other"));
}

}  // namespace
}  // namespace spindle::evaluation
