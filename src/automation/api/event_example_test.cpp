#include "automation/api/event_example.h"

#include <gtest/gtest.h>

#include "automation/payloads/payload_preset.h"
#include "automation/rules/event_matcher.h"
#include "automation/rules/event_spec_json.h"

namespace spindle::automation {
namespace {

PayloadFacts exampleOf(EventType type, const std::string& event, PayloadFacts facts = {}) {
  addExampleValues(type, eventSpecOf(event), facts);
  return facts;
}

TEST(EventExampleTest, RendersTheDefaultPayloadOfEveryEventType) {
  for (const EventTypeRow& row : eventTypes()) {
    PayloadFacts facts = {{{"event_type", std::string(events::textOf(row.type))}}, ""};
    addExampleValues(row.type, {}, facts);
    const Result<std::string> body = renderPayload(defaultPayload(), facts, {});
    ASSERT_TRUE(body) << facts.variables["event_type"];
    EXPECT_NE(body->find("acme"), std::string::npos) << *body;
  }
}

TEST(EventExampleTest, KeepsGivenValues) {
  const PayloadFacts facts = exampleOf(
      EventType::kAddArtifactAlias, R"({"type":"ADD_ARTIFACT_ALIAS","alias_regex":"^production$"})",
      {{{"entity_name", "blue"}, {"project_name", "lab"}, {"artifact_collection_name", "dog"}},
       ""});
  EXPECT_EQ(facts.variables.at("artifact_version_string"), "blue/lab/dog:production");
  EXPECT_EQ(facts.variables.at("alias"), "production");
}

TEST(EventExampleTest, NamesTheProjectOfARegistry) {
  const PayloadFacts facts = exampleOf(EventType::kLinkArtifact, R"({"type":"LINK_ARTIFACT"})",
                                       {{{"registry_name", "models"}}, ""});
  EXPECT_EQ(facts.variables.at("artifact_version_string"), "acme/svc-registry-models/model:v3");
}

TEST(EventExampleTest, MeetsTheConditionOfStates) {
  const PayloadFacts facts =
      exampleOf(EventType::kRunState, R"({"type":"RUN_STATE","states":["FAILED"]})");
  EXPECT_EQ(facts.variables.at("run_state"), "FAILED");
}

TEST(EventExampleTest, MeetsMetricConditions) {
  for (const std::string_view comparison : kComparisons) {
    for (const double threshold : {-2.0, 0.0, 0.1, 300.0}) {
      EventSpec event;
      event.metric = MetricSpec{.name = "error_rate"};
      event.metric->comparison = comparison;
      event.metric->threshold = threshold;
      PayloadFacts facts;
      addExampleValues(EventType::kTraceMetricThreshold, event, facts);
      EXPECT_TRUE(compares(comparison, std::stod(facts.variables.at("metric_value")), threshold))
          << comparison << " " << threshold;
      EXPECT_FALSE(facts.variables.contains("run_id")) << "the calls of a project have no run";
    }
  }
}

}  // namespace
}  // namespace spindle::automation
