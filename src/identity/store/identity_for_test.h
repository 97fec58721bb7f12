#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/access_facts_repository.h"
#include "identity/store/api_key_repository.h"
#include "identity/store/audit_repository.h"
#include "identity/store/migrations.h"
#include "identity/store/preference_repository.h"
#include "identity/store/project_repository.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::identity {

/// Fixture with the repositories of this area on an empty database of the engine under test.
class IdentityTest : public ::testing::TestWithParam<storage::Engine> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override { database_->migrate(schemas(), clock_.now()); }

  /// Returns the areas whose tables the database has. Fixtures of higher areas add theirs.
  virtual std::vector<storage::AreaSchema> schemas() const { return {identitySchema()}; }
  /// Returns the areas of this fixture and an area above them.
  static std::vector<storage::AreaSchema> schemasAnd(storage::AreaSchema above) {
    return {identitySchema(), std::move(above)};
  }

  User person(const std::string& username, bool admin = false) {
    NewUser fresh;
    fresh.username = username;
    fresh.organization_admin = admin;
    Result<User> user = users_.insert(fresh);
    EXPECT_TRUE(user) << username;
    return *std::move(user);
  }
  Team team(const std::string& name, const User& admin) {
    Result<Team> team = teams_.insert(name, admin.id);
    EXPECT_TRUE(team) << name;
    return *std::move(team);
  }
  void join(const Team& team, const User& user, TeamRole role) {
    EXPECT_TRUE(teams_.putMember(team.id, user.id, role)) << user.username;
  }
  Project project(const Team& team,
                  const std::string& name,
                  const User& creator,
                  Visibility visibility = Visibility::kTeam) {
    NewProject fresh;
    fresh.team_id = team.id;
    fresh.name = name;
    fresh.visibility = visibility;
    fresh.creator_id = creator.id;
    Result<Project> made = projects_.insert(fresh);
    EXPECT_TRUE(made) << name;
    return *std::move(made);
  }
  IssuedKey key(const User& owner, const std::string& name) {
    NewApiKey fresh;
    fresh.owner_id = owner.id;
    fresh.name = name;
    Result<IssuedKey> issued = keys_.issue(fresh);
    EXPECT_TRUE(issued) << name;
    return *std::move(issued);
  }

  /// Creates a service account of a team, with its first key.
  ApiKeyRepository::NewAccount serviceAccount(const Team& team,
                                              const std::string& description,
                                              TeamRole role = TeamRole::kMember) {
    NewServiceAccount fresh;
    fresh.description = description;
    fresh.team_id = team.id;
    fresh.role = role;
    Result<ApiKeyRepository::NewAccount> made = keys_.issueForServiceAccount(fresh);
    EXPECT_TRUE(made) << description;
    return *std::move(made);
  }

  template <class T>
  static std::string reasonOf(const Result<T>& result) {
    return result ? "" : result.error().reason();
  }
  template <class T>
  static ErrorCode codeOf(const Result<T>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::kInternal : result.error().code();
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{GetParam()};
  UserRepository users_{*database_, clock_};
  TeamRepository teams_{*database_, clock_};
  ProjectRepository projects_{*database_, clock_};
  ApiKeyRepository keys_{*database_, clock_, sha256("test")};
  AccessFactsRepository access_facts_{*database_};
  AuditTrail audit_trail_{*database_, clock_};
  AuditRepository audit_{*database_};
  PreferenceRepository preferences_{*database_, clock_};
};

/// Fixture with two projects of one team.
class TwoProjectsTest : public IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    const User ada = person("ada");
    const Team research = team("research", ada);
    team_id_ = research.id;
    first_ = project(research, "first", ada).id;
    second_ = project(research, "second", ada).id;
  }

  std::string team_id_;
  std::string first_;   ///< the id of a project
  std::string second_;  ///< the id of another project
};

}  // namespace spindle::identity

#define SPINDLE_ON_BOTH_ENGINES(Suite)                          \
  INSTANTIATE_TEST_SUITE_P(                                     \
      Engines, Suite,                                           \
      ::testing::Values(::spindle::storage::Engine::kSqlite,    \
                        ::spindle::storage::Engine::kPostgres), \
      [](const auto& engine) { return ::spindle::storage::nameOfEngine(engine.param); })
