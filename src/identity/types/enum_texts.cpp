#include <cstddef>
#include <utility>

#include "identity/types/project.h"
#include "identity/types/team.h"
#include "identity/types/team_role.h"
#include "identity/types/user.h"

namespace spindle::identity {
namespace {

template <class Enum>
using Text = std::pair<Enum, std::string_view>;

constexpr Text<UserKind> kUserKinds[] = {{UserKind::kUser, "user"},
                                         {UserKind::kService, "service"}};
constexpr Text<ServiceScope> kServiceScopes[] = {{ServiceScope::kTeam, "team"},
                                                 {ServiceScope::kOrganization, "organization"}};
constexpr Text<TeamRole> kTeamRoles[] = {
    {TeamRole::kAdmin, "ADMIN"}, {TeamRole::kMember, "MEMBER"}, {TeamRole::kViewer, "VIEWER"}};
constexpr Text<TtlPermission> kTtlPermissions[] = {
    {TtlPermission::kAdmins, "admins"}, {TtlPermission::kAdminsAndMembers, "admins_and_members"}};
constexpr Text<Visibility> kVisibilities[] = {{Visibility::kOpen, "OPEN"},
                                              {Visibility::kPublic, "PUBLIC"},
                                              {Visibility::kTeam, "TEAM"},
                                              {Visibility::kRestricted, "RESTRICTED"}};

template <class Enum, std::size_t N>
std::string_view textIn(const Text<Enum> (&texts)[N], Enum value) {
  for (const auto& [each, text] : texts) {
    if (each == value) return text;
  }
  return {};
}

template <class Enum, std::size_t N>
std::optional<Enum> valueIn(const Text<Enum> (&texts)[N], std::string_view text) {
  for (const auto& [value, each] : texts) {
    if (each == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view textOf(UserKind kind) { return textIn(kUserKinds, kind); }
std::string_view textOf(ServiceScope scope) { return textIn(kServiceScopes, scope); }
std::string_view textOf(TeamRole role) { return textIn(kTeamRoles, role); }
std::string_view textOf(TtlPermission permission) { return textIn(kTtlPermissions, permission); }
std::string_view textOf(Visibility visibility) { return textIn(kVisibilities, visibility); }

std::optional<TeamRole> teamRoleOf(std::string_view text) { return valueIn(kTeamRoles, text); }
std::optional<TtlPermission> ttlPermissionOf(std::string_view text) {
  return valueIn(kTtlPermissions, text);
}
std::optional<Visibility> visibilityOf(std::string_view text) {
  return valueIn(kVisibilities, text);
}

}  // namespace spindle::identity
