#include "identity/access/access.h"

#include "identity/access/default_team.h"
#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class AccessTest : public IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    root_ = person("root", true);
    lead_ = person("lead");
    member_ = person("member");
    viewer_ = person("viewer");
    stranger_ = person("stranger");
    acme_ = team("acme", lead_);
    other_ = team("other", stranger_);
    join(acme_, member_, TeamRole::kMember);
    join(acme_, viewer_, TeamRole::kViewer);
  }

  /// Returns "ok", "404", "403", "401" or the number of the error code.
  template <class T>
  static std::string resultText(const Result<T>& result) {
    if (result) return "ok";
    switch (result.error().code()) {
      case ErrorCode::kNotFound:
        return "404";
      case ErrorCode::kPermissionDenied:
        return "403";
      case ErrorCode::kUnauthenticated:
        return "401";
      default:
        return std::to_string(static_cast<int>(result.error().code()));
    }
  }
  /// Returns the results for root, lead, member, viewer and stranger.
  template <class Ask>
  std::string resultTexts(Ask ask) {
    std::string text;
    for (const User* user : {&root_, &lead_, &member_, &viewer_, &stranger_}) {
      text += resultText(ask(user->id)) + " ";
    }
    return text;
  }
  std::string reads(const std::string& team, const std::string& project) {
    return resultTexts(
        [&](const std::string& id) { return access_.readProject(id, team, project); });
  }
  std::string writes(const std::string& team, const std::string& project) {
    return resultTexts(
        [&](const std::string& id) { return access_.writeProject(id, team, project); });
  }
  std::string mayInTeam(Action action) {
    return resultTexts(
        [&](const std::string& id) { return access_.requireInTeam(id, "acme", action); });
  }

  User root_, lead_, member_, viewer_, stranger_;
  Team acme_, other_;
  Access access_{access_facts_, projects_};
};

TEST_P(AccessTest, ChecksTeamActionsByRole) {
  //                                                 root lead member viewer stranger
  EXPECT_EQ(mayInTeam(Action::kListMembers), "ok ok ok ok 404 ");
  EXPECT_EQ(mayInTeam(Action::kManageMembers), "ok ok 403 403 404 ");
  EXPECT_EQ(mayInTeam(Action::kManageSecrets), "ok ok 403 403 404 ");
  EXPECT_EQ(mayInTeam(Action::kListSecrets), "ok ok ok 403 404 ");
  EXPECT_EQ(mayInTeam(Action::kUpdateTeam), "ok ok 403 403 404 ");
  EXPECT_EQ(mayInTeam(Action::kWriteProject), "ok ok ok 403 404 ");
}

TEST_P(AccessTest, HidesTeamsFromNonMembers) {
  EXPECT_EQ(resultTexts([&](const std::string& id) { return access_.findTeam(id, "none"); }),
            "404 404 404 404 404 ");
  EXPECT_EQ(resultTexts([&](const std::string& id) { return access_.findTeam(id, "other"); }),
            "ok 404 404 404 ok ");
}

TEST_P(AccessTest, LimitsOrganizationActionsToAdmins) {
  EXPECT_EQ(resultTexts([&](const std::string& id) {
              return access_.requireInOrganization(id, Action::kCreateTeam);
            }),
            "ok 403 403 403 403 ");
  EXPECT_TRUE(*access_.isOrganizationAdmin(root_.id));
  EXPECT_FALSE(*access_.isOrganizationAdmin(lead_.id));
  EXPECT_EQ(resultText(access_.isOrganizationAdmin("usr_none")), "401");
}

TEST_P(AccessTest, AllowsNothingToSuspendedUsers) {
  const Project made = project(acme_, "p", lead_);
  EXPECT_EQ(resultText(access_.readProject(member_.id, "acme", "p")), "ok");
  UserChange suspension;
  suspension.suspended = true;
  person("second", true);
  for (const User* user : {&root_, &member_}) ASSERT_TRUE(users_.update(user->id, suspension));
  //                                root lead member viewer stranger
  EXPECT_EQ(reads("acme", "p"), "401 ok 401 ok 404 ");
  EXPECT_EQ(writes("acme", "p"), "401 ok 401 403 404 ");
  EXPECT_EQ(mayInTeam(Action::kListMembers), "401 ok 401 ok 404 ");
  EXPECT_EQ(resultText(access_.requireInOrganization(root_.id, Action::kCreateTeam)), "401");
  suspension.suspended = false;
  ASSERT_TRUE(users_.update(member_.id, suspension));
  EXPECT_EQ(resultText(access_.writeProject(member_.id, "acme", "p")), "ok");
}

TEST_P(AccessTest, ChecksJobsByUserAndProject) {
  const Project made = project(acme_, "p", lead_);
  const auto job = [&](const std::string& user_id, const std::string& project_id,
                       const std::string& name) {
    return resultText(access_.requireForJob(user_id, project_id, name, Action::kWriteProject));
  };
  EXPECT_EQ(job(member_.id, made.id, "acme/p"), "ok");
  EXPECT_EQ(job(viewer_.id, made.id, "acme/p"), "403");
  EXPECT_EQ(job(stranger_.id, made.id, "acme/p"), "403");
  EXPECT_EQ(job("usr_none", made.id, "acme/p"), "403");
  EXPECT_EQ(job(member_.id, "prj_earlier", "acme/p"), "403") << "deleted and created again";
  EXPECT_EQ(job(member_.id, made.id, "acme"), "403");
}

TEST_P(AccessTest, FollowsProjectVisibility) {
  const Project made = project(acme_, "p", lead_);
  const auto become = [&](Visibility visibility) {
    ProjectChange change;
    change.visibility = visibility;
    ASSERT_TRUE(projects_.update(made.id, change));
  };
  //                                root lead member viewer stranger
  EXPECT_EQ(reads("acme", "p"), "ok ok ok ok 404 ");
  EXPECT_EQ(writes("acme", "p"), "ok ok ok 403 404 ");
  become(Visibility::kPublic);
  EXPECT_EQ(reads("acme", "p"), "ok ok ok ok ok ");
  EXPECT_EQ(writes("acme", "p"), "ok ok ok 403 403 ");
  become(Visibility::kOpen);
  EXPECT_EQ(reads("acme", "p"), "ok ok ok ok ok ");
  EXPECT_EQ(writes("acme", "p"), "ok ok ok 403 ok ");
  become(Visibility::kRestricted);
  EXPECT_EQ(reads("acme", "p"), "ok ok 404 404 404 ");
  EXPECT_EQ(writes("acme", "p"), "ok ok 404 404 404 ");
  ASSERT_TRUE(projects_.setRole(made.id, member_.id, TeamRole::kViewer));
  EXPECT_EQ(reads("acme", "p"), "ok ok ok 404 404 ");
  EXPECT_EQ(writes("acme", "p"), "ok ok 403 404 404 ");
}

TEST_P(AccessTest, CreatesAProjectAtTheFirstWrite) {
  EXPECT_EQ(reads("acme", "new"), "ok ok ok 404 404 ") << "empty for those who may write";
  EXPECT_FALSE(access_.readProject(member_.id, "acme", "new")->exists());
  EXPECT_EQ(resultText(access_.writeProject(viewer_.id, "acme", "new")), "403");
  EXPECT_EQ(resultText(access_.writeProject(stranger_.id, "acme", "new")), "404");
  EXPECT_EQ(resultText(projects_.find("acme", "new")), "404") << "refused writes create nothing";
  const Result<ProjectAccess> made = access_.writeProject(member_.id, "acme", "new");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->project_id, projects_.find("acme", "new")->id);
  EXPECT_EQ(made->team_id, acme_.id);
  EXPECT_EQ(access_.writeProject(lead_.id, "acme", "new")->project_id, made->project_id);
  EXPECT_EQ(access_.readProject(viewer_.id, "acme", "new")->project_id, made->project_id);
}

TEST_P(AccessTest, CreatesTeamsOnlyForOrganizationAdmins) {
  EXPECT_EQ(reads("fresh", "p"), "ok 404 404 404 404 ");
  EXPECT_EQ(resultText(access_.writeProject(lead_.id, "fresh", "p")), "404");
  EXPECT_EQ(resultText(teams_.findByName("fresh")), "404");
  ASSERT_TRUE(access_.writeProject(root_.id, "fresh", "p"));
  const Result<Team> fresh = teams_.findByName("fresh");
  ASSERT_TRUE(fresh);
  EXPECT_EQ(teams_.findMember(fresh->id, root_.id)->membership.role, TeamRole::kAdmin);
  EXPECT_EQ(access_.writeProject(root_.id, "Not A Team", "p").error().code(),
            ErrorCode::kInvalidArgument);
}

TEST_P(AccessTest, RejectsInvalidProjectNames) {
  EXPECT_EQ(access_.writeProject(member_.id, "acme", "a/b").error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(resultText(access_.readProject(member_.id, std::string("acme\0", 5), "p")), "404");
  EXPECT_EQ(resultText(access_.writeProject(member_.id, "acme", "\xFF")),
            std::to_string(static_cast<int>(ErrorCode::kInvalidArgument)));
}

TEST_P(AccessTest, FindsProjectsByTheirFullName) {
  EXPECT_FALSE(access_.readProject(member_.id, "acme/new")->exists());
  const Result<ProjectAccess> made = access_.writeProject(member_.id, "acme/new");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->project_id, projects_.find("acme", "new")->id);
  EXPECT_EQ(access_.readProject(viewer_.id, "acme/new")->project_id, made->project_id);
  EXPECT_EQ(resultText(access_.writeProject(viewer_.id, "acme/new")), "403");
  EXPECT_EQ(resultText(access_.readProject(stranger_.id, "acme/new")), "404");
  for (const char* broken : {"acme", "acme/new/more", "/new", "acme/"}) {
    EXPECT_EQ(access_.readProject(member_.id, broken).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(access_.writeProject(member_.id, broken).error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST_P(AccessTest, ChecksTheOwnerOfRuns) {
  project(acme_, "p", lead_);
  const auto may_delete = [&](bool own) {
    return resultTexts([&](const std::string& id) {
      return access_.requireInProject(id, "acme", "p", Action::kDeleteRun, own);
    });
  };
  EXPECT_EQ(may_delete(false), "ok ok 403 403 404 ");
  EXPECT_EQ(may_delete(true), "ok ok ok 403 404 ");
  EXPECT_EQ(resultText(access_.requireInProject(lead_.id, "acme", "none", Action::kReadProject)),
            "404");
}

TEST_P(AccessTest, LimitsProjectAdminsToTheirProject) {
  const Project made = project(acme_, "p", lead_);
  project(acme_, "q", lead_);
  ASSERT_TRUE(projects_.setRole(made.id, member_.id, TeamRole::kAdmin));
  const auto manage = [&](const char* name) {
    return resultText(access_.requireInProject(member_.id, "acme", name, Action::kManageProject));
  };
  EXPECT_EQ(manage("p"), "ok");
  EXPECT_EQ(manage("q"), "403");
  EXPECT_EQ(resultText(access_.requireInTeam(member_.id, "acme", Action::kManageSecrets)), "403");
}

TEST_P(AccessTest, TreatsOrganizationServiceAccountsAsMembers) {
  NewServiceAccount fresh;
  fresh.description = "export";
  const auto made = keys_.issueForServiceAccount(fresh);
  ASSERT_TRUE(made);
  const std::string& id = made->account.id;
  project(acme_, "secret", lead_, Visibility::kRestricted);
  EXPECT_EQ(resultText(access_.writeProject(id, "acme", "p")), "ok");
  EXPECT_EQ(resultText(access_.writeProject(id, "other", "p")), "ok");
  EXPECT_EQ(resultText(access_.readProject(id, "acme", "secret")), "404");
  EXPECT_EQ(resultText(access_.writeProject(id, "none", "p")), "404");
  EXPECT_EQ(resultText(access_.requireInTeam(id, "acme", Action::kManageMembers)), "403");
}

TEST_P(AccessTest, FollowsChangesAtOnce) {
  project(acme_, "p", lead_);
  ASSERT_EQ(resultText(access_.writeProject(member_.id, "acme", "p")), "ok");
  join(acme_, member_, TeamRole::kViewer);
  EXPECT_EQ(resultText(access_.writeProject(member_.id, "acme", "p")), "403");
  const std::unique_ptr<storage::Database> process = database_.openAgain();
  TeamRepository tool(*process, clock_);
  ASSERT_TRUE(tool.removeMember(acme_.id, member_.id));
  EXPECT_EQ(resultText(access_.readProject(member_.id, "acme", "p")), "404");
}

TEST_P(AccessTest, IgnoresPendingInvitations) {
  const auto invited = database_->write([&](storage::Session& session) {
    return session.execute("UPDATE memberships SET pending = 1 WHERE user_id = ?", {member_.id});
  });
  ASSERT_TRUE(invited);
  EXPECT_EQ(resultText(access_.findTeam(member_.id, "acme")), "404");
  EXPECT_FALSE(*defaultTeamOf(teams_, access_, member_.id, "member"));
  join(other_, member_, TeamRole::kMember);
  EXPECT_EQ(*defaultTeamOf(teams_, access_, member_.id, "member"), "other");
}

TEST_P(AccessTest, ATeamAdminDoesNotChangeTheDefaultTeamOfOthers) {
  const User ada = person("ada");
  const Team second = team("second", lead_);
  const Team third = team("third", lead_);
  const auto add = [&](const Team& into, const User& user) {
    ASSERT_TRUE(teams_.putMember(into.id, user.id, TeamRole::kMember, {}, AddedBy::kTeamAdmin));
  };
  const auto default_of = [&](const User& user) {
    return *defaultTeamOf(teams_, access_, user.id, user.username);
  };
  add(acme_, ada);
  EXPECT_EQ(default_of(ada), "acme") << "the only team";
  add(second, ada);
  EXPECT_EQ(default_of(ada), std::nullopt) << "nobody confirmed either of them";
  join(third, ada, TeamRole::kMember);
  EXPECT_EQ(default_of(ada), "third");
  join(second, ada, TeamRole::kMember);
  EXPECT_EQ(default_of(ada), "second") << "an organization admin confirmed an older one";
  add(acme_, root_);
  EXPECT_EQ(default_of(root_), "root") << "its own team";
}

SPINDLE_ON_BOTH_ENGINES(AccessTest);

}  // namespace
}  // namespace spindle::identity
