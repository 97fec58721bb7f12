#include "identity/store/project_repository.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "identity/store/identity_for_test.h"
#include "identity/store/quota_repository.h"

namespace spindle::identity {
namespace {

class ProjectRepositoryTest : public IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    ann_ = person("ann");
    bob_ = person("bob");
    acme_ = team("acme", ann_);
    join(acme_, bob_, TeamRole::kMember);
  }
  /// Creates a project of nobody.
  Result<Project> insert(const std::string& team_id, const std::string& name) {
    NewProject fresh;
    fresh.team_id = team_id;
    fresh.name = name;
    return projects_.insert(fresh);
  }

  User ann_;
  User bob_;
  Team acme_;
};

TEST_P(ProjectRepositoryTest, FindsByTeamAndName) {
  const Project made = project(acme_, "churn ☃", ann_);
  const Result<Project> found = projects_.find("acme", "churn ☃");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, made.id);
  EXPECT_EQ(found->team_name, "acme");
  EXPECT_EQ(found->visibility, Visibility::kTeam);
  EXPECT_EQ(codeOf(projects_.find("acme", "Churn ☃")), ErrorCode::kNotFound);
  EXPECT_EQ(projects_.findById(found->id)->name, "churn ☃");
  EXPECT_EQ(projects_.findById(found->id)->team_name, "acme");
  EXPECT_EQ(codeOf(projects_.findById("prj_none")), ErrorCode::kNotFound);
}

TEST_P(ProjectRepositoryTest, RequiresUniqueNamesPerTeam) {
  project(acme_, "p", ann_);
  project(team("other", ann_), "p", ann_);
  EXPECT_EQ(codeOf(insert(acme_.id, "p")), ErrorCode::kConflict);
  EXPECT_EQ(codeOf(insert(acme_.id, "a/b")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(codeOf(insert("team_none", "q")), ErrorCode::kConflict);
}

TEST_P(ProjectRepositoryTest, EnsureCreatesAProjectOnce) {
  std::vector<std::string> ids(4);
  {
    std::vector<std::jthread> writers;
    writers.reserve(ids.size());
    for (std::string& id : ids) {
      writers.emplace_back([&] {
        const auto ensured = projects_.ensure("acme", "new", bob_.id, false);
        if (ensured) id = ensured->project_id;
      });
    }
  }
  EXPECT_FALSE(ids[0].empty());
  for (const std::string& id : ids) EXPECT_EQ(id, ids[0]);
  EXPECT_EQ(codeOf(projects_.ensure("none", "new", bob_.id, false)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(projects_.ensure("acme", "a?b", bob_.id, false)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(codeOf(projects_.ensure("Bad Team", "p", bob_.id, true)), ErrorCode::kInvalidArgument);
  const auto ensured = projects_.ensure("fresh", "p", bob_.id, true);
  ASSERT_TRUE(ensured);
  EXPECT_EQ(teams_.findMember(ensured->team_id, bob_.id)->membership.role, TeamRole::kAdmin);
}

TEST_P(ProjectRepositoryTest, ListsVisibleProjects) {
  project(acme_, "open to all", ann_);
  clock_.advance(std::chrono::milliseconds(1));
  const Project secret = project(acme_, "secret", ann_, Visibility::kRestricted);
  const auto count = [&](const User& user, bool sees_all) {
    return projects_.list(acme_.id, user.id, sees_all, {})->items.size();
  };
  EXPECT_EQ(count(ann_, true), 2U);
  EXPECT_EQ(count(bob_, false), 1U);
  ASSERT_TRUE(projects_.setRole(secret.id, bob_.id, TeamRole::kMember));
  EXPECT_EQ(count(bob_, false), 2U);
  PageRequest page;
  page.limit = 1;
  const auto first = projects_.list(acme_.id, ann_.id, true, page);
  EXPECT_EQ(first->items[0].name, "secret");
  page.after = first->next.value_or("");
  EXPECT_EQ(projects_.list(acme_.id, ann_.id, true, page)->items[0].name, "open to all");
}

TEST_P(ProjectRepositoryTest, UpdatesAndDeletes) {
  const Project made = project(acme_, "p", ann_);
  ProjectChange change;
  change.visibility = Visibility::kPublic;
  EXPECT_EQ(codeOf(projects_.update(made.id, change, 9)), ErrorCode::kPreconditionFailed);
  EXPECT_EQ(projects_.update(made.id, change, 1)->visibility, Visibility::kPublic);
  change = {};
  change.description = "new";
  const Result<Project> changed = projects_.update(made.id, change);
  EXPECT_EQ(changed->description, "new");
  EXPECT_EQ(changed->visibility, Visibility::kPublic);
  EXPECT_EQ(changed->version, 3);
  EXPECT_EQ(codeOf(projects_.remove(made.id, 1)), ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(projects_.remove(made.id, 3));
  EXPECT_EQ(codeOf(projects_.remove(made.id)), ErrorCode::kNotFound);
}

TEST_P(ProjectRepositoryTest, SetsRolesOfTeamMembers) {
  const User viewer = person("vera");
  const User stranger = person("sam");
  join(acme_, viewer, TeamRole::kViewer);
  const Project made = project(acme_, "p", ann_);
  const Result<ProjectMember> raised = projects_.setRole(made.id, bob_.id, TeamRole::kAdmin);
  ASSERT_TRUE(raised);
  EXPECT_EQ(raised->override_role, TeamRole::kAdmin);
  EXPECT_EQ(raised->team_role, TeamRole::kMember);
  EXPECT_EQ(projects_.setRole(made.id, bob_.id, TeamRole::kMember)->override_role, std::nullopt)
      << "the same role as in the team follows the team";
  EXPECT_EQ(reasonOf(projects_.setRole(made.id, viewer.id, TeamRole::kMember)),
            "viewer_cannot_be_raised");
  EXPECT_EQ(codeOf(projects_.setRole(made.id, stranger.id, TeamRole::kMember)),
            ErrorCode::kNotFound);
  EXPECT_EQ(projects_.members(made.id)->size(), 1U);
  EXPECT_TRUE(projects_.removeRole(made.id, bob_.id));
  EXPECT_EQ(codeOf(projects_.removeRole(made.id, bob_.id)), ErrorCode::kNotFound);
  const Project open = project(acme_, "open", ann_, Visibility::kOpen);
  EXPECT_EQ(reasonOf(projects_.setRole(open.id, bob_.id, TeamRole::kAdmin)), "project_visibility");
}

TEST_P(ProjectRepositoryTest, KeepsAnOverrideWhenTheTeamRoleChanges) {
  const Project made = project(acme_, "p", ann_);
  ASSERT_TRUE(projects_.setRole(made.id, bob_.id, TeamRole::kViewer));
  join(acme_, bob_, TeamRole::kViewer);
  join(acme_, bob_, TeamRole::kMember);
  EXPECT_EQ(projects_.members(made.id)->at(0).override_role, TeamRole::kViewer);
}

TEST_P(ProjectRepositoryTest, CreatorOfARestrictedProjectIsAdmin) {
  const Project secret = project(acme_, "secret", bob_, Visibility::kRestricted);
  const auto members = projects_.members(secret.id);
  ASSERT_EQ(members->size(), 1U);
  EXPECT_EQ(members->at(0).username, "bob");
  EXPECT_EQ(members->at(0).override_role, TeamRole::kAdmin);
}

TEST_P(ProjectRepositoryTest, ListsProjectsOfAllTeamsOfAUser) {
  const User lead = person("lead");
  const User member = person("member");
  const Team first = team("first", lead);
  const Team second = team("second", lead);
  const Team other = team("other", person("stranger"));
  join(first, member, TeamRole::kMember);
  project(first, "open", lead);
  project(first, "closed", lead, Visibility::kRestricted);
  project(second, "far", lead);
  project(other, "theirs", lead);
  const auto names = [&](const User& user, bool sees_all) {
    const Result<Page<Project>> page = projects_.listForUser(user.id, sees_all, {});
    EXPECT_TRUE(page);
    std::vector<std::string> found;
    for (const Project& each : page->items) found.push_back(each.name);
    std::sort(found.begin(), found.end());
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(lead, false), (Names{"closed", "far", "open"}));
  EXPECT_EQ(names(member, false), Names{"open"});
  EXPECT_EQ(names(member, true), (Names{"closed", "far", "open", "theirs"}));
  const Result<Project> closed = projects_.find("first", "closed");
  ASSERT_TRUE(closed && projects_.setRole(closed->id, member.id, TeamRole::kViewer));
  EXPECT_EQ(names(member, false), (Names{"closed", "open"}));
}

TEST_P(ProjectRepositoryTest, ListsTeamMembersWithAccess) {
  const User lead = person("lead");
  const User member = person("member");
  const User viewer = person("viewer");
  const Team crew = team("crew", lead);
  join(crew, member, TeamRole::kMember);
  join(crew, viewer, TeamRole::kViewer);
  const Project open = project(crew, "open", lead);
  const Project closed = project(crew, "closed", lead, Visibility::kRestricted);
  const Result<Page<ProjectMember>> all = projects_.effectiveMembers(open.id, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->items.size(), 3U);
  ASSERT_TRUE(projects_.setRole(closed.id, viewer.id, TeamRole::kViewer));
  const Result<Page<ProjectMember>> first =
      projects_.effectiveMembers(closed.id, {.limit = 1, .after = ""});
  ASSERT_TRUE(first && first->next);
  const Result<Page<ProjectMember>> rest =
      projects_.effectiveMembers(closed.id, {.limit = 1, .after = *first->next});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_FALSE(rest->next);
  std::vector<std::string> names = {first->items[0].username, rest->items[0].username};
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"lead", "viewer"}));
}

TEST_P(ProjectRepositoryTest, EnforcesTheQuotaPerTeam) {
  ASSERT_TRUE(QuotaRepository(*database_).setProjectsPerTeam(2));
  EXPECT_TRUE(insert(acme_.id, "a"));
  EXPECT_TRUE(projects_.ensure("acme", "b", bob_.id, false));
  const Result<Project> refused = insert(acme_.id, "c");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kPermissionDenied);
  EXPECT_EQ(refused.error().reason(), "project_limit");
  EXPECT_NE(refused.error().message().find("limits.projects_per_team"), std::string::npos);
  const auto ensured = projects_.ensure("acme", "c", bob_.id, false);
  ASSERT_FALSE(ensured);
  EXPECT_EQ(ensured.error().reason(), "project_limit");
  EXPECT_TRUE(projects_.ensure("acme", "a", bob_.id, false)) << "exists already";
  EXPECT_EQ(insert(acme_.id, "a").error().reason(), "project_name_taken");
  EXPECT_TRUE(insert(team("other", ann_).id, "c")) << "another team has its own";
  EXPECT_TRUE(projects_.ensure("fresh", "c", ann_.id, true)) << "so has a new one";
  ASSERT_TRUE(projects_.remove(projects_.find("acme", "a")->id));
  EXPECT_TRUE(insert(acme_.id, "c")) << "a deleted project makes room";
  ASSERT_TRUE(QuotaRepository(*database_).setProjectsPerTeam(1));
  EXPECT_FALSE(insert(acme_.id, "d"));
  EXPECT_TRUE(projects_.ensure("acme", "b", bob_.id, false)) << "existing ones stay usable";
  ASSERT_TRUE(QuotaRepository(*database_).setProjectsPerTeam(0));
  EXPECT_TRUE(insert(acme_.id, "d")) << "no limit";
}

TEST_P(ProjectRepositoryTest, EnforcesTheQuotaForConcurrentWrites) {
  ASSERT_TRUE(QuotaRepository(*database_).setProjectsPerTeam(3));
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> writers;
    writers.reserve(8);
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&, i] {
        if (projects_.ensure("acme", "p" + std::to_string(i), bob_.id, false)) ++made;
      });
    }
  }
  EXPECT_EQ(made, 3);
  const auto all = projects_.list(acme_.id, ann_.id, true, {.limit = 50, .after = ""});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->items.size(), 3U);
}

SPINDLE_ON_BOTH_ENGINES(ProjectRepositoryTest);

}  // namespace
}  // namespace spindle::identity
