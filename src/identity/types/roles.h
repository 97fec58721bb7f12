#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "identity/types/project.h"
#include "identity/types/team_role.h"

namespace spindle::identity {

/// A role of a caller with regard to an object.
enum class Role : std::uint16_t {
  kOrganizationAdmin = 1U << 0U,
  kTeamAdmin = 1U << 1U,
  kTeamMember = 1U << 2U,
  kTeamViewer = 1U << 3U,
  kProjectAdmin = 1U << 4U,
  kRegistryAdmin = 1U << 5U,
  kRegistryMember = 1U << 6U,
  kRegistryViewer = 1U << 7U,
  kRegistryRestrictedViewer = 1U << 8U,
};

/// A set of roles.
class Roles {
 public:
  constexpr Roles() = default;
  constexpr Roles(Role role) : bits_(static_cast<std::uint16_t>(role)) {}  // NOLINT: a set of one

  constexpr Roles operator|(Roles other) const {
    Roles both;
    both.bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return both;
  }
  constexpr bool intersects(Roles other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const Roles&) const = default;

 private:
  std::uint16_t bits_ = 0;
};

constexpr Roles operator|(Role a, Role b) { return Roles(a) | Roles(b); }

/// The facts that decide a user's role in one project.
struct ProjectRoleFacts {
  std::optional<TeamRole> team_role;  ///< empty: not a member of the team
  Visibility visibility = Visibility::kTeam;
  bool added = false;                     ///< the user was added to the project itself
  std::optional<TeamRole> override_role;  ///< project role that replaces the team role
};

/// Returns the role in the project, or nothing when the project is not visible. A team admin is
/// admin of every project of the team. A team viewer is never more than viewer. Overrides apply
/// only in team and restricted projects. A restricted project is visible to team members who were
/// added to it; an open or public project is visible to all users.
std::optional<TeamRole> effectiveProjectRole(const ProjectRoleFacts& facts);

enum class RegistryRole { kAdmin, kMember, kViewer, kRestrictedViewer };

/// The facts that decide a user's role in one registry.
struct RegistryRoleFacts {
  bool organization_admin = false;
  bool service_account = false;
  bool restricted = false;  ///< the registry is not open to the whole organization
  std::optional<RegistryRole> direct;
  std::vector<RegistryRole> through_teams;
};

/// Returns the highest of the organization's default role (unless the registry is restricted), the
/// direct role, and the roles of the user's teams. Returns nothing when the registry is not
/// visible. A service account is at most member through a team.
std::optional<RegistryRole> effectiveRegistryRole(const RegistryRoleFacts& facts);

Roles rolesOf(TeamRole team_role);
Roles rolesOf(RegistryRole registry_role);
/// Returns the roles in a project. A team admin stays team admin; a project admin is also team
/// member.
Roles rolesInProject(const ProjectRoleFacts& facts);

}  // namespace spindle::identity
