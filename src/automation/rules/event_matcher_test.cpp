#include "automation/rules/event_matcher.h"

#include <gtest/gtest.h>

#include "automation/rules/event_spec_json.h"

namespace spindle::automation {
namespace {

constexpr Timestamp kNow = Timestamp(std::chrono::seconds(1'760'000'000));

EnabledAutomation waiting(const std::string& event,
                          const Scope& scope = {.type = ScopeType::kOrganization}) {
  EnabledAutomation automation;
  automation.id = "auto_1";
  automation.scope = scope;
  automation.event = eventSpecOf(event);
  automation.event_type = eventTypeOf(automation.event.type).value_or(EventType::kLinkArtifact);
  automation.active_after = 4;
  return automation;
}

events::Event happened(EventType type, const std::string& data) {
  events::Event event;
  event.id = "evt_1";
  event.type = type;
  event.subject = {.team_id = "team",
                   .project_id = "project",
                   .collection_id = "collection",
                   .artifact_id = 517889887};
  event.author = "bob";
  event.data = data;
  event.time = kNow;
  event.position = 5;
  return event;
}

bool matches(const EnabledAutomation& automation, const events::Event& event) {
  std::vector<EnabledAutomation> all;
  all.push_back(automation);
  const EventMatcher matcher(std::move(all));
  return !matcher.match(event, factsOf(event)).empty();
}
bool matches(const std::string& event, EventType type, const std::string& data) {
  return matches(waiting(event), happened(type, data));
}

TEST(AliasFilters, MatchTheAddedAlias) {
  const auto added = [](const std::string& regex, const std::string& alias) {
    return matches(R"({"type":"ADD_ARTIFACT_ALIAS","alias_regex":")" + regex + R"("})",
                   EventType::kAddArtifactAlias, R"({"alias":")" + alias + R"("})");
  };
  EXPECT_TRUE(added("prod", "preprod-1"));
  EXPECT_FALSE(added("^prod$", "preprod-1"));
  EXPECT_TRUE(added("^prod$", "prod"));
  EXPECT_FALSE(added("PROD", "prod"));
}

TEST(AliasFilters, MatchEveryAliasOfALink) {
  const std::string filtered = R"({"type":"LINK_ARTIFACT","alias_regex":"^best$"})";
  const std::string open = R"({"type":"LINK_ARTIFACT"})";
  for (const EventType type : {EventType::kLinkArtifact, EventType::kUnlinkArtifact}) {
    EnabledAutomation automation = waiting(filtered);
    automation.event_type = type;
    EXPECT_TRUE(matches(automation, happened(type, R"({"aliases":["a","best"]})")));
    EXPECT_FALSE(matches(automation, happened(type, R"({"aliases":["a"]})")));
    EXPECT_FALSE(matches(automation, happened(type, "{}")));
  }
  EXPECT_TRUE(matches(open, EventType::kLinkArtifact, "{}"));
  EXPECT_FALSE(matches(open, EventType::kUnlinkArtifact, "{}"));
}

TEST(TagFilters, MatchTheTag) {
  for (const EventType type : {EventType::kAddArtifactTag, EventType::kRemoveArtifactTag,
                               EventType::kAddCollectionTag, EventType::kRemoveCollectionTag}) {
    EnabledAutomation automation = waiting(R"({"type":"ADD_ARTIFACT_TAG","tag_regex":"west"})");
    automation.event_type = type;
    EXPECT_TRUE(matches(automation, happened(type, R"({"tag":"europe west"})")));
    EXPECT_FALSE(matches(automation, happened(type, R"({"tag":"east"})")));
    automation.event.tag_regex.reset();
    EXPECT_TRUE(matches(automation, happened(type, R"({"tag":"east"})")));
  }
}

TEST(RunFilters, RequireOwnerAndName) {
  const auto of_run = [](const std::string& filter) {
    return matches(R"({"type":"RUN_STATE","states":["FAILED"],"run_filter":)" + filter + "}",
                   EventType::kRunState, R"({"run_name":"exp-7","run_state":"FAILED"})");
  };
  EXPECT_TRUE(of_run("{}"));
  EXPECT_TRUE(of_run(R"({"username":"bob"})"));
  EXPECT_FALSE(of_run(R"({"username":"carol"})"));
  EXPECT_TRUE(of_run(R"({"name_regex":"^exp-"})"));
  EXPECT_FALSE(of_run(R"({"name_regex":"^final"})"));
  EXPECT_FALSE(of_run(R"({"username":"carol","name_regex":"^exp-"})"));
  EXPECT_TRUE(of_run(R"({"username":"bob","name_regex":"^exp-"})"));
}

TEST(StateFilters, TreatACrashAsAFailure) {
  const auto entered = [](const std::string& states, const std::string& state) {
    return matches(R"({"type":"RUN_STATE","states":)" + states + "}", EventType::kRunState,
                   R"({"run_state":")" + state + R"("})");
  };
  EXPECT_TRUE(entered(R"(["FAILED"])", "FAILED"));
  EXPECT_TRUE(entered(R"(["FAILED"])", "CRASHED"));
  EXPECT_FALSE(entered(R"(["FAILED"])", "FINISHED"));
  EXPECT_TRUE(entered(R"(["FAILED","FINISHED"])", "FINISHED"));
  EXPECT_FALSE(entered(R"(["RUNNING"])", "CRASHED"));
}

TEST(ScoreConditions, CompareAScoreWithANumber) {
  const auto finished = [](const std::string& score, const std::string& scores) {
    return matches(R"({"type":"EVALUATION_FINISHED")" + score + "}", EventType::kEvaluationFinished,
                   R"({"scores":)" + scores + "}");
  };
  const std::string below = R"(,"score":{"name":"accuracy","comparison":"lt","threshold":0.9})";
  EXPECT_TRUE(finished("", "{}"));
  EXPECT_TRUE(finished(below, R"({"other":1,"accuracy":0.8})"));
  EXPECT_FALSE(finished(below, R"({"accuracy":0.9})"));
  EXPECT_FALSE(finished(below, R"({"accuracy":null})"));
  EXPECT_FALSE(finished(below, "{}"));
}

TEST(Scopes, CoverWhatIsInside) {
  const auto covered = [](const Scope& scope) {
    return matches(waiting(R"({"type":"LINK_ARTIFACT"})", scope),
                   happened(EventType::kLinkArtifact, "{}"));
  };
  EXPECT_TRUE(covered({.type = ScopeType::kOrganization}));
  EXPECT_TRUE(covered({.type = ScopeType::kTeam, .team_id = "team"}));
  EXPECT_FALSE(covered({.type = ScopeType::kTeam, .team_id = "other"}));
  EXPECT_TRUE(covered({.type = ScopeType::kProject, .project_id = "project"}));
  EXPECT_FALSE(covered({.type = ScopeType::kProject, .project_id = "other"}));
  EXPECT_FALSE(covered({.type = ScopeType::kRegistry, .registry_id = "registry"}));
  EXPECT_TRUE(covered({.type = ScopeType::kCollection, .collection_id = "collection"}));
  EXPECT_FALSE(covered({.type = ScopeType::kCollection, .collection_id = "other"}));
}

TEST(Automations, IgnoreEarlierEvents) {
  EnabledAutomation automation = waiting(R"({"type":"LINK_ARTIFACT"})");
  automation.active_after = 5;
  EXPECT_FALSE(matches(automation, happened(EventType::kLinkArtifact, "{}")));
}

TEST(Automations, ReceiveTargetedEventsAlone) {
  const std::string event = R"({"type":"RUN_METRIC_THRESHOLD","metric":{"name":"m"}})";
  EXPECT_TRUE(matches(event, EventType::kRunMetricThreshold, R"({"automation_id":"auto_1"})"));
  EXPECT_FALSE(matches(event, EventType::kRunMetricThreshold, R"({"automation_id":"auto_2"})"));
}

TEST(EventFacts, SetEveryVariableOfTheEvent) {
  events::Event event = happened(
      EventType::kAddArtifactAlias,
      R"({"entity_name":"acme-ml","project_name":"churn","artifact_collection_name":"churn-xgb",)"
      R"("artifact_version_index":7,"alias":"production","artifact_metadata":{"acc":0.930}})");
  const EventFacts facts = factsOf(event);
  EXPECT_EQ(facts.variable("event_type"), "ADD_ARTIFACT_ALIAS");
  EXPECT_EQ(facts.variable("event_author"), "bob");
  EXPECT_EQ(facts.variable("event_id"), "evt_1");
  EXPECT_EQ(facts.variable("event_time"), "2025-10-09T08:53:20.000Z");
  EXPECT_EQ(facts.variable("artifact_version"), "svc-artifact://_id/QXJ0aWZhY3Q6NTE3ODg5ODg3");
  EXPECT_EQ(facts.variable("artifact_version_string"), "acme-ml/churn/churn-xgb:production");
  EXPECT_EQ(facts.variable("artifact_version_index"), "7");
  EXPECT_EQ(facts.payload.metadata, R"({"acc":0.930})");
  EXPECT_EQ(facts.variable("tag"), "");
  event.data = R"({"entity_name":"acme-ml","project_name":"churn",)"
               R"("artifact_collection_name":"churn-xgb","artifact_version_index":7,"tag":"t"})";
  EXPECT_EQ(factsOf(event).variable("artifact_version_string"), "acme-ml/churn/churn-xgb:v7");
  event.subject.artifact_id.reset();
  EXPECT_EQ(factsOf(event).variable("artifact_version_string"), "");
  EXPECT_EQ(factsOf(event).variable("artifact_version"), "");
}

TEST(EventFacts, ContainTheModelOrErrorOfATrainingJob) {
  const EventFacts made = factsOf(happened(
      EventType::kTrainingJobFinished,
      R"({"entity_name":"acme-ml","project_name":"churn","artifact_collection_name":"solver",)"
      R"("artifact_version_index":4,"training_job_id":"j-1","model_name":"solver","step":3})"));
  EXPECT_EQ(made.variable("artifact_version_string"), "acme-ml/churn/solver:v4");
  EXPECT_EQ(made.variable("training_job_id"), "j-1");
  EXPECT_EQ(made.variable("alias"), "");
  const EventFacts failed = factsOf(
      happened(EventType::kTrainingJobFailed,
               R"({"training_job_id":"j-2","model_name":"solver","error_message":"no data"})"));
  EXPECT_EQ(failed.variable("model_name"), "solver");
  EXPECT_EQ(failed.variable("error_message"), "no data");
}

TEST(EventSpecs, RoundTripThroughJson) {
  for (
      const std::string text :
      {R"({"type":"LINK_ARTIFACT"})", R"({"type":"ADD_ARTIFACT_ALIAS","alias_regex":"^a\"$"})",
       R"({"type":"RUN_STATE","run_filter":{"username":"u","name_regex":"r"},"states":["FAILED"]})",
       R"({"type":"RUN_METRIC_CHANGE","metric":{"name":"m","aggregation":"MIN","current_window":2,)"
       R"("prior_window":3,"change_type":"RELATIVE","direction":"ANY","amount":0.25}})",
       R"({"type":"RUN_METRIC_THRESHOLD","metric":{"name":"m","window":3,"comparison":"lt",)"
       R"("threshold":0.5}})",
       R"({"type":"EVALUATION_FINISHED","score":{"name":"s","comparison":"gte","threshold":1.0}})"}) {
    EXPECT_EQ(eventText(eventSpecOf(text)), text);
  }
}

}  // namespace
}  // namespace spindle::automation
