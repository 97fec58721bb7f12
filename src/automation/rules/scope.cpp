#include "automation/rules/scope.h"

#include <string_view>
#include <utility>

namespace spindle::automation {
namespace {

Violation violation(std::string_view member, std::string_view type, std::string message) {
  Violation violation;
  violation.type = type;
  violation.loc = {LocStep("body"), LocStep("scope"), LocStep(std::string(member))};
  violation.msg = std::move(message);
  return violation;
}

}  // namespace

std::vector<Violation> normalizeScope(ScopeSpec& scope) {
  const std::optional<ScopeType> type = scopeTypeOf(scope.type);
  if (!type) {
    return {violation("type", "enum",
                      "Input should be 'organization', 'team', 'project', 'registry' or "
                      "'collection'")};
  }
  scope.type = textOf(*type);
  std::vector<Violation> violations;
  const auto demand = [&](std::string_view member, bool is_there, bool is_wanted) {
    if (is_there && !is_wanted) {
      violations.push_back(violation(member, "extra_forbidden", "Extra inputs are not permitted"));
    } else if (!is_there && is_wanted) {
      violations.push_back(violation(member, "missing", "Field required"));
    }
  };
  // A collection belongs to a registry if the scope names a registry, else to a project.
  const bool in_registry =
      *type == ScopeType::kRegistry || (*type == ScopeType::kCollection && scope.registry);
  const bool in_team = *type != ScopeType::kOrganization && !in_registry;
  demand("team", scope.team.has_value(), in_team);
  demand("project", scope.project.has_value(), in_team && *type != ScopeType::kTeam);
  demand("registry", scope.registry.has_value(), in_registry);
  demand("collection", scope.collection.has_value(), *type == ScopeType::kCollection);
  return violations;
}

std::optional<Violation> scopeProblem(ScopeType scope, bool in_registry, EventType event) {
  // Versions are created in projects; registries contain links.
  const bool elsewhere = event == EventType::kCreateArtifact && in_registry;
  if (canOccurIn(event, scope) && !elsewhere) return std::nullopt;
  return violation("type", "invalid_scope_for_event",
                   std::string(textOf(event)) + " cannot be watched in the scope '" +
                       std::string(textOf(scope)) + "'" + (elsewhere ? " of a registry" : ""));
}

}  // namespace spindle::automation
