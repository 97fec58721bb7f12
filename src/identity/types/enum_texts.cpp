#include "identity/types/project.h"
#include "identity/types/team.h"
#include "identity/types/team_role.h"
#include "identity/types/user.h"

namespace spindle::identity {
namespace {

/// Returns the value of `values` with this text.
template <class Enum, std::size_t N>
std::optional<Enum> find(std::string_view text, const Enum (&values)[N]) {
  for (const Enum value : values) {
    if (textOf(value) == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view textOf(UserKind kind) {
  switch (kind) {
    case UserKind::kUser:
      return "user";
    case UserKind::kService:
      return "service";
  }
  return {};
}

std::string_view textOf(ServiceScope scope) {
  switch (scope) {
    case ServiceScope::kTeam:
      return "team";
    case ServiceScope::kOrganization:
      return "organization";
  }
  return {};
}

std::string_view textOf(TeamRole role) {
  switch (role) {
    case TeamRole::kAdmin:
      return "ADMIN";
    case TeamRole::kMember:
      return "MEMBER";
    case TeamRole::kViewer:
      return "VIEWER";
  }
  return {};
}

std::string_view textOf(TtlPermission permission) {
  switch (permission) {
    case TtlPermission::kAdmins:
      return "admins";
    case TtlPermission::kAdminsAndMembers:
      return "admins_and_members";
  }
  return {};
}

std::string_view textOf(Visibility visibility) {
  switch (visibility) {
    case Visibility::kOpen:
      return "OPEN";
    case Visibility::kPublic:
      return "PUBLIC";
    case Visibility::kTeam:
      return "TEAM";
    case Visibility::kRestricted:
      return "RESTRICTED";
  }
  return {};
}

std::optional<TeamRole> teamRoleOf(std::string_view text) {
  return find(text, {TeamRole::kAdmin, TeamRole::kMember, TeamRole::kViewer});
}

std::optional<TtlPermission> ttlPermissionOf(std::string_view text) {
  return find(text, {TtlPermission::kAdmins, TtlPermission::kAdminsAndMembers});
}

std::optional<Visibility> visibilityOf(std::string_view text) {
  return find(text,
              {Visibility::kOpen, Visibility::kPublic, Visibility::kTeam, Visibility::kRestricted});
}

}  // namespace spindle::identity
