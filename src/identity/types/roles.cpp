#include "identity/types/roles.h"

#include <algorithm>
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
  switch (team_role) {
    case TeamRole::kAdmin:
      return Role::kTeamAdmin;
    case TeamRole::kMember:
      return Role::kTeamMember;
    case TeamRole::kViewer:
      return Role::kTeamViewer;
  }
  return {};
}

Roles rolesOf(RegistryRole registry_role) {
  switch (registry_role) {
    case RegistryRole::kAdmin:
      return Role::kRegistryAdmin;
    case RegistryRole::kMember:
      return Role::kRegistryMember;
    case RegistryRole::kViewer:
      return Role::kRegistryViewer;
    case RegistryRole::kRestrictedViewer:
      return Role::kRegistryRestrictedViewer;
  }
  return {};
}

Roles rolesInProject(const ProjectRoleFacts& facts) {
  const std::optional<TeamRole> role = effectiveProjectRole(facts);
  if (!role) return {};
  if (*role != TeamRole::kAdmin || facts.team_role == TeamRole::kAdmin) return rolesOf(*role);
  return Role::kProjectAdmin | Role::kTeamMember;
}

}  // namespace spindle::identity
