#include "identity/store/team_repository.h"

#include <utility>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/types/names.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

Result<Team> findTeam(Session& session, std::string_view name) {
  return selectTeams().one(session, "WHERE t.name = ?", {name});
}

Result<Member> findMemberIn(Session& session, std::string_view team_id, std::string_view user_id) {
  return selectMembers().one(session, "WHERE m.team_id = ? AND m.user_id = ?", {team_id, user_id});
}

/// Checks that the team keeps an admin who is a person: nobody can take over a service account.
Result<void> checkAnotherAdmin(Session& session, const Member& leaving) {
  if (leaving.membership.role != TeamRole::kAdmin || leaving.membership.pending ||
      leaving.user.kind == UserKind::kService) {
    return {};
  }
  const std::optional<Row> others = TRY(session.queryOne(
      "SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.team_id = ? AND "
      "m.user_id <> ? AND m.role = 'ADMIN' AND m.pending = 0 AND u.kind = 'user'",
      {leaving.membership.team_id, leaving.user.id}));
  if (others->integer(0) > 0) return {};
  return Error::conflict("The team needs an admin.").because("last_admin");
}

/// Checks that this user can have this role in the team.
Result<void> checkRole(const User& user, std::string_view team_id, TeamRole role) {
  if (user.kind != UserKind::kService) return {};
  if (role == TeamRole::kViewer) {
    return Error::conflict("A service account cannot be a viewer.").because("service_account_role");
  }
  if (user.team_id && *user.team_id != team_id) {
    return Error::conflict("The service account belongs to another team.").because("other_team");
  }
  return {};
}

/// Records a change of a member, or of its service account.
Result<void> recordMemberChange(Session& session,
                                std::string_view action,
                                std::string_view team_id,
                                const User& user,
                                TeamRole role,
                                Timestamp now) {
  return recordChange(session,
                      {.action = action,
                       .target_id = user.id,
                       .target_name = user.username,
                       .team_id = team_id,
                       .details = {{"role", std::string(textOf(role))}}},
                      now);
}

Result<void> recordTeamChange(Session& session,
                              std::string_view action,
                              const Team& team,
                              Timestamp now) {
  return recordChange(
      session,
      {.action = action, .target_id = team.id, .target_name = team.name, .team_id = team.id}, now);
}

Result<Member> changeRole(Session& session,
                          const Member& member,
                          TeamRole role,
                          const IfVersion& if_version,
                          AddedBy changed_by,
                          Timestamp now) {
  const Membership& membership = member.membership;
  TRY(checkVersion(if_version, membership.version));
  const bool confirmed = membership.confirmed || changed_by == AddedBy::kOrganization;
  if (membership.role == role && !membership.pending && membership.confirmed == confirmed) {
    return member;
  }
  if (role != TeamRole::kAdmin) {
    TRY(checkAnotherAdmin(session, member));
  }
  TRY(session.execute(
      "UPDATE memberships SET role = ?, pending = 0, confirmed = ?, version = version + 1, "
      "updated_at = ? WHERE id = ?",
      {textOf(role), confirmed, now, membership.id}));
  TRY(recordMemberChange(session, "team_member.update", membership.team_id, member.user, role,
                         now));
  return findMemberIn(session, membership.team_id, membership.user_id);
}

}  // namespace

Result<Membership> insertMembership(Session& session,
                                    std::string_view team_id,
                                    std::string_view user_id,
                                    TeamRole role,
                                    Timestamp now,
                                    AddedBy added_by) {
  Membership membership;
  membership.id = newPrefixedId("mem_", now);
  membership.team_id = std::string(team_id);
  membership.user_id = std::string(user_id);
  membership.role = role;
  membership.confirmed = added_by == AddedBy::kOrganization;
  membership.created_at = membership.updated_at = now;
  TRY(insertRow(session, membership));
  return membership;
}

Result<Team> insertTeam(Session& session,
                        std::string_view name,
                        std::string_view admin_user_id,
                        Timestamp now) {
  Team team;
  team.id = newPrefixedId("team_", now);
  team.name = std::string(name);
  team.created_at = team.updated_at = now;
  TRY(insertRow(session, team));
  TRY(insertMembership(session, team.id, admin_user_id, TeamRole::kAdmin, now));
  TRY(recordTeamChange(session, "team.create", team, now));
  return team;
}

Result<Team> TeamRepository::insert(std::string_view name, std::string_view admin_user_id) {
  if (!isTeamName(name)) {
    return Error::invalidArgument(
        "A team name has 1 to 64 lower-case letters, digits, underscores and hyphens, and begins "
        "with a letter or digit.");
  }
  return database_.write([&](Session& session) -> Result<Team> {
    TRY(findUser(session, admin_user_id));
    const Result<Team> taken = findTeam(session, name);
    if (taken) return Error::conflict("This team name is taken.").because("team_name_taken");
    return insertTeam(session, name, admin_user_id, clock_.now());
  });
}

Result<Team> TeamRepository::findByName(std::string_view name) {
  return database_.read([&](Session& session) { return findTeam(session, name); });
}

Result<Page<Team>> TeamRepository::list(const std::optional<std::string>& user_id,
                                        const PageRequest& page) {
  if (!user_id) {
    return selectTeams().page(database_, "WHERE t.id < ? ORDER BY t.id DESC LIMIT ?", {}, page);
  }
  return selectTeams().page(database_,
                            "JOIN memberships m ON m.team_id = t.id WHERE m.user_id = ? "
                            "AND m.pending = 0 AND t.id < ? ORDER BY t.id DESC LIMIT ?",
                            {*user_id}, page);
}

Result<Team> TeamRepository::update(std::string_view name,
                                    const TeamChange& change,
                                    IfVersion if_version) {
  if (change.default_artifact_ttl_days && change.default_artifact_ttl_days->value_or(1) <= 0) {
    return Error::invalidArgument("The time to live must be at least one day.");
  }
  return database_.write([&](Session& session) -> Result<Team> {
    Team team = TRY(findTeam(session, name));
    TRY(checkVersion(if_version, team.version));
    if (change.default_artifact_ttl_days) {
      team.default_artifact_ttl_days = *change.default_artifact_ttl_days;
    }
    if (change.ttl_permission) team.ttl_permission = *change.ttl_permission;
    TRY(session.execute(
        "UPDATE teams SET default_artifact_ttl_days = ?, ttl_permission = ?, "
        "version = version + 1, updated_at = ? WHERE id = ?",
        {team.default_artifact_ttl_days, textOf(team.ttl_permission), clock_.now(), team.id}));
    TRY(recordTeamChange(session, "team.update", team, clock_.now()));
    return findTeam(session, name);
  });
}

Result<void> TeamRepository::remove(std::string_view name, bool force, IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const Team team = TRY(findTeam(session, name));
    TRY(checkVersion(if_version, team.version));
    if (!force) {
      const std::optional<Row> project =
          TRY(session.queryOne("SELECT id FROM projects WHERE team_id = ? LIMIT 1", {team.id}));
      if (project.has_value()) {
        return Error::conflict("The team still has projects.").because("not_empty");
      }
    }
    TRY(recordTeamChange(session, "team.delete", team, clock_.now()));
    TRY(session.execute("DELETE FROM teams WHERE id = ?", {team.id}));
    return {};
  });
}

Result<Page<Member>> TeamRepository::members(std::string_view team_id, const PageRequest& page) {
  return selectMembers().page(
      database_, "WHERE m.team_id = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?", {team_id}, page,
      [](const Member& member) { return member.membership.id; });
}

Result<Member> TeamRepository::findMember(std::string_view team_id, std::string_view user_id) {
  return database_.read([&](Session& session) { return findMemberIn(session, team_id, user_id); });
}

Result<TeamRepository::PutMemberResult> TeamRepository::putMember(std::string_view team_id,
                                                                  std::string_view user_id,
                                                                  TeamRole role,
                                                                  IfVersion if_version,
                                                                  AddedBy added_by) {
  return database_.write([&](Session& session) -> Result<PutMemberResult> {
    const User user = TRY(findUser(session, user_id));
    TRY(checkRole(user, team_id, role));
    const Result<Member> member = findMemberIn(session, team_id, user_id);
    if (member) {
      Member changed = TRY(changeRole(session, *member, role, if_version, added_by, clock_.now()));
      return PutMemberResult{std::move(changed), false};
    }
    if (member.error().code() != ErrorCode::kNotFound) return member.error();
    if (if_version) return Error(ErrorCode::kPreconditionFailed, "There is no such member yet.");
    const Timestamp now = clock_.now();
    const Membership added = TRY(insertMembership(session, team_id, user_id, role, now, added_by));
    TRY(recordMemberChange(session, "team_member.add", team_id, user, role, now));
    return PutMemberResult{{added, user}, true};
  });
}

Result<void> TeamRepository::removeMember(std::string_view team_id,
                                          std::string_view user_id,
                                          IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const Member member = TRY(findMemberIn(session, team_id, user_id));
    TRY(checkVersion(if_version, member.membership.version));
    TRY(checkAnotherAdmin(session, member));
    const bool own_account = member.user.team_id == team_id;
    TRY(recordMemberChange(session, own_account ? "service_account.delete" : "team_member.remove",
                           team_id, member.user, member.membership.role, clock_.now()));
    if (own_account) {
      TRY(session.execute("DELETE FROM users WHERE id = ?", {user_id}));
      return {};
    }
    TRY(session.execute(
        "DELETE FROM project_roles WHERE user_id = ? AND project_id IN (SELECT id FROM projects "
        "WHERE team_id = ?)",
        {user_id, team_id}));
    TRY(session.execute("DELETE FROM memberships WHERE id = ?", {member.membership.id}));
    return {};
  });
}

Result<std::vector<TeamOfUser>> TeamRepository::teamsOf(std::string_view user_id) {
  return selectTeamsOfUsers().all(database_, "WHERE m.user_id = ? ORDER BY m.id", {user_id});
}

}  // namespace spindle::identity
