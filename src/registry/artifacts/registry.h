#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "identity/types/roles.h"

namespace spindle::registry {

/// Decides which users see a registry.
enum class RegistryVisibility {
  kOrganization,  ///< all users, at least as restricted viewers
  kRestricted,    ///< its members: users, and members of teams
};

/// Returns `organization` or `restricted`.
std::string_view textOf(RegistryVisibility visibility);
/// Parses a name from textOf(). Returns kRestricted for an unknown text.
RegistryVisibility visibilityOf(std::string_view text);

/// Returns `ADMIN`, `MEMBER`, `VIEWER` or `RESTRICTED_VIEWER`.
std::string_view textOf(identity::RegistryRole role);
/// Parses a name from textOf(). Returns the role with the fewest permissions for an unknown text.
identity::RegistryRole registryRoleOf(std::string_view text);

/// A registry of the organization: collections of links to versions of any team.
struct Registry {
  std::string id;
  std::string name;
  RegistryVisibility visibility = RegistryVisibility::kOrganization;
  std::string description;
  bool all_types = true;           ///< accepts artifacts of any type
  std::vector<std::string> types;  ///< accepted types if not `all_types`, sorted by name
  std::string creator_id;
  std::string created_by;
  std::int64_t revision = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

struct NewRegistry {
  std::string name;
  RegistryVisibility visibility = RegistryVisibility::kOrganization;
  std::string description;
  std::vector<std::string> types;  ///< empty: accepts all types
};

/// A partial update of a registry. Members without a value leave it unchanged.
struct RegistryChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<RegistryVisibility> visibility;
  std::vector<std::string> add_types;
};

/// A user or a team with a role in a registry.
struct RegistryMember {
  enum class Kind { kUser, kTeam };
  Kind kind = Kind::kUser;
  std::string id;    ///< id of the user or team
  std::string name;  ///< username or name of the team
  identity::RegistryRole role = identity::RegistryRole::kRestrictedViewer;
  Timestamp created_at;
};

}  // namespace spindle::registry
