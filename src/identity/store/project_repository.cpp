#include "identity/store/project_repository.h"

#include <utility>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/store/quota_repository.h"
#include "identity/store/team_repository.h"
#include "identity/types/names.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

Result<Project> findProject(Session& session, std::string_view id) {
  return selectProjects().one(session, "WHERE p.id = ?", {id});
}

Error invalidProjectName() {
  return Error::invalidArgument(
      "A project name has 1 to 128 characters and none of / \\ # ? % : or line ends.");
}

Result<void> recordProjectChange(Session& session,
                                 std::string_view action,
                                 std::string_view id,
                                 std::string_view name,
                                 const ProjectDefinition& project,
                                 Timestamp now) {
  return recordChange(session,
                      {.action = action,
                       .target_id = id,
                       .target_name = name,
                       .project_id = id,
                       .details = {{"visibility", std::string(textOf(project.visibility))}}},
                      now);
}

/// Records a change of the role that a user has in a project.
Result<void> recordRoleChange(Session& session,
                              std::string_view project_id,
                              std::string_view user_id,
                              const std::optional<TeamRole>& role,
                              Timestamp now) {
  const User user = TRY(findUser(session, user_id));
  AuditChange change{.action = role ? "project_member.update" : "project_member.remove",
                     .target_id = user.id,
                     .target_name = user.username,
                     .project_id = project_id};
  if (role) change.details = {{"role", std::string(textOf(*role))}};
  return recordChange(session, change, now);
}

Result<void> insertProject(Session& session,
                           std::string_view id,
                           const NewProject& project,
                           Timestamp now) {
  TRY(checkProjectQuota(session, project.team_id));
  Project row;
  static_cast<ProjectDefinition&>(row) = static_cast<const ProjectDefinition&>(project);
  row.id = id;
  row.created_at = row.updated_at = now;
  TRY(insertRow(session, row));
  TRY(recordProjectChange(session, "project.create", id, row.name, row, now));
  if (project.visibility != Visibility::kRestricted) return {};
  TRY(session.execute(
      "INSERT INTO project_roles (project_id, user_id, role) SELECT ?, m.user_id, 'ADMIN' FROM "
      "memberships m WHERE m.team_id = ? AND m.user_id = ? AND m.role = 'MEMBER'",
      {id, project.team_id, project.creator_id}));
  return {};
}

}  // namespace

Result<Project> ProjectRepository::insert(const NewProject& project) {
  if (!isProjectName(project.name)) return invalidProjectName();
  return database_.write([&](Session& session) -> Result<Project> {
    const std::optional<Row> taken = TRY(session.queryOne(
        "SELECT id FROM projects WHERE team_id = ? AND name = ?", {project.team_id, project.name}));
    if (taken.has_value()) {
      return Error::conflict("This project name is taken.").because("project_name_taken");
    }
    const Timestamp now = clock_.now();
    const std::string id = newPrefixedId("prj_", now);
    TRY(insertProject(session, id, project, now));
    return findProject(session, id);
  });
}

Result<ProjectRepository::EnsuredProject> ProjectRepository::ensure(std::string_view team_name,
                                                                    std::string_view project_name,
                                                                    std::string_view creator_id,
                                                                    bool create_team) {
  if (!isProjectName(project_name)) return invalidProjectName();
  if (create_team && !isTeamName(team_name)) {
    return Error::invalidArgument("This cannot be the name of a team.");
  }
  return database_.write([&](Session& session) -> Result<EnsuredProject> {
    const Timestamp now = clock_.now();
    EnsuredProject ensured;
    const std::optional<Row> team =
        TRY(session.queryOne("SELECT id FROM teams WHERE name = ?", {team_name}));
    if (team.has_value()) {
      ensured.team_id = team->text("id");
    } else if (create_team) {
      const Team made = TRY(insertTeam(session, team_name, creator_id, now));
      ensured.team_id = made.id;
    } else {
      return Error::notFound("Project not found");
    }
    const std::optional<Row> project = TRY(session.queryOne(
        "SELECT id FROM projects WHERE team_id = ? AND name = ?", {ensured.team_id, project_name}));
    if (project.has_value()) {
      ensured.project_id = project->text("id");
      return ensured;
    }
    ensured.project_id = newPrefixedId("prj_", now);
    NewProject fresh;
    fresh.team_id = ensured.team_id;
    fresh.name = std::string(project_name);
    fresh.creator_id = std::string(creator_id);
    TRY(insertProject(session, ensured.project_id, fresh, now));
    return ensured;
  });
}

Result<Project> ProjectRepository::find(std::string_view team_name, std::string_view project_name) {
  return selectProjects().one(database_, "WHERE t.name = ? AND p.name = ?",
                              {team_name, project_name});
}

Result<Project> ProjectRepository::findById(std::string_view project_id) {
  return database_.read([&](Session& session) { return findProject(session, project_id); });
}

Result<Page<Project>> ProjectRepository::list(std::string_view team_id,
                                              std::string_view user_id,
                                              bool sees_all,
                                              const PageRequest& page) {
  return selectProjects().page(
      database_,
      "WHERE p.team_id = ? AND (? = 1 OR p.visibility <> 'RESTRICTED' OR EXISTS (SELECT 1 "
      "FROM project_roles r WHERE r.project_id = p.id AND r.user_id = ?)) AND p.id < ? "
      "ORDER BY p.id DESC LIMIT ?",
      {team_id, sees_all, user_id}, page);
}

Result<Page<Project>> ProjectRepository::listForUser(std::string_view user_id,
                                                     bool sees_all,
                                                     const PageRequest& page) {
  return selectProjects().page(
      database_,
      "WHERE (? = 1 OR EXISTS (SELECT 1 FROM memberships m WHERE m.team_id = p.team_id "
      "AND m.user_id = ? AND m.pending = 0 AND (m.role = 'ADMIN' "
      "OR p.visibility <> 'RESTRICTED' OR EXISTS (SELECT 1 FROM project_roles r "
      "WHERE r.project_id = p.id AND r.user_id = m.user_id)))) AND p.id < ? "
      "ORDER BY p.id DESC LIMIT ?",
      {sees_all, user_id}, page);
}

Result<Project> ProjectRepository::update(std::string_view project_id,
                                          const ProjectChange& change,
                                          IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<Project> {
    Project project = TRY(findProject(session, project_id));
    TRY(checkVersion(if_version, project.version));
    if (change.visibility) project.visibility = *change.visibility;
    if (change.description) project.description = *change.description;
    TRY(session.execute(
        "UPDATE projects SET visibility = ?, description = ?, version = version + 1, "
        "updated_at = ? WHERE id = ?",
        {textOf(project.visibility), project.description, clock_.now(), project_id}));
    TRY(recordProjectChange(session, "project.update", project_id, project.name, project,
                            clock_.now()));
    return findProject(session, project_id);
  });
}

Result<void> ProjectRepository::remove(std::string_view project_id, IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const Project project = TRY(findProject(session, project_id));
    TRY(checkVersion(if_version, project.version));
    TRY(recordProjectChange(session, "project.delete", project_id, project.name, project,
                            clock_.now()));
    TRY(session.execute("DELETE FROM projects WHERE id = ?", {project_id}));
    return {};
  });
}

Result<std::vector<ProjectMember>> ProjectRepository::members(std::string_view project_id) {
  return selectProjectMembers().all(
      database_, "WHERE p.id = ? AND r.user_id IS NOT NULL ORDER BY u.username_key", {project_id});
}

Result<Page<ProjectMember>> ProjectRepository::effectiveMembers(std::string_view project_id,
                                                                const PageRequest& page) {
  return selectProjectMembers().page(
      database_,
      "WHERE p.id = ? AND m.pending = 0 AND (p.visibility <> 'RESTRICTED' OR m.role = 'ADMIN' "
      "OR r.user_id IS NOT NULL) AND u.id < ? ORDER BY u.id DESC LIMIT ?",
      {project_id}, page, [](const ProjectMember& member) { return member.user_id; });
}

Result<ProjectMember> ProjectRepository::setRole(std::string_view project_id,
                                                 std::string_view user_id,
                                                 TeamRole role) {
  return database_.write([&](Session& session) -> Result<ProjectMember> {
    const Project project = TRY(findProject(session, project_id));
    if (project.visibility == Visibility::kOpen || project.visibility == Visibility::kPublic) {
      return Error::conflict("Only team and restricted projects have project roles.")
          .because("project_visibility");
    }
    const std::optional<Row> membership =
        TRY(session.queryOne("SELECT role FROM memberships WHERE team_id = ? AND user_id = ?",
                             {project.team_id, user_id}));
    if (!membership.has_value()) return Error::notFound("Member not found");
    const TeamRole team_role = storedRoleOf(membership->text("role"));
    if (team_role == TeamRole::kViewer && role != TeamRole::kViewer) {
      return Error::conflict("A viewer of the team stays a viewer in its projects.")
          .because("viewer_cannot_be_raised");
    }
    std::optional<std::string> stored;
    if (role != team_role) stored = std::string(textOf(role));
    TRY(
        session.execute("INSERT INTO project_roles (project_id, user_id, role) VALUES (?, ?, ?) "
                        "ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role",
                        {project_id, user_id, stored}));
    TRY(recordRoleChange(session, project_id, user_id, role, clock_.now()));
    return selectProjectMembers().one(session, "WHERE p.id = ? AND m.user_id = ?",
                                      {project_id, user_id});
  });
}

Result<void> ProjectRepository::removeRole(std::string_view project_id, std::string_view user_id) {
  return database_.write([&](Session& session) -> Result<void> {
    const std::int64_t removed = TRY(session.execute(
        "DELETE FROM project_roles WHERE project_id = ? AND user_id = ?", {project_id, user_id}));
    if (removed == 0) return Error::notFound("Member not found");
    return recordRoleChange(session, project_id, user_id, std::nullopt, clock_.now());
  });
}

}  // namespace spindle::identity
