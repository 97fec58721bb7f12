#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automation/event_type.h"
#include "automation/scope_type.h"
#include "base/error.h"

namespace spindle::automation {

/// A scope as it is written in a request.
struct ScopeSpec {
  std::string type;
  std::optional<std::string> team = {};
  std::optional<std::string> project = {};
  std::optional<std::string> registry = {};
  std::optional<std::string> collection = {};
};

/// A scope that exists.
struct Scope {
  ScopeType type = ScopeType::kOrganization;
  std::string team_id = {};        ///< empty for the organization
  std::string team = {};           ///< its name
  std::string project_id = {};     ///< of kProject, and of a collection in one
  std::string project = {};        ///< its name
  std::string registry_id = {};    ///< of kRegistry, and of a collection in one
  std::string registry = {};       ///< its name
  std::string collection_id = {};  ///< of kCollection
  std::string collection = {};     ///< its name
};

/// Every broken rule of a scope, with locations below `body`, `scope`. The type is brought into its
/// own spelling.
std::vector<Violation> normalizeScope(ScopeSpec& scope);

/// The broken rule when nothing of that kind can happen in such a scope.
std::optional<Violation> scopeProblem(ScopeType scope, bool in_registry, EventType event);

}  // namespace spindle::automation
