#include "identity/store/team_repository.h"

#include <thread>

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class TeamRepositoryTest : public IdentityTest {
 protected:
  User ann_ = {};
  User bob_ = {};

  void SetUp() override {
    IdentityTest::SetUp();
    ann_ = person("ann");
    bob_ = person("bob");
  }
};

TEST_P(TeamRepositoryTest, CreatesATeamWithOneAdmin) {
  const Team acme = team("acme", ann_);
  const Result<Team> found = teams_.findByName("acme");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, acme.id);
  EXPECT_EQ(found->default_artifact_ttl_days, std::nullopt);
  EXPECT_EQ(found->ttl_permission, TtlPermission::kAdmins);
  const Result<Page<Member>> members = teams_.members(acme.id, {});
  ASSERT_EQ(members->items.size(), 1U);
  EXPECT_EQ(members->items[0].user.username, "ann");
  EXPECT_EQ(members->items[0].membership.role, TeamRole::kAdmin);
  EXPECT_FALSE(members->items[0].membership.pending);
  EXPECT_EQ(members->items[0].membership.id.substr(0, 4), "mem_");
}

TEST_P(TeamRepositoryTest, RequiresUniqueNames) {
  team("acme", ann_);
  EXPECT_EQ(codeOf(teams_.insert("acme", bob_.id)), ErrorCode::kConflict);
  EXPECT_EQ(codeOf(teams_.insert("Acme", bob_.id)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(codeOf(teams_.insert("other", "usr_none")), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(teams_.findByName("other")), ErrorCode::kNotFound);
  EXPECT_TRUE(teams_.insert("ann", bob_.id)) << "a team may be called like a user";
}

TEST_P(TeamRepositoryTest, ListsTeamsOfAUser) {
  for (const char* name : {"one", "two", "three"}) {
    clock_.advance(std::chrono::milliseconds(1));
    team(name, name == std::string("two") ? bob_ : ann_);
  }
  const auto names = [](const Result<Page<Team>>& page) {
    std::string text;
    for (const Team& item : page->items) text += item.name + " ";
    return text;
  };
  EXPECT_EQ(names(teams_.list(ann_.id, {})), "three one ");
  EXPECT_EQ(names(teams_.list(std::nullopt, {})), "three two one ");
  PageRequest page;
  page.limit = 2;
  const Result<Page<Team>> first = teams_.list(std::nullopt, page);
  EXPECT_EQ(names(first), "three two ");
  page.after = first->next.value_or("");
  EXPECT_EQ(names(teams_.list(std::nullopt, page)), "one ");
  EXPECT_EQ(teams_.list(std::nullopt, page)->next, std::nullopt);
}

TEST_P(TeamRepositoryTest, UpdatesOnlyGivenFields) {
  team("acme", ann_);
  TeamChange change;
  change.default_artifact_ttl_days = 30;
  clock_.advance(std::chrono::seconds(1));
  const Result<Team> limited = teams_.update("acme", change);
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->default_artifact_ttl_days, 30);
  EXPECT_EQ(limited->version, 2);
  EXPECT_EQ(limited->updated_at, clock_.now());
  TeamChange permission;
  permission.ttl_permission = TtlPermission::kAdminsAndMembers;
  EXPECT_EQ(teams_.update("acme", permission)->default_artifact_ttl_days, 30);
  change.default_artifact_ttl_days = std::optional<std::int64_t>();
  const Result<Team> unlimited = teams_.update("acme", change);
  EXPECT_EQ(unlimited->default_artifact_ttl_days, std::nullopt);
  EXPECT_EQ(unlimited->ttl_permission, TtlPermission::kAdminsAndMembers);
  change.default_artifact_ttl_days = 0;
  EXPECT_EQ(codeOf(teams_.update("acme", change)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(codeOf(teams_.update("none", permission)), ErrorCode::kNotFound);
}

TEST_P(TeamRepositoryTest, RejectsChangesOfAnOldVersion) {
  const Team acme = team("acme", ann_);
  TeamChange change;
  change.default_artifact_ttl_days = 30;
  EXPECT_EQ(codeOf(teams_.update("acme", change, 7)), ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(teams_.update("acme", change, 1));
  EXPECT_EQ(codeOf(teams_.update("acme", change, 1)), ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(teams_.remove("acme", false, 1)), ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(teams_.putMember(acme.id, ann_.id, TeamRole::kAdmin, 5)),
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(teams_.putMember(acme.id, bob_.id, TeamRole::kAdmin, 1)),
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(teams_.removeMember(acme.id, ann_.id, 5)), ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(teams_.remove("acme", false, 2));
}

TEST_P(TeamRepositoryTest, DeletesProjectsOnlyWithForce) {
  const Team acme = team("acme", ann_);
  project(acme, "p", ann_);
  const std::string service_account = serviceAccount(acme, "ci", TeamRole::kMember).account.id;
  EXPECT_EQ(reasonOf(teams_.remove("acme", false)), "not_empty");
  EXPECT_TRUE(teams_.remove("acme", true));
  EXPECT_EQ(codeOf(teams_.findByName("acme")), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(projects_.find("acme", "p")), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(users_.find(service_account)), ErrorCode::kNotFound);
  EXPECT_TRUE(users_.find(ann_.id));
  EXPECT_EQ(codeOf(teams_.remove("acme", false)), ErrorCode::kNotFound);
}

TEST_P(TeamRepositoryTest, AddsMembersAndChangesRoles) {
  const Team acme = team("acme", ann_);
  const auto added = teams_.putMember(acme.id, bob_.id, TeamRole::kViewer);
  ASSERT_TRUE(added);
  EXPECT_TRUE(added->created);
  EXPECT_EQ(added->member.user.username, "bob");
  const auto changed = teams_.putMember(acme.id, bob_.id, TeamRole::kMember, 1);
  ASSERT_TRUE(changed);
  EXPECT_FALSE(changed->created);
  EXPECT_EQ(changed->member.membership.role, TeamRole::kMember);
  EXPECT_EQ(changed->member.membership.version, 2);
  EXPECT_EQ(teams_.putMember(acme.id, bob_.id, TeamRole::kMember)->member.membership.version, 2)
      << "nothing changed";
  EXPECT_EQ(codeOf(teams_.putMember(acme.id, "usr_none", TeamRole::kMember)), ErrorCode::kNotFound);
  EXPECT_EQ(teams_.findMember(acme.id, bob_.id)->membership.role, TeamRole::kMember);
  EXPECT_TRUE(teams_.removeMember(acme.id, bob_.id));
  EXPECT_EQ(codeOf(teams_.removeMember(acme.id, bob_.id)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(teams_.findMember(acme.id, bob_.id)), ErrorCode::kNotFound);
}

TEST_P(TeamRepositoryTest, KeepsAnAdminWhoIsAPerson) {
  const Team acme = team("acme", ann_);
  serviceAccount(acme, "robot admin", TeamRole::kAdmin);
  EXPECT_EQ(reasonOf(teams_.putMember(acme.id, ann_.id, TeamRole::kMember)), "last_admin");
  EXPECT_EQ(reasonOf(teams_.removeMember(acme.id, ann_.id)), "last_admin");
  join(acme, bob_, TeamRole::kAdmin);
  EXPECT_TRUE(teams_.removeMember(acme.id, ann_.id));
  EXPECT_EQ(reasonOf(teams_.removeMember(acme.id, bob_.id)), "last_admin");
}

TEST_P(TeamRepositoryTest, KeepsAnAdminUnderConcurrency) {
  const Team acme = team("acme", ann_);
  for (int round = 0; round < 10; ++round) {
    join(acme, ann_, TeamRole::kAdmin);
    join(acme, bob_, TeamRole::kAdmin);
    std::jthread other([&] { (void)teams_.removeMember(acme.id, ann_.id); });
    (void)teams_.putMember(acme.id, bob_.id, TeamRole::kMember);
    other.join();
    int admins = 0;
    const Result<Page<Member>> members = teams_.members(acme.id, {});
    for (const Member& member : members->items) {
      admins += member.membership.role == TeamRole::kAdmin ? 1 : 0;
    }
    EXPECT_EQ(admins, 1);
  }
}

TEST_P(TeamRepositoryTest, RejectsServiceAccountsAsViewers) {
  const Team acme = team("acme", ann_);
  const Team other = team("other", bob_);
  const std::string service_account = serviceAccount(acme, "ci", TeamRole::kMember).account.id;
  EXPECT_EQ(reasonOf(teams_.putMember(acme.id, service_account, TeamRole::kViewer)),
            "service_account_role");
  EXPECT_EQ(reasonOf(teams_.putMember(other.id, service_account, TeamRole::kMember)), "other_team");
  EXPECT_TRUE(teams_.putMember(acme.id, service_account, TeamRole::kAdmin));
  EXPECT_TRUE(teams_.removeMember(acme.id, service_account));
  EXPECT_EQ(codeOf(users_.find(service_account)), ErrorCode::kNotFound)
      << "it went with its membership";
}

TEST_P(TeamRepositoryTest, DeletesProjectRolesOfRemovedMembers) {
  const Team acme = team("acme", ann_);
  join(acme, bob_, TeamRole::kMember);
  const Project secret = project(acme, "secret", ann_, Visibility::kRestricted);
  ASSERT_TRUE(projects_.setRole(secret.id, bob_.id, TeamRole::kAdmin));
  ASSERT_TRUE(teams_.removeMember(acme.id, bob_.id));
  join(acme, bob_, TeamRole::kMember);
  EXPECT_TRUE(projects_.members(secret.id)->empty());
}

TEST_P(TeamRepositoryTest, ReturnsTeamsOldestMembershipFirst) {
  team("zeta", ann_);
  clock_.advance(std::chrono::milliseconds(1));
  team("alpha", ann_);
  const auto teams = teams_.teamsOf(ann_.id);
  ASSERT_EQ(teams->size(), 2U);
  EXPECT_EQ((*teams)[0].team.name, "zeta");
  EXPECT_EQ((*teams)[1].membership.role, TeamRole::kAdmin);
  EXPECT_TRUE(teams_.teamsOf(bob_.id)->empty());
}

SPINDLE_ON_BOTH_ENGINES(TeamRepositoryTest);

}  // namespace
}  // namespace spindle::identity
