#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "identity/project.h"
#include "identity/team_role.h"

namespace spindle::identity {

/// Everything a caller can be with regard to an object.
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

/// What decides about a user's role in one project.
struct ProjectStanding {
  std::optional<TeamRole> team_role;  ///< empty: not of the team
  Visibility visibility = Visibility::kTeam;
  bool added = false;                     ///< the project itself names the user
  std::optional<TeamRole> override_role;  ///< the role it gives in place of the team role
};

/// The role in the project, or empty when the project is not visible. An admin of the team is one
/// in every project of it; a viewer of the team is never more; overrides count in team and
/// restricted projects only; a restricted project is seen by those it names; an open or public one
/// by all.
std::optional<TeamRole> effectiveProjectRole(const ProjectStanding& standing);

enum class RegistryRole { kAdmin, kMember, kViewer, kRestrictedViewer };

/// What decides about a user's role in one registry.
struct RegistryStanding {
  bool organization_admin = false;
  bool service_account = false;
  bool restricted = false;  ///< the registry is not open to the whole organization
  std::optional<RegistryRole> direct;
  std::vector<RegistryRole> through_teams;
};

/// The highest of the organization's default (not for restricted registries), the direct role and
/// those of the user's teams; empty when the registry is not visible. A service account never has
/// more than member through a team.
std::optional<RegistryRole> effectiveRegistryRole(const RegistryStanding& standing);

Roles rolesOf(TeamRole team_role);
Roles rolesOf(RegistryRole registry_role);
/// The roles in a project: those of a team admin stay; a project admin is also a member.
Roles rolesInProject(const ProjectStanding& standing);

}  // namespace spindle::identity
