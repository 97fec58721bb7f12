#include "identity/roles.h"

#include <algorithm>

namespace spindle::identity {

std::optional<TeamRole> effectiveProjectRole(const ProjectStanding& standing) {
  if (standing.team_role == TeamRole::kAdmin) return TeamRole::kAdmin;
  switch (standing.visibility) {
    case Visibility::kOpen:
      return standing.team_role.value_or(TeamRole::kMember);
    case Visibility::kPublic:
      return standing.team_role.value_or(TeamRole::kViewer);
    case Visibility::kTeam:
      break;
    case Visibility::kRestricted:
      if (!standing.added) return std::nullopt;
      break;
  }
  if (!standing.team_role || *standing.team_role == TeamRole::kViewer) return standing.team_role;
  return standing.added && standing.override_role ? standing.override_role : standing.team_role;
}

std::optional<RegistryRole> effectiveRegistryRole(const RegistryStanding& standing) {
  std::optional<RegistryRole> best;
  const auto consider = [&](RegistryRole role) {
    if (!best || role < *best) best = role;  // the enumeration runs from the highest down
  };
  if (!standing.restricted) {
    if (standing.organization_admin) {
      consider(RegistryRole::kAdmin);
    } else {
      consider(standing.service_account ? RegistryRole::kMember : RegistryRole::kRestrictedViewer);
    }
  }
  if (standing.direct) consider(*standing.direct);
  for (const RegistryRole role : standing.through_teams) {
    consider(standing.service_account ? std::max(role, RegistryRole::kMember) : role);
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

Roles rolesInProject(const ProjectStanding& standing) {
  const std::optional<TeamRole> role = effectiveProjectRole(standing);
  if (!role) return {};
  if (*role != TeamRole::kAdmin || standing.team_role == TeamRole::kAdmin) return rolesOf(*role);
  return Role::kProjectAdmin | Role::kTeamMember;
}

}  // namespace spindle::identity
