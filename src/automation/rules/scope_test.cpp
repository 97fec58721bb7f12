#include "automation/rules/scope.h"

#include <gtest/gtest.h>

namespace spindle::automation {
namespace {

/// Returns one letter for each scope type in which the event type can occur.
std::string scopesOf(EventType type) {
  std::string scopes;
  for (const ScopeType scope : {ScopeType::kOrganization, ScopeType::kTeam, ScopeType::kProject,
                                ScopeType::kRegistry, ScopeType::kCollection}) {
    if (canOccurIn(type, scope)) scopes += textOf(scope).front();
  }
  return scopes;
}

std::string scopeProblems(std::string type, ScopeNames names = {}) {
  ScopeSpec scope{std::move(names), std::move(type)};
  std::string all;
  for (const Violation& violation : normalizeScope(scope)) {
    all += violation.type + "@" + std::get<std::string>(violation.loc.back()) + " ";
  }
  return all;
}

TEST(Scopes, AllowTheEventsOfTheTable) {
  for (const EventType type :
       {EventType::kLinkArtifact, EventType::kUnlinkArtifact, EventType::kAddArtifactAlias,
        EventType::kAddArtifactTag, EventType::kRemoveArtifactTag, EventType::kAddCollectionTag,
        EventType::kRemoveCollectionTag}) {
    EXPECT_EQ(scopesOf(type), "otprc") << events::textOf(type);
  }
  EXPECT_EQ(scopesOf(EventType::kCreateArtifact), "pc");
  for (const EventType type :
       {EventType::kRunMetricThreshold, EventType::kRunMetricChange, EventType::kRunMetricZscore,
        EventType::kRunState, EventType::kEvaluationFinished, EventType::kTrainingJobFinished,
        EventType::kTrainingJobFailed, EventType::kTraceMetricThreshold}) {
    EXPECT_EQ(scopesOf(type), "otp") << events::textOf(type);
  }
}

TEST(Scopes, RequireTheirMembers) {
  EXPECT_EQ(scopeProblems("organization"), "");
  EXPECT_EQ(scopeProblems("Team", {.team = "t"}), "");
  EXPECT_EQ(scopeProblems("project", {.team = "t", .project = "p"}), "");
  EXPECT_EQ(scopeProblems("organization", {.team = "t"}), "extra_forbidden@team ");
  EXPECT_EQ(scopeProblems("team"), "missing@team ");
  EXPECT_EQ(scopeProblems("team", {.team = "t", .project = "p"}), "extra_forbidden@project ");
  EXPECT_EQ(scopeProblems("project"), "missing@team missing@project ");
  EXPECT_EQ(scopeProblems("planet"), "enum@type ");
}

TEST(Scopes, RegistriesAndCollectionsRequireTheirParent) {
  EXPECT_EQ(scopeProblems("registry", {.registry = "r"}), "");
  EXPECT_EQ(scopeProblems("registry"), "missing@registry ");
  EXPECT_EQ(scopeProblems("registry", {.team = "t", .registry = "r"}), "extra_forbidden@team ");
  EXPECT_EQ(scopeProblems("collection", {.registry = "r", .collection = "c"}), "");
  EXPECT_EQ(scopeProblems("collection", {.team = "t", .project = "p", .collection = "c"}), "");
  EXPECT_EQ(scopeProblems("collection", {.registry = "r"}), "missing@collection ");
  EXPECT_EQ(scopeProblems("collection", {.collection = "c"}), "missing@team missing@project ");
  EXPECT_EQ(scopeProblems("collection", {.project = "p", .registry = "r", .collection = "c"}),
            "extra_forbidden@project ");
}

TEST(Scopes, RejectEventsThatCannotOccur) {
  EXPECT_FALSE(scopeProblem(ScopeType::kProject, false, EventType::kCreateArtifact));
  const auto problem = scopeProblem(ScopeType::kTeam, false, EventType::kCreateArtifact);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->type, "invalid_scope_for_event");
  EXPECT_FALSE(scopeProblem(ScopeType::kCollection, false, EventType::kCreateArtifact));
  EXPECT_TRUE(scopeProblem(ScopeType::kCollection, true, EventType::kCreateArtifact));
  EXPECT_FALSE(scopeProblem(ScopeType::kCollection, true, EventType::kLinkArtifact));
  EXPECT_EQ(problem->loc,
            (std::vector<LocStep>{LocStep("body"), LocStep("scope"), LocStep("type")}));
}

}  // namespace
}  // namespace spindle::automation
