#include "registry/repositories/registry_access.h"

#include <optional>
#include <utility>

#include "registry/repositories/registry_repository.h"

namespace spindle::registry {

using identity::Role;

Result<VisibleRegistry> RegistryAccess::find(std::string_view user_id, std::string_view registry) {
  RegistryAccessRecord record = TRY(registries_.find(user_id, registry));
  const std::optional<identity::RegistryRole> role =
      identity::effectiveRegistryRole(record.standing);
  if (!role) return Error::notFound("Registry not found");
  VisibleRegistry entry;
  entry.roles = identity::rolesOf(*role);
  if (record.standing.organization_admin && !record.standing.restricted) {
    entry.roles = entry.roles | Role::kOrganizationAdmin;
  }
  if (record.administers_admin_team) entry.roles = entry.roles | Role::kTeamAdmin;
  entry.own = record.registry.creator_id == user_id;
  entry.registry = std::move(record.registry);
  return entry;
}

Result<VisibleRegistry> RegistryAccess::require(std::string_view user_id,
                                                std::string_view registry,
                                                identity::Action action) {
  Result<VisibleRegistry> entry = find(user_id, registry);
  if (entry && !identity::allows(action, entry->roles, entry->own)) {
    return Error::denied("You are not allowed to do this.");
  }
  return entry;
}

}  // namespace spindle::registry
