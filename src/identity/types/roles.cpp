#include "identity/types/roles.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spindle::identity {

std::optional<TeamRole> effectiveProjectRole(const ProjectRoleFacts& facts) {
  if (facts.team_role == TeamRole::kAdmin) return TeamRole::kAdmin;
  switch (facts.visibility) {
    case Visibility::kOpen:
      return facts.team_role.value_or(TeamRole::kMember);
    case Visibility::kPublic:
      return facts.team_role.value_or(TeamRole::kViewer);
    case Visibility::kTeam:
      break;
    case Visibility::kRestricted:
      if (!facts.added) return std::nullopt;
      break;
  }
  if (!facts.team_role || *facts.team_role == TeamRole::kViewer) return facts.team_role;
  return facts.added && facts.override_role ? facts.override_role : facts.team_role;
}

std::optional<RegistryRole> effectiveRegistryRole(const RegistryRoleFacts& facts) {
  std::optional<RegistryRole> best;
  const auto consider = [&](RegistryRole role) {
    if (!best || role < *best) best = role;  // the enumeration runs from the highest down
  };
  if (!facts.restricted) {
    if (facts.organization_admin) {
      consider(RegistryRole::kAdmin);
    } else {
      consider(facts.service_account ? RegistryRole::kMember : RegistryRole::kRestrictedViewer);
    }
  }
  if (facts.direct) consider(*facts.direct);
  for (const RegistryRole role : facts.through_teams) {
    consider(facts.service_account ? std::max(role, RegistryRole::kMember) : role);
  }
  return best;
}

Roles rolesOf(TeamRole team_role) {
  // In the order of TeamRole.
  constexpr auto kRoles = std::to_array({Role::kTeamAdmin, Role::kTeamMember, Role::kTeamViewer});
  return kRoles.at(static_cast<std::size_t>(team_role));
}

Roles rolesOf(RegistryRole registry_role) {
  // In the order of RegistryRole.
  constexpr auto kRoles = std::to_array({Role::kRegistryAdmin, Role::kRegistryMember,
                                         Role::kRegistryViewer, Role::kRegistryRestrictedViewer});
  return kRoles.at(static_cast<std::size_t>(registry_role));
}

Roles rolesInProject(const ProjectRoleFacts& facts) {
  const std::optional<TeamRole> role = effectiveProjectRole(facts);
  if (!role) return {};
  if (*role != TeamRole::kAdmin || facts.team_role == TeamRole::kAdmin) return rolesOf(*role);
  return Role::kProjectAdmin | Role::kTeamMember;
}

}  // namespace spindle::identity
