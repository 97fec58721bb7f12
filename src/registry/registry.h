#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "identity/roles.h"

namespace spindle::registry {

/// Who sees a registry.
enum class RegistryVisibility {
  kOrganization,  ///< everyone, at least as a restricted viewer
  kRestricted,    ///< those whom it names, and members of the teams it names
};

/// `organization`, `restricted`.
std::string_view textOf(RegistryVisibility visibility);
/// A text that this program does not know is kRestricted.
RegistryVisibility visibilityOf(std::string_view text);

/// `ADMIN`, `MEMBER`, `VIEWER`, `RESTRICTED_VIEWER`.
std::string_view textOf(identity::RegistryRole role);
/// A text that this program does not know gives the least rights.
identity::RegistryRole registryRoleOf(std::string_view text);

/// A place of the whole organization where versions of any team are offered by links.
struct Registry {
  std::string id;
  std::string name;
  RegistryVisibility visibility = RegistryVisibility::kOrganization;
  std::string description;
  bool all_types = true;           ///< accepts artifacts of any type
  std::vector<std::string> types;  ///< else of these, in the order of their names
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
  std::vector<std::string> types;  ///< none: accepts all
};

/// What to change; what is not set stays.
struct RegistryChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<RegistryVisibility> visibility;
  std::vector<std::string> add_types;
};

/// A user or a team to whom a registry gives a role.
struct RegistryMember {
  enum class Kind { kUser, kTeam };
  Kind kind = Kind::kUser;
  std::string id;    ///< of the user or team
  std::string name;  ///< username or name of the team
  identity::RegistryRole role = identity::RegistryRole::kRestrictedViewer;
  Timestamp created_at;
};

}  // namespace spindle::registry
