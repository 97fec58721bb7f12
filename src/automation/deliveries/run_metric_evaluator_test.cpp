#include "automation/rules/run_metric_evaluator.h"

#include <limits>

#include "automation/deliveries/delivery_for_test.h"

namespace spindle::automation {
namespace {

using std::chrono::seconds;

class RunMetricEvaluatorTest : public DeliveryContract {
 protected:
  /// Adds rows of one metric, ten seconds apart, and returns the positions of those that raised an
  /// event.
  std::vector<std::size_t> firesAt(const std::vector<double>& values,
                                   const std::string& run_id = "run") {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (add(run_id, "m", values[i], seconds(10) * static_cast<int>(i)) > 0) places.push_back(i);
    }
    return places;
  }
  std::int64_t add(const std::string& run_id,
                   std::string_view key,
                   double value,
                   std::chrono::seconds at = seconds(0)) {
    runs::ObservedRow row;
    row.time = clock_.now() + at;
    row.metrics = {{key, value}};
    return add(run_id, {row});
  }
  std::int64_t add(const std::string& run_id, const std::vector<runs::ObservedRow>& rows) {
    runs::ObservedRun run{acme_.id, lab_.id, "acme", "lab", run_id, "exp-7", lead_.id, "lead"};
    if (!watch_.watches(acme_.id, lab_.id)) return 0;
    const Result<std::int64_t> raised = outbox_.write(
        [&](storage::Session& session) { return watch_.observe(session, run, rows); });
    EXPECT_TRUE(raised);
    return raised ? *raised : -1;
  }
  Automation waiting(const std::string& type,
                     const std::string& metric,
                     const std::string& more = "") {
    const std::string name = "auto-" + std::to_string(++made_);
    return automation(
        name, R"({"type":")" + type + R"(","metric":{"name":"m",)" + metric + "}" + more + "}",
        std::nullopt);
  }

  RunMetricEvaluator watch_{*database_, outbox_};
  int made_ = 0;
};
using Places = std::vector<std::size_t>;

TEST_P(RunMetricEvaluatorTest, FiresOnceADay) {
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":0.9)");
  EXPECT_EQ(firesAt({0.5, 0.95, 0.97}), (Places{1}));  // M02
  EXPECT_EQ(firesAt({0.95}, "other"), (Places{0})) << "runs never mix";
}

TEST_P(RunMetricEvaluatorTest, FiresAgainAfterADay) {  // M03
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":0.9)");
  EXPECT_EQ(add("run", "m", 0.95), 1);
  EXPECT_EQ(add("run", "m", 0.96, seconds(86340)), 0);
  EXPECT_EQ(add("run", "m", 0.97, seconds(86400)), 1);
}

TEST_P(RunMetricEvaluatorTest, EvaluatesThresholds) {
  waiting("RUN_METRIC_THRESHOLD",
          R"("aggregation":"AVERAGE","window":3,"comparison":"lt","threshold":0.5)");
  EXPECT_EQ(firesAt({0.9, 0.6, 0.4, 0.3, 0.2}), (Places{3}));  // M01
  waiting("RUN_METRIC_THRESHOLD",
          R"("aggregation":"MIN","window":2,"comparison":"gte","threshold":1)");
  EXPECT_EQ(firesAt({1, 0.5, 1, 2}, "M04"), (Places{3}));
}

TEST_P(RunMetricEvaluatorTest, EvaluatesChanges) {
  waiting("RUN_METRIC_CHANGE", R"("current_window":2,"prior_window":2,"aggregation":"AVERAGE",)"
                               R"("change_type":"RELATIVE","direction":"DECREASE","amount":0.25)");
  EXPECT_EQ(firesAt({1.0, 1.0, 0.8, 0.7}), (Places{3}));  // M05
}

TEST_P(RunMetricEvaluatorTest, EvaluatesZscores) {
  waiting("RUN_METRIC_ZSCORE", R"("window":5,"threshold":2,"direction":"ANY")");
  EXPECT_EQ(firesAt({1, 2, 3, 2, 2, 10}), (Places{5}));  // M08
}

TEST_P(RunMetricEvaluatorTest, AcceptsNan) {
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":0)");
  EXPECT_EQ(firesAt({std::numeric_limits<double>::quiet_NaN(), 1}), (Places{1}));  // M10
}

TEST_P(RunMetricEvaluatorTest, EvaluatesABatchInOrder) {
  waiting("RUN_METRIC_THRESHOLD",
          R"("aggregation":"AVERAGE","window":2,"comparison":"lt","threshold":0.5)");
  std::vector<runs::ObservedRow> rows(4);
  const double values[] = {0.9, 0.4, 0.2, 0.1};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].step = static_cast<std::int64_t>(i);
    rows[i].time = clock_.now();
    rows[i].metrics = {{"other", 0.0}, {"m", values[i]}};
  }
  EXPECT_EQ(add("run", rows), 1);
  deliver();
  const Result<std::vector<events::Event>> events = outbox_.after(0, 10);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 1U);
  EXPECT_NE((*events)[0].data.find(R"("metric_value":0.30000000000000004)"), std::string::npos)
      << (*events)[0].data;
}

TEST_P(RunMetricEvaluatorTest, RaisesTheEventForItsAutomationOnly) {
  const Automation first = waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)");
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":5)");
  EXPECT_EQ(add("run", "m", 2), 1);
  deliver();
  ASSERT_EQ(deliveries().size(), 1U);
  EXPECT_EQ(deliveries()[0].automation_id, first.id);
  EXPECT_EQ(deliveries()[0].event_type, EventType::kRunMetricThreshold);
}

TEST_P(RunMetricEvaluatorTest, SystemPrefixIsOptional) {
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)");
  EXPECT_EQ(add("run", "system.m", 2), 1);
  EXPECT_EQ(add("another", "system.mm", 2), 0);
}

TEST_P(RunMetricEvaluatorTest, AppliesTheRunFilter) {
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)",
          R"(,"run_filter":{"username":"somebody"})");
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)",
          R"(,"run_filter":{"name_regex":"^final"})");
  EXPECT_EQ(add("run", "m", 2), 0);
  waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)",
          R"(,"run_filter":{"username":"lead","name_regex":"^exp-"})");
  EXPECT_EQ(add("run", "m", 2), 1);
}

TEST_P(RunMetricEvaluatorTest, IgnoresProjectsWithoutAutomations) {
  EXPECT_FALSE(watch_.watches(acme_.id, lab_.id));
  Automation made = waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)");
  EXPECT_TRUE(watch_.watches(acme_.id, lab_.id));
  EXPECT_FALSE(watch_.watches(acme_.id, "another project"));
  made.draft.enabled = false;
  ASSERT_TRUE(many_.update(made.id, made.draft, std::nullopt));
  EXPECT_FALSE(watch_.watches(acme_.id, lab_.id));
}

TEST_P(RunMetricEvaluatorTest, FiresAgainAfterAChangeOfTheAutomation) {
  Automation made = waiting("RUN_METRIC_THRESHOLD", R"("comparison":"gt","threshold":1)");
  EXPECT_EQ(add("run", "m", 2), 1);
  made.draft.name = "renamed";
  ASSERT_TRUE(many_.update(made.id, made.draft, std::nullopt));
  EXPECT_EQ(add("run", "m", 2), 0);
  made.draft.event =
      R"({"type":"RUN_METRIC_THRESHOLD","metric":{"name":"m","comparison":"gt","threshold":1.5}})";
  ASSERT_TRUE(many_.update(made.id, made.draft, std::nullopt));
  EXPECT_EQ(add("run", "m", 2), 1);
}

TEST_P(RunMetricEvaluatorTest, DeletesItsRowsWithTheRun) {
  waiting("RUN_METRIC_THRESHOLD",
          R"("aggregation":"MIN","window":2,"comparison":"gt","threshold":1)");
  EXPECT_EQ(firesAt({2, 2}), (Places{1}));
  ASSERT_TRUE(database_->write(
      [&](storage::Session& session) { return watch_.forget(session, lab_.id, "run"); }));
  EXPECT_EQ(firesAt({2, 2}), (Places{1}));
}

SPINDLE_ON_BOTH_ENGINES(RunMetricEvaluatorTest);

}  // namespace
}  // namespace spindle::automation
