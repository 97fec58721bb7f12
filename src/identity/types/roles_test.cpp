#include "identity/types/roles.h"

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

constexpr TeamRole kAdmin = TeamRole::kAdmin;
constexpr TeamRole kMember = TeamRole::kMember;
constexpr TeamRole kViewer = TeamRole::kViewer;

std::optional<TeamRole> roleIn(Visibility visibility,
                               std::optional<TeamRole> team_role,
                               bool added = false,
                               std::optional<TeamRole> override_role = {}) {
  return effectiveProjectRole({team_role, visibility, added, override_role});
}

TEST(ProjectRole, IsTheTeamRoleUnlessOverridden) {
  for (const TeamRole role : {kAdmin, kMember, kViewer}) {
    EXPECT_EQ(roleIn(Visibility::kTeam, role), role);
    EXPECT_EQ(roleIn(Visibility::kTeam, role, true), role) << "added, and follows the team role";
  }
  EXPECT_EQ(roleIn(Visibility::kTeam, kMember, true, kAdmin), kAdmin);
  EXPECT_EQ(roleIn(Visibility::kTeam, kMember, true, kViewer), kViewer);
}

TEST(ProjectRole, ViewerIsNeverRaised) {
  EXPECT_EQ(roleIn(Visibility::kTeam, kViewer, true, kAdmin), kViewer);
  EXPECT_EQ(roleIn(Visibility::kRestricted, kViewer, true, kMember), kViewer);
  EXPECT_EQ(roleIn(Visibility::kOpen, kViewer), kViewer);
}

TEST(ProjectRole, TeamAdminIsNeverLowered) {
  EXPECT_EQ(roleIn(Visibility::kTeam, kAdmin, true, kViewer), kAdmin);
  EXPECT_EQ(roleIn(Visibility::kRestricted, kAdmin), kAdmin);
}

TEST(ProjectRole, RestrictedProjectRequiresBeingAdded) {
  EXPECT_EQ(roleIn(Visibility::kRestricted, kMember), std::nullopt);
  EXPECT_EQ(roleIn(Visibility::kRestricted, kViewer), std::nullopt);
  EXPECT_EQ(roleIn(Visibility::kRestricted, kMember, true), kMember);
  EXPECT_EQ(roleIn(Visibility::kRestricted, kMember, true, kAdmin), kAdmin);
  EXPECT_EQ(roleIn(Visibility::kRestricted, std::nullopt, true, kAdmin), std::nullopt);
}

TEST(ProjectRole, NonMemberRoleDependsOnVisibility) {
  EXPECT_EQ(roleIn(Visibility::kOpen, std::nullopt), kMember);
  EXPECT_EQ(roleIn(Visibility::kPublic, std::nullopt), kViewer);
  EXPECT_EQ(roleIn(Visibility::kTeam, std::nullopt), std::nullopt);
  EXPECT_EQ(roleIn(Visibility::kRestricted, std::nullopt), std::nullopt);
}

TEST(ProjectRole, IgnoresOverridesInOpenAndPublicProjects) {
  EXPECT_EQ(roleIn(Visibility::kPublic, kMember, true, kAdmin), kMember);
  EXPECT_EQ(roleIn(Visibility::kOpen, kMember, true, kViewer), kMember);
}

TEST(ProjectRole, RaisedMemberIsProjectAdmin) {
  EXPECT_EQ(rolesInProject({kMember, Visibility::kTeam, true, kAdmin}),
            Role::kProjectAdmin | Role::kTeamMember);
  EXPECT_EQ(rolesInProject({kAdmin, Visibility::kTeam, false, {}}), Roles(Role::kTeamAdmin));
  EXPECT_TRUE(rolesInProject({std::nullopt, Visibility::kTeam, false, {}}).empty());
}

TEST(RegistryRole, IsTheHighestOfAllSources) {
  RegistryRoleFacts user;
  EXPECT_EQ(effectiveRegistryRole(user), RegistryRole::kRestrictedViewer);
  user.through_teams = {RegistryRole::kViewer, RegistryRole::kMember};
  EXPECT_EQ(effectiveRegistryRole(user), RegistryRole::kMember);
  user.direct = RegistryRole::kAdmin;
  EXPECT_EQ(effectiveRegistryRole(user), RegistryRole::kAdmin);
}

TEST(RegistryRole, RestrictedRegistryHasNoDefault) {
  RegistryRoleFacts user;
  user.restricted = true;
  for (const bool organization_admin : {false, true}) {
    user.organization_admin = organization_admin;
    EXPECT_EQ(effectiveRegistryRole(user), std::nullopt) << organization_admin;
  }
  user.direct = RegistryRole::kViewer;
  EXPECT_EQ(effectiveRegistryRole(user), RegistryRole::kViewer);
}

TEST(RegistryRole, DefaultDependsOnTheKindOfUser) {
  RegistryRoleFacts user;
  user.organization_admin = true;
  EXPECT_EQ(effectiveRegistryRole(user), RegistryRole::kAdmin);
  RegistryRoleFacts service;
  service.service_account = true;
  EXPECT_EQ(effectiveRegistryRole(service), RegistryRole::kMember);
}

TEST(RegistryRole, ServiceAccountIsAtMostMemberThroughTeams) {
  RegistryRoleFacts service;
  service.service_account = true;
  service.restricted = true;
  service.through_teams = {RegistryRole::kAdmin};
  EXPECT_EQ(effectiveRegistryRole(service), RegistryRole::kMember);
  service.through_teams = {RegistryRole::kRestrictedViewer};
  EXPECT_EQ(effectiveRegistryRole(service), RegistryRole::kRestrictedViewer);
  service.direct = RegistryRole::kAdmin;
  EXPECT_EQ(effectiveRegistryRole(service), RegistryRole::kAdmin);
}

}  // namespace
}  // namespace spindle::identity
