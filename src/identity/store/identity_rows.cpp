#include "identity/store/identity_rows.h"

#include <optional>
#include <string>

#include "identity/types/names.h"
#include "storage/database/columns.h"

namespace spindle::identity {
namespace {

using storage::Columns, storage::Row, storage::Session;

UserKind storedKindOf(std::string_view text) {
  return text == textOf(UserKind::kService) ? UserKind::kService : UserKind::kUser;
}
// An unknown text gives the fewest permissions.
TtlPermission storedTtlPermissionOf(std::string_view text) {
  return ttlPermissionOf(text).value_or(TtlPermission::kAdmins);
}
Visibility storedVisibilityOf(std::string_view text) {
  return visibilityOf(text).value_or(Visibility::kRestricted);
}

/// The columns that have the same form in the table and in User.
const Columns<User>& userColumns() {
  static const Columns<User> columns{{"id", &User::id},
                                     {"username", &User::username},
                                     {"email", &User::email},
                                     {"name", &User::name},
                                     {"kind", &User::kind, storedKindOf, textOf},
                                     {"organization_admin", &User::organization_admin},
                                     {"suspended", &User::suspended},
                                     {"description", &User::description},
                                     {"team_id", &User::team_id},
                                     {"version", &User::version},
                                     {"created_at", &User::created_at},
                                     {"updated_at", &User::updated_at}};
  return columns;
}

SqlText selectedUserColumns() { return userColumns().list("u") + ", u.scope"; }

User userAt(const Row& row) {
  User user = userColumns().read(row);
  if (const std::optional<std::string> scope = row.optionalText("scope")) {
    user.scope =
        *scope == textOf(ServiceScope::kTeam) ? ServiceScope::kTeam : ServiceScope::kOrganization;
  }
  return user;
}

const Columns<Team>& teamColumns() {
  static const Columns<Team> columns{
      {"id", &Team::id},
      {"name", &Team::name},
      {"default_artifact_ttl_days", &Team::default_artifact_ttl_days},
      {"ttl_permission", &Team::ttl_permission, storedTtlPermissionOf, textOf},
      {"version", &Team::version},
      {"created_at", &Team::created_at},
      {"updated_at", &Team::updated_at}};
  return columns;
}

/// The columns as kMembershipColumns names them: a row also has columns of the user or the team.
const Columns<Membership>& membershipColumns() {
  static const Columns<Membership> columns{{"membership_id", &Membership::id},
                                           {"member_team_id", &Membership::team_id},
                                           {"member_user_id", &Membership::user_id},
                                           {"role", &Membership::role, storedRoleOf, textOf},
                                           {"pending", &Membership::pending},
                                           {"confirmed", &Membership::confirmed},
                                           {"member_version", &Membership::version},
                                           {"member_created_at", &Membership::created_at},
                                           {"member_updated_at", &Membership::updated_at}};
  return columns;
}
constexpr SqlView kMembershipColumns =
    "m.id AS membership_id, m.team_id AS member_team_id, m.user_id AS member_user_id, m.role, "
    "m.pending, m.confirmed, m.version AS member_version, m.created_at AS member_created_at, "
    "m.updated_at AS member_updated_at";

const Columns<Project>& projectColumns() {
  static const Columns<Project> columns{
      {"id", &Project::id},
      {"team_id", &Project::team_id},
      {"name", &Project::name},
      {"visibility", &Project::visibility, storedVisibilityOf, textOf},
      {"description", &Project::description},
      {"version", &Project::version},
      {"created_at", &Project::created_at},
      {"updated_at", &Project::updated_at}};
  return columns;
}

ProjectMember projectMemberAt(const Row& row) {
  ProjectMember member;
  member.user_id = row.text("user_id");
  member.username = row.text("username");
  member.team_role = storedRoleOf(row.text("team_role"));
  if (const std::optional<std::string> role = row.optionalText("override_role")) {
    member.override_role = storedRoleOf(*role);
  }
  member.added = !row.isNull("added");
  return member;
}

const Columns<ApiKey>& apiKeyColumns() {
  static const Columns<ApiKey> columns{{"id", &ApiKey::id},
                                       {"owner_id", &ApiKey::owner_id},
                                       {"key_id", &ApiKey::key_id},
                                       {"name", &ApiKey::name},
                                       {"created_at", &ApiKey::created_at},
                                       {"expires_at", &ApiKey::expires_at},
                                       {"last_used_at", &ApiKey::last_used_at}};
  return columns;
}

const Columns<UserSession>& sessionColumns() {
  static const Columns<UserSession> columns{{"id", &UserSession::id},
                                            {"user_id", &UserSession::user_id},
                                            {"api_key_id", &UserSession::api_key_id},
                                            {"client", &UserSession::client},
                                            {"address", &UserSession::address},
                                            {"created_at", &UserSession::created_at},
                                            {"expires_at", &UserSession::expires_at},
                                            {"last_used_at", &UserSession::last_used_at}};
  return columns;
}

}  // namespace

TeamRole storedRoleOf(std::string_view text) {
  return teamRoleOf(text).value_or(TeamRole::kViewer);
}

const RowQuery<User>& selectUsers() {
  static const RowQuery<User> users("SELECT " + selectedUserColumns() + " FROM users u", userAt,
                                    "User not found");
  return users;
}

const RowQuery<Team>& selectTeams() {
  static const RowQuery<Team> teams(
      "SELECT " + teamColumns().list("t") + " FROM teams t",
      [](const Row& row) { return teamColumns().read(row); }, "Team not found");
  return teams;
}

const RowQuery<Member>& selectMembers() {
  static const RowQuery<Member> members(
      "SELECT " + selectedUserColumns() + ", " + kMembershipColumns +
          " FROM memberships m JOIN users u ON u.id = m.user_id",
      [](const Row& row) {
        return Member{membershipColumns().read(row), userAt(row)};
      },
      "Member not found");
  return members;
}

const RowQuery<TeamOfUser>& selectTeamsOfUsers() {
  static const RowQuery<TeamOfUser> teams(
      "SELECT " + teamColumns().list("t") + ", " + kMembershipColumns +
          " FROM memberships m JOIN teams t ON t.id = m.team_id",
      [](const Row& row) {
        return TeamOfUser{teamColumns().read(row), membershipColumns().read(row)};
      },
      "Team not found");
  return teams;
}

const RowQuery<Project>& selectProjects() {
  static const RowQuery<Project> projects(
      "SELECT t.name AS team_name, " + projectColumns().list("p") +
          " FROM projects p JOIN teams t ON t.id = p.team_id",
      [](const Row& row) {
        Project project = projectColumns().read(row);
        project.team_name = row.text("team_name");
        return project;
      },
      "Project not found");
  return projects;
}

const RowQuery<ProjectMember>& selectProjectMembers() {
  static const RowQuery<ProjectMember> members(
      "SELECT u.id AS user_id, u.username, m.role AS team_role, r.role AS override_role, "
      "r.user_id AS added FROM projects p JOIN memberships m ON m.team_id = p.team_id "
      "JOIN users u ON u.id = m.user_id "
      "LEFT JOIN project_roles r ON r.project_id = p.id AND r.user_id = m.user_id",
      projectMemberAt, "Member not found");
  return members;
}

const RowQuery<ApiKey>& selectApiKeys() {
  static const RowQuery<ApiKey> keys(
      "SELECT " + apiKeyColumns().list("k") + " FROM api_keys k",
      [](const Row& row) { return apiKeyColumns().read(row); }, "API key not found");
  return keys;
}

const RowQuery<UserSession>& selectSessions() {
  static const RowQuery<UserSession> sessions(
      "SELECT " + sessionColumns().list("s") + " FROM user_sessions s",
      [](const Row& row) { return sessionColumns().read(row); }, "Session not found");
  return sessions;
}

Result<User> findUser(Session& session, std::string_view id) {
  return selectUsers().one(session, "WHERE u.id = ?", {id});
}

Result<void> insertRow(Session& session, const User& user) {
  std::optional<std::string> email_key;
  if (user.email) email_key = foldCase(*user.email);
  std::optional<std::string> scope;
  if (user.scope) scope = std::string(textOf(*user.scope));
  TRY(session.execute(userColumns().insertInto("users", {"scope", "username_key", "email_key"}),
                      userColumns().valuesOf(user, {scope, foldCase(user.username), email_key})));
  return {};
}

Result<void> insertRow(Session& session, const Team& team) {
  TRY(session.execute(teamColumns().insertInto("teams"), teamColumns().valuesOf(team)));
  return {};
}

Result<void> insertRow(Session& session, const Membership& membership) {
  TRY(session.execute(
      "INSERT INTO memberships (id, team_id, user_id, role, pending, confirmed, version, "
      "created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      membershipColumns().valuesOf(membership)));
  return {};
}

Result<void> insertRow(Session& session, const Project& project) {
  TRY(session.execute(projectColumns().insertInto("projects"), projectColumns().valuesOf(project)));
  return {};
}

Result<void> insertRow(Session& session, const ApiKey& key, std::string_view digest) {
  TRY(session.execute(apiKeyColumns().insertInto("api_keys", {"digest"}),
                      apiKeyColumns().valuesOf(key, {digest})));
  return {};
}

Result<void> insertRow(Session& session, const UserSession& made, std::string_view digest) {
  TRY(session.execute(sessionColumns().insertInto("user_sessions", {"digest"}),
                      sessionColumns().valuesOf(made, {digest})));
  return {};
}

}  // namespace spindle::identity
