#include "inference/catalogue/model_access.h"

#include <algorithm>

#include "identity/access/access.h"
#include "identity/store/identity_for_test.h"
#include "inference/usage/usage_scope.h"

namespace spindle::inference {
namespace {

class Seen : public identity::IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    lead_ = person("lead");
    loner_ = person("loner");
    admin_ = person("admin", true);
    acme_ = team("acme", lead_);
  }

  static Model modelOf(std::vector<std::string> teams) {
    Model model;
    model.teams = std::move(teams);
    return model;
  }
  bool mayUse(const identity::User& user, const Model& model) {
    return models_.mayUse(user.id, model).value();
  }
  UsageScope scopeOf(const identity::User& user) {
    Result<UsageScope> scope = usageScopeOf(access_, teams_, projects_, user.id);
    EXPECT_TRUE(scope);
    std::sort(scope->project_ids.begin(), scope->project_ids.end());
    return *std::move(scope);
  }

  identity::Access access_{access_facts_, projects_};
  ModelAccess models_{access_, teams_, users_};
  identity::User lead_;   ///< admin of acme
  identity::User loner_;  ///< in no team
  identity::User admin_;  ///< of the organization
  identity::Team acme_;
};

TEST_P(Seen, ModelsWithoutTeamsAndOfTheUsersTeams) {
  const identity::User other = person("other");
  const identity::Team rest = team("rest", other);
  for (const identity::User& user : {lead_, other, loner_, admin_}) {
    EXPECT_TRUE(mayUse(user, modelOf({}))) << user.username;
  }
  const Model acmes = modelOf({acme_.id});
  EXPECT_TRUE(mayUse(lead_, acmes));
  EXPECT_FALSE(mayUse(other, acmes));
  EXPECT_FALSE(mayUse(loner_, acmes));
  EXPECT_TRUE(mayUse(admin_, acmes));
  EXPECT_TRUE(mayUse(other, modelOf({acme_.id, rest.id})));
  EXPECT_FALSE(mayUse(lead_, modelOf({"team_gone"}))) << "a removed team has no members";
}

TEST_P(Seen, ModelsOfEveryTeamForOrganizationServiceAccounts) {
  const identity::Team rest = team("rest", lead_);
  const auto everywhere =
      keys_.issueForServiceAccount({.description = "all", .team_id = std::nullopt});
  const auto of_team = keys_.issueForServiceAccount({.description = "one", .team_id = acme_.id});
  ASSERT_TRUE(everywhere && of_team);
  EXPECT_TRUE(mayUse(everywhere->account, modelOf({rest.id})));
  EXPECT_TRUE(mayUse(of_team->account, modelOf({acme_.id})));
  EXPECT_FALSE(mayUse(of_team->account, modelOf({rest.id})));
}

TEST_P(Seen, NoTeamModelForAnUnknownUser) {
  EXPECT_TRUE(models_.mayUse("usr_none", modelOf({})).value())
      << "a model without teams needs no user lookup";
  EXPECT_EQ(codeOf(models_.mayUse("usr_none", modelOf({"team_1"}))), ErrorCode::kUnauthenticated);
}

TEST_P(Seen, UsageOfAdministeredTeamsAndOwnProjects) {
  const identity::User member = person("member");
  join(acme_, member, identity::TeamRole::kMember);
  const identity::Project lab = project(acme_, "lab", lead_);
  const identity::Project hidden =
      project(acme_, "hidden", lead_, identity::Visibility::kRestricted);
  project(team("rest", admin_), "open", admin_, identity::Visibility::kPublic);

  EXPECT_TRUE(scopeOf(admin_).everything);
  const UsageScope leads = scopeOf(lead_);
  EXPECT_FALSE(leads.everything);
  EXPECT_EQ(leads.team_ids, std::vector<std::string>{acme_.id});
  EXPECT_EQ(leads.user_id, lead_.id);
  const UsageScope members = scopeOf(member);
  EXPECT_TRUE(members.team_ids.empty());
  EXPECT_EQ(members.project_ids, std::vector<std::string>{lab.id});
  const UsageScope loners = scopeOf(loner_);
  EXPECT_TRUE(loners.team_ids.empty() && loners.project_ids.empty())
      << "a user who can read a project is not a member of it";
  EXPECT_EQ(loners.user_id, loner_.id);
}

TEST_P(Seen, UsageOfManyProjectsIsComplete) {
  const identity::User member = person("member");
  join(acme_, member, identity::TeamRole::kMember);
  ASSERT_TRUE(database_->write([&](storage::Session& session) -> Result<void> {
    for (int i = 0; i < 205; ++i) {
      TRY(session.execute(
          "INSERT INTO projects (id, team_id, name, visibility, description, version, created_at, "
          "updated_at) VALUES (?, ?, ?, 'TEAM', '', 1, 0, 0)",
          {"prj_" + std::to_string(i), acme_.id, "p" + std::to_string(i)}));
    }
    return {};
  }));
  EXPECT_EQ(scopeOf(member).project_ids.size(), 205U);
}

SPINDLE_ON_BOTH_ENGINES(Seen);

}  // namespace
}  // namespace spindle::inference
