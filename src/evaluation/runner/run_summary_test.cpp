#include "evaluation/runner/run_summary.h"

#include <gtest/gtest.h>

#include "evaluation/runner/evaluation_job_payload.h"
#include "evaluation/runner/stored_prediction_json.h"

namespace spindle::evaluation {
namespace {

TEST(RunSummary, SummarizesEveryLeaf) {
  RunSummary summary;
  summary.add(
      R"({"output":"x","scores":{"exact":{"passed":true},"near":{"similarity":1.0,"distance":0,"note":"t"},"plain":3},"model_latency":{"mean":2.0}})");
  summary.add(
      R"({"output":"y","scores":{"exact":{"passed":false},"near":{"similarity":0.5,"distance":4},"plain":4},"model_latency":{"mean":1.0}})");
  summary.add(R"({"output":null,"scores":{"exact":null}})");
  summary.add("[1]");
  EXPECT_EQ(
      summary.json(),
      R"({"exact":{"passed":{"true_count":1,"true_fraction":0.5}},"near":{"distance":{"mean":2.0},"similarity":{"mean":0.75}},"plain":{"mean":3.5},"model_latency":{"mean":1.5}})");
}

TEST(RunSummary, IsEmptyWithoutRows) { EXPECT_EQ(RunSummary().json(), "{}"); }

TEST(StepIds, AreUuidsDerivedFromTheirParts) {
  const std::string id = stepId({"run", "row", "1"});
  EXPECT_EQ(id, stepId({"run", "row", "1"}));
  EXPECT_NE(id, stepId({"run", "row1", ""}));
  EXPECT_NE(id, stepId({"run", "row", "2"}));
  ASSERT_EQ(id.size(), 36U);
  EXPECT_EQ(id[14], '8');
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef-"), std::string::npos);
}

TEST(StoredPredictions, AreParsedFromEverySdk) {
  tracing::Call row;
  row.inputs = R"({"self":"e","model":"m","example":{"q":1}})";
  row.output = R"({"output":"yes","scores":{},"model_latency":0.25})";
  EXPECT_EQ(storedPredictionOf(row).output, R"("yes")");
  EXPECT_EQ(storedPredictionOf(row).latency, std::chrono::milliseconds(250));
  EXPECT_EQ(recordedExampleOf(row), R"({"q":1})");
  row.output = R"({"model_output":7,"model_latency":{"mean":2.0}})";
  EXPECT_EQ(storedPredictionOf(row).output, "7");
  EXPECT_EQ(storedPredictionOf(row).latency, std::chrono::seconds(2));
  row.output = R"({"output":null})";
  EXPECT_FALSE(storedPredictionOf(row).output);
  row.output.reset();
  row.exception = "lost";
  EXPECT_EQ(storedPredictionOf(row).exception, "lost");
}

}  // namespace
}  // namespace spindle::evaluation
