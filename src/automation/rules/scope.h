#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automation/rules/event_type.h"
#include "automation/rules/scope_type.h"
#include "base/core/error.h"

namespace spindle::automation {

/// The names of a scope. A project is named within its team, a collection within its project or
/// registry.
struct ScopeNames {
  std::optional<std::string> team = {};
  std::optional<std::string> project = {};
  std::optional<std::string> registry = {};
  std::optional<std::string> collection = {};
};

/// A scope as in a request.
struct ScopeSpec : ScopeNames {
  std::string type = {};
};

/// A scope with resolved ids.
struct Scope {
  ScopeType type = ScopeType::kOrganization;
  std::string team_id = {};        ///< empty for the organization
  std::string team = {};           ///< its name
  std::string project_id = {};     ///< for kProject, and for a collection in a project
  std::string project = {};        ///< its name
  std::string registry_id = {};    ///< for kRegistry, and for a collection in a registry
  std::string registry = {};       ///< its name
  std::string collection_id = {};  ///< for kCollection
  std::string collection = {};     ///< its name
};

/// Converts the type to its canonical spelling. Returns all violations, with locations below
/// `body`, `scope`.
std::vector<Violation> normalizeScope(ScopeSpec& scope);

/// Returns the rules of normalizeScope() as JSON Schema. That function also accepts the types in
/// other cases.
std::string scopeRules();

/// Returns a violation if the event type cannot occur in the scope type.
std::optional<Violation> scopeProblem(ScopeType scope, bool in_registry, EventType event);

}  // namespace spindle::automation
