#include <array>

#include "base/core/lookup.h"
#include "identity/types/project.h"
#include "identity/types/team.h"
#include "identity/types/team_role.h"
#include "identity/types/user.h"

namespace spindle::identity {
namespace {

constexpr auto kUserKinds = std::to_array<LookupEntry<UserKind>>(
    {{UserKind::kUser, "user"}, {UserKind::kService, "service"}});
constexpr auto kServiceScopes = std::to_array<LookupEntry<ServiceScope>>(
    {{ServiceScope::kTeam, "team"}, {ServiceScope::kOrganization, "organization"}});
constexpr auto kTeamRoles = std::to_array<LookupEntry<TeamRole>>(
    {{TeamRole::kAdmin, "ADMIN"}, {TeamRole::kMember, "MEMBER"}, {TeamRole::kViewer, "VIEWER"}});
constexpr auto kTtlPermissions = std::to_array<LookupEntry<TtlPermission>>(
    {{TtlPermission::kAdmins, "admins"}, {TtlPermission::kAdminsAndMembers, "admins_and_members"}});
constexpr auto kVisibilities =
    std::to_array<LookupEntry<Visibility>>({{Visibility::kOpen, "OPEN"},
                                            {Visibility::kPublic, "PUBLIC"},
                                            {Visibility::kTeam, "TEAM"},
                                            {Visibility::kRestricted, "RESTRICTED"}});

}  // namespace

std::string_view textOf(UserKind kind) { return lookUp(kUserKinds, kind, ""); }
std::string_view textOf(ServiceScope scope) { return lookUp(kServiceScopes, scope, ""); }
std::string_view textOf(TeamRole role) { return lookUp(kTeamRoles, role, ""); }
std::string_view textOf(TtlPermission permission) {
  return lookUp(kTtlPermissions, permission, "");
}
std::string_view textOf(Visibility visibility) { return lookUp(kVisibilities, visibility, ""); }

std::optional<TeamRole> teamRoleOf(std::string_view text) { return keyOf(kTeamRoles, text); }
std::optional<TtlPermission> ttlPermissionOf(std::string_view text) {
  return keyOf(kTtlPermissions, text);
}
std::optional<Visibility> visibilityOf(std::string_view text) { return keyOf(kVisibilities, text); }

}  // namespace spindle::identity
