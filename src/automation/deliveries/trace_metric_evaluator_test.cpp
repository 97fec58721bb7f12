#include "automation/rules/trace_metric_evaluator.h"

#include "automation/deliveries/delivery_for_test.h"

namespace spindle::automation {
namespace {

class TraceMetricEvaluatorTest : public DeliveryContract {
 protected:
  void wait(const std::string& metric) {
    automation("watch", R"({"type":"TRACE_METRIC_THRESHOLD","metric":)" + metric + "}",
               std::nullopt);
  }
  std::int64_t check() {
    const Result<std::int64_t> raised = watch_.check();
    EXPECT_TRUE(raised) << raised.error().message();
    return raised ? *raised : -1;
  }
  std::vector<events::Event> raised() {
    std::vector<events::Event> found;
    const Result<std::vector<events::Event>> all = outbox_.after(0, 1000);
    EXPECT_TRUE(all);
    for (const events::Event& event : *all) {
      if (event.type == events::EventType::kTraceMetricThreshold) found.push_back(event);
    }
    return found;
  }

  std::optional<double> value_;
  std::string asked_;
  std::chrono::microseconds window_{0};
  TraceMetricEvaluator watch_{*database_, outbox_,
                              [this](const std::string& project_id,
                                     std::string_view metric,
                                     Timestamp from,
                                     Timestamp to) -> Result<std::optional<double>> {
                                asked_ = project_id + " " + std::string(metric);
                                window_ = to - from;
                                return value_;
                              },
                              clock_};
};

TEST_P(TraceMetricEvaluatorTest, FiresWhenTheConditionBecomesTrue) {
  wait(R"({"name":"error_rate","window":5,"comparison":"gt","threshold":0.5})");
  EXPECT_EQ(check(), 0) << "nothing was traced";
  EXPECT_EQ(asked_, lab_.id + " error_rate");
  EXPECT_EQ(window_, std::chrono::minutes(5));
  value_ = 0.5;
  EXPECT_EQ(check(), 0);
  value_ = 0.75;
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(check(), 0) << "it still holds";
  value_ = 0.1;
  EXPECT_EQ(check(), 0);
  value_ = 0.9;
  EXPECT_EQ(check(), 1) << "it had ceased to hold";
  const std::vector<events::Event> events = raised();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].subject.project_id, lab_.id);
  EXPECT_NE(events[0].data.find(R"("metric_name":"error_rate","metric_value":0.75)"),
            std::string::npos)
      << events[0].data;
  EXPECT_NE(events[0].data.find(R"("metric_threshold":0.5)"), std::string::npos);
}

TEST_P(TraceMetricEvaluatorTest, MeasuresNothingWithoutAutomations) {
  automation("other", R"({"type":"ADD_ARTIFACT_TAG","tag_regex":"x"})", std::nullopt);
  value_ = 1;
  EXPECT_EQ(check(), 0);
  EXPECT_EQ(asked_, "");
}

TEST_P(TraceMetricEvaluatorTest, CreatesOneDelivery) {
  wait(R"({"name":"cost","comparison":"gte","threshold":10})");
  value_ = 12;
  EXPECT_EQ(check(), 1);
  deliver();
  deliver();
  const auto rows = database_->read([](storage::Session& session) {
    return session.query(
        "SELECT status FROM deliveries WHERE event_type = 'TRACE_METRIC_THRESHOLD'");
  });
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 1U);
}

TEST_P(TraceMetricEvaluatorTest, ReportsMeasurementErrors) {
  wait(R"({"name":"latency_ms","comparison":"gt","threshold":10})");
  TraceMetricEvaluator broken{
      *database_, outbox_,
      [](const std::string&, std::string_view, Timestamp,
         Timestamp) -> Result<std::optional<double>> { return Error::unavailable("not now"); },
      clock_};
  EXPECT_FALSE(broken.check());
}

SPINDLE_ON_BOTH_ENGINES(TraceMetricEvaluatorTest);

}  // namespace
}  // namespace spindle::automation
