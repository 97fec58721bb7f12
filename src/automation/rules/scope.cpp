#include "automation/rules/scope.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "automation/payloads/violations.h"
#include "automation/rules/object_rules.h"
#include "json/writer.h"

namespace spindle::automation {
namespace {

constexpr Presence kNeeded = Presence::kRequired;

/// The members of a scope. A collection belongs to a registry or to a project.
struct ScopeNeeds {
  ScopeType type;
  Presence team = Presence::kForbidden;
  Presence project = Presence::kForbidden;
  Presence registry = Presence::kForbidden;
  Presence collection = Presence::kForbidden;
};
constexpr auto kScopeNeeds = std::to_array<ScopeNeeds>({
    {.type = ScopeType::kOrganization},
    {.type = ScopeType::kTeam, .team = kNeeded},
    {.type = ScopeType::kProject, .team = kNeeded, .project = kNeeded},
    {.type = ScopeType::kRegistry, .registry = kNeeded},
    {.type = ScopeType::kCollection, .registry = kNeeded, .collection = kNeeded},
    {.type = ScopeType::kCollection, .team = kNeeded, .project = kNeeded, .collection = kNeeded},
});

struct ScopeMember {
  std::string_view name;
  Presence ScopeNeeds::*presence;
  std::optional<std::string> ScopeNames::*value;
};
constexpr auto kScopeMembers = std::to_array<ScopeMember>({
    {"team", &ScopeNeeds::team, &ScopeNames::team},
    {"project", &ScopeNeeds::project, &ScopeNames::project},
    {"registry", &ScopeNeeds::registry, &ScopeNames::registry},
    {"collection", &ScopeNeeds::collection, &ScopeNames::collection},
});

const ScopeNeeds& needsOf(ScopeType type, bool names_registry) {
  for (const ScopeNeeds& scope : kScopeNeeds) {
    const bool in_registry = scope.registry == kNeeded;
    if (scope.type != type) continue;
    if (type != ScopeType::kCollection || in_registry == names_registry) return scope;
  }
  throw std::logic_error("a scope type without rules");
}

}  // namespace

std::vector<Violation> normalizeScope(ScopeSpec& scope) {
  const std::optional<ScopeType> type = scopeTypeOf(scope.type);
  if (!type) {
    return {violationAt({"body", "scope", "type"}, "enum",
                        "Input should be 'organization', 'team', 'project', 'registry' or "
                        "'collection'")};
  }
  scope.type = textOf(*type);
  const ScopeNeeds& needs = needsOf(*type, scope.registry.has_value());
  std::vector<Violation> violations;
  for (const ScopeMember& member : kScopeMembers) {
    const bool is_there = (scope.*member.value).has_value();
    const Presence presence = needs.*member.presence;
    if (is_there && presence == Presence::kForbidden) {
      violations.push_back(forbiddenAt({"body", "scope", member.name}));
    } else if (!is_there && presence == Presence::kRequired) {
      violations.push_back(missingAt({"body", "scope", member.name}));
    }
  }
  return violations;
}

std::string scopeRules() {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("oneOf").beginArray();
  for (const ScopeNeeds& needs : kScopeNeeds) {
    out.beginObject();
    ObjectRules scope(out);
    scope.words("type", std::array{textOf(needs.type)});
    for (const ScopeMember& member : kScopeMembers)
      scope.forbidIf(needs.*member.presence, member.name);
    for (const ScopeMember& member : kScopeMembers)
      scope.requireIf(needs.*member.presence, member.name);
    scope.end();
    out.endObject();
  }
  out.endArray().endObject();
  return text;
}

std::optional<Violation> scopeProblem(ScopeType scope, bool in_registry, EventType event) {
  // Versions are created in projects; registries contain links.
  const bool elsewhere = event == EventType::kCreateArtifact && in_registry;
  if (canOccurIn(event, scope) && !elsewhere) return std::nullopt;
  return violationAt({"body", "scope", "type"}, "invalid_scope_for_event",
                     std::string(textOf(event)) + " cannot be watched in the scope '" +
                         std::string(textOf(scope)) + "'" + (elsewhere ? " of a registry" : ""));
}

}  // namespace spindle::automation
