#include "automation/rules/event_spec.h"

#include <gtest/gtest.h>

#include "automation/rules/event_spec_json.h"
#include "automation/rules/pattern.h"

namespace spindle::automation {
namespace {

EventSpec eventOf(std::string type) {
  EventSpec event;
  event.type = std::move(type);
  return event;
}

EventSpec metricOf(std::string type, MetricSpec metric) {
  EventSpec event = eventOf(std::move(type));
  event.metric = std::move(metric);
  return event;
}

std::string problemsOf(EventSpec event) {
  std::string all;
  for (const Violation& violation : normalizeEvent(event)) {
    all += violation.type + "@";
    for (std::size_t i = 2; i < violation.loc.size(); ++i) {
      all += (i > 2 ? "." : "") + std::get<std::string>(violation.loc[i]);
    }
    all += " ";
  }
  return all;
}

std::string normalOf(EventSpec event) {
  EXPECT_TRUE(normalizeEvent(event).empty()) << event.type;
  return eventText(event);
}

TEST(EventTypes, AreDescribedOnceInTheRules) {
  const std::string rules = eventRules();
  for (const EventTypeRow& row : eventTypes()) {
    const std::string name = "\"" + std::string(textOf(row.type)) + "\"";
    const std::size_t at = rules.find(name);
    EXPECT_NE(at, std::string::npos) << name;
    EXPECT_EQ(rules.find(name, at + 1), std::string::npos) << name;
  }
  EXPECT_NE(rules.find(R"({"properties":{"type":{"const":"ADD_ARTIFACT_ALIAS"},)"
                       R"("tag_regex":{"type":"null"},"run_filter":{"type":"null"},)"
                       R"("metric":{"type":"null"},"states":{"type":"null"},)"
                       R"("score":{"type":"null"},"alias_regex":{"not":{"type":"null"}}},)"
                       R"("required":["alias_regex"]})"),
            std::string::npos)
      << rules;
}

TEST(EventTypes, AcceptAnyCaseAndOldNames) {
  for (const EventTypeRow& row : eventTypes()) EXPECT_EQ(eventTypeOf(textOf(row.type)), row.type);
  EXPECT_EQ(eventTypes().size(), 17U);
  EXPECT_EQ(eventTypeOf("link_artifact"), EventType::kLinkArtifact);
  EXPECT_EQ(eventTypeOf("LINK_MODEL"), EventType::kLinkArtifact);
  EXPECT_EQ(eventTypeOf("run_metric"), EventType::kRunMetricThreshold);
  EXPECT_EQ(eventTypeOf("UPDATE_ARTIFACT_ALIAS"), std::nullopt);
}

TEST(Events, RejectUnknownTypes) {
  EXPECT_EQ(problemsOf(eventOf("UPDATE_ARTIFACT_ALIAS")), "enum@type ");
  EXPECT_EQ(problemsOf(eventOf("")), "enum@type ");
}

TEST(Events, RequireTheirFilters) {
  EXPECT_EQ(problemsOf(eventOf("ADD_ARTIFACT_ALIAS")), "missing@alias_regex ");
  EXPECT_EQ(problemsOf(eventOf("ADD_ARTIFACT_TAG")), "missing@tag_regex ");
  for (const char* free :
       {"REMOVE_ARTIFACT_TAG", "ADD_COLLECTION_TAG", "REMOVE_COLLECTION_TAG", "LINK_ARTIFACT",
        "UNLINK_ARTIFACT", "CREATE_ARTIFACT", "EVALUATION_FINISHED", "TRAINING_JOB_FINISHED",
        "TRAINING_JOB_FAILED", "TRAINING_JOB_CANCELLED"}) {
    EXPECT_EQ(problemsOf(eventOf(free)), "") << free;
  }
  for (const char* metric : {"RUN_METRIC_THRESHOLD", "RUN_METRIC_CHANGE", "RUN_METRIC_ZSCORE",
                             "TRACE_METRIC_THRESHOLD"}) {
    EXPECT_EQ(problemsOf(eventOf(metric)), "missing@metric ") << metric;
  }
  EXPECT_EQ(problemsOf(eventOf("RUN_STATE")), "missing@states ");
}

TEST(Events, RejectOtherFilters) {
  EventSpec event = eventOf("LINK_ARTIFACT");
  event.tag_regex = "a";
  event.run_filter.emplace();
  event.metric.emplace();
  event.states.emplace();
  event.score = ScoreSpec{"s", "gt", 1};
  EXPECT_EQ(problemsOf(event),
            "extra_forbidden@tag_regex extra_forbidden@run_filter extra_forbidden@metric "
            "extra_forbidden@states extra_forbidden@score ");
}

TEST(Events, AcceptOnlyRe2Patterns) {
  EventSpec event = eventOf("ADD_ARTIFACT_ALIAS");
  event.alias_regex = "^prod(uction)?$";
  EXPECT_EQ(problemsOf(event), "");
  for (const std::string& bad : {std::string("("), std::string("(?=a)"), std::string(R"((a)\1)"),
                                 std::string("[[:nope:]]"), std::string(1025, 'a')}) {
    event.alias_regex = bad;
    EXPECT_EQ(problemsOf(event), "invalid_regex@alias_regex ") << bad;
  }
  EXPECT_FALSE(patternProblem(std::string(1024, 'a')));
  event = eventOf("RUN_STATE");
  event.states = {"FAILED"};
  event.run_filter = RunFilter{std::nullopt, "*"};
  EXPECT_EQ(problemsOf(event), "invalid_regex@run_filter.name_regex ");
}

TEST(Events, MapCrashedStatesAndRemoveDuplicates) {
  EventSpec event = eventOf("run_state");
  event.states = {"RUNNING", "crashed", "FAILED", "finished"};
  EXPECT_EQ(normalOf(event), R"({"type":"RUN_STATE","states":["FAILED","FINISHED","RUNNING"]})");
  event.states = {"KILLED"};
  EXPECT_EQ(problemsOf(event), "enum@states ");
}

TEST(ThresholdMetrics, AreNormalized) {
  EXPECT_EQ(normalOf(metricOf("RUN_METRIC_THRESHOLD", {.name = "val.loss",
                                                       .aggregation = "avg",
                                                       .window = 3,
                                                       .comparison = "$LT",
                                                       .threshold = 0.5})),
            R"({"type":"RUN_METRIC_THRESHOLD","metric":{"name":"val.loss","aggregation":"AVERAGE",)"
            R"("window":3,"comparison":"lt","threshold":0.5}})");
  EXPECT_EQ(normalOf(metricOf("RUN_METRIC", {.name = "a", .comparison = "ne", .threshold = 1.0})),
            R"({"type":"RUN_METRIC_THRESHOLD","metric":{"name":"a","window":1,"comparison":"ne",)"
            R"("threshold":1.0}})");
  EXPECT_EQ(problemsOf(metricOf("RUN_METRIC_THRESHOLD", {.name = "a"})),
            "missing@metric.comparison missing@metric.threshold ");
  EXPECT_EQ(problemsOf(metricOf("RUN_METRIC_THRESHOLD", {.name = "a",
                                                         .aggregation = "SUM",
                                                         .comparison = "about",
                                                         .threshold = 1.0,
                                                         .direction = "ANY"})),
            "extra_forbidden@metric.direction enum@metric.aggregation enum@metric.comparison ");
}

TEST(ChangeMetrics, AreNormalized) {
  EXPECT_EQ(normalOf(metricOf("RUN_METRIC_CHANGE", {.name = "a",
                                                    .current_window = 4,
                                                    .change_type = "relative",
                                                    .direction = "decrease",
                                                    .amount = 0.25})),
            R"({"type":"RUN_METRIC_CHANGE","metric":{"name":"a","current_window":4,)"
            R"("prior_window":4,"change_type":"RELATIVE","direction":"DECREASE","amount":0.25}})");
  EXPECT_EQ(problemsOf(metricOf("RUN_METRIC_CHANGE", {.name = "a", .window = 3})),
            "extra_forbidden@metric.window missing@metric.change_type missing@metric.amount "
            "missing@metric.direction ");
}

TEST(ZscoreMetrics, HaveDefaults) {
  EXPECT_EQ(normalOf(metricOf("RUN_METRIC_ZSCORE", {.name = "a"})),
            R"({"type":"RUN_METRIC_ZSCORE","metric":{"name":"a","window":30,"threshold":3.0,)"
            R"("direction":"ANY"}})");
  EXPECT_EQ(problemsOf(metricOf("RUN_METRIC_ZSCORE", {.name = "a", .threshold = 0.0})),
            "greater_than@metric.threshold ");
}

TEST(TraceMetrics, AcceptThreeNames) {
  EXPECT_EQ(normalOf(metricOf("TRACE_METRIC_THRESHOLD",
                              {.name = "COST", .comparison = "gte", .threshold = 10.0})),
            R"({"type":"TRACE_METRIC_THRESHOLD","metric":{"name":"cost","window":5,)"
            R"("comparison":"gte","threshold":10.0}})");
  EXPECT_EQ(problemsOf(metricOf("TRACE_METRIC_THRESHOLD",
                                {.name = "mood", .comparison = "gte", .threshold = 10.0})),
            "enum@metric.name ");
}

TEST(Scores, AreCompared) {
  EventSpec event = eventOf("EVALUATION_FINISHED");
  event.score = ScoreSpec{"exact_match.mean", "$lt", 0.8};
  EXPECT_EQ(normalOf(event), R"({"type":"EVALUATION_FINISHED","score":{"name":"exact_match.mean",)"
                             R"("comparison":"lt","threshold":0.8}})");
  event.score->comparison = "near";
  EXPECT_EQ(problemsOf(event), "enum@score.comparison ");
}

}  // namespace
}  // namespace spindle::automation
