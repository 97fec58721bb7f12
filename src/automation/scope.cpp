#include "automation/scope.h"

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
    return {violation("type", "enum", "Input should be 'organization', 'team' or 'project'")};
  }
  scope.type = textOf(*type);
  if (*type == ScopeType::kRegistry || *type == ScopeType::kCollection) {
    return {violation("type", "value_error",
                      "Value error, automations of registries and collections are not available "
                      "on this server: use the scope of the project.")};
  }
  std::vector<Violation> violations;
  const auto demand = [&](std::string_view member, bool is_there, bool is_wanted) {
    if (is_there && !is_wanted) {
      violations.push_back(violation(member, "extra_forbidden", "Extra inputs are not permitted"));
    } else if (!is_there && is_wanted) {
      violations.push_back(violation(member, "missing", "Field required"));
    }
  };
  demand("team", scope.team.has_value(), *type != ScopeType::kOrganization);
  demand("project", scope.project.has_value(), *type == ScopeType::kProject);
  demand("registry", scope.registry.has_value(), false);
  demand("collection", scope.collection.has_value(), false);
  return violations;
}

std::optional<Violation> scopeProblem(ScopeType scope, EventType event) {
  if (happensIn(event, scope)) return std::nullopt;
  return violation("type", "invalid_scope_for_event",
                   std::string(textOf(event)) + " cannot be watched in the scope '" +
                       std::string(textOf(scope)) + "'");
}

}  // namespace spindle::automation
