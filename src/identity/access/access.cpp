#include "identity/access/access.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "identity/types/names.h"

namespace spindle::identity {
namespace {

constexpr std::size_t kMaxCachedKey = 1024;

Error teamNotFound() { return Error::notFound("Team not found"); }
Error projectNotFound() { return Error::notFound("Project not found"); }
Error denied() { return Error::denied("You are not allowed to do this."); }

bool isLost(const Error& error) {
  return error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kPermissionDenied ||
         error.code() == ErrorCode::kUnauthenticated;
}

Roles organizationRoles(const AccessFacts& facts) {
  return facts.organization_admin ? Roles(Role::kOrganizationAdmin) : Roles();
}

/// Returns the role in the team, assigned or implied.
std::optional<TeamRole> teamRole(const AccessFacts& facts) {
  if (facts.organization_admin) return TeamRole::kAdmin;
  if (!facts.membership && facts.organization_service && facts.team_id) {
    return TeamRole::kMember;
  }
  return facts.membership;
}

Roles teamRoles(const AccessFacts& facts) {
  const std::optional<TeamRole> role = teamRole(facts);
  return organizationRoles(facts) | (role ? rolesOf(*role) : Roles());
}

Roles projectRoles(const AccessFacts& facts) {
  const ProjectRoleFacts place{teamRole(facts), facts.visibility, facts.added, facts.override_role};
  return organizationRoles(facts) | rolesInProject(place);
}

ProjectAccess accessTo(const AccessFacts& facts, Roles roles) {
  return {facts.team_id.value_or(""), facts.project_id.value_or(""), roles};
}

}  // namespace

Result<std::shared_ptr<const AccessFacts>> Access::facts(std::string_view user_id,
                                                         std::string_view team,
                                                         std::string_view project) {
  // Line ends separate the parts: no existing user id, team name or project name contains one.
  std::string key;
  key.reserve(user_id.size() + team.size() + project.size() + 2);
  key.append(user_id).append("\n").append(team).append("\n").append(project);
  const std::optional<std::uint64_t> token = access_facts_.changeToken();
  if (token) {
    if (std::shared_ptr<const AccessFacts> known = cache_.find(key, *token)) return known;
  }
  AccessFacts found = TRY(access_facts_.find(user_id, team, project));
  auto facts = std::make_shared<const AccessFacts>(std::move(found));
  // Names that are too long to exist are not cached, to save memory.
  if (token && key.size() <= kMaxCachedKey) cache_.put(key, *token, facts);
  return facts;
}

Result<void> Access::requireInOrganization(std::string_view user_id, Action action) {
  const std::shared_ptr<const AccessFacts> found = TRY(facts(user_id, {}, {}));
  if (!allows(action, organizationRoles(*found))) return denied();
  return {};
}

Result<bool> Access::isOrganizationAdmin(std::string_view user_id) {
  const std::shared_ptr<const AccessFacts> found = TRY(facts(user_id, {}, {}));
  return found->organization_admin;
}

Result<TeamAccess> Access::findTeam(std::string_view user_id, std::string_view team) {
  const std::shared_ptr<const AccessFacts> found = TRY(facts(user_id, team, {}));
  const std::optional<TeamRole> role = teamRole(*found);
  if (!found->team_id || !role) return teamNotFound();
  return TeamAccess{*found->team_id, teamRoles(*found), *role == TeamRole::kAdmin};
}

Result<TeamAccess> Access::requireInTeam(std::string_view user_id,
                                         std::string_view team,
                                         Action action) {
  Result<TeamAccess> access = findTeam(user_id, team);
  if (access && !allows(action, access->roles)) return denied();
  return access;
}

Result<ProjectAccess> Access::requireInProject(std::string_view user_id,
                                               std::string_view team,
                                               std::string_view project,
                                               Action action,
                                               bool own) {
  const std::shared_ptr<const AccessFacts> found = TRY(facts(user_id, team, project));
  if (!found->project_id) return projectNotFound();
  const Roles roles = projectRoles(*found);
  if (!allows(Action::kReadProject, roles)) return projectNotFound();
  if (!allows(action, roles, own)) return denied();
  return accessTo(*found, roles);
}

Result<ProjectAccess> Access::requireForJob(std::string_view user_id,
                                            std::string_view project_id,
                                            std::string_view name,
                                            Action action) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  Result<ProjectAccess> access = requireInProject(
      user_id, name.substr(0, slash), name.substr(std::min(slash + 1, name.size())), action);
  if (access ? access->project_id == project_id : !isLost(access.error())) return access;
  return Error::denied("The user who started this job may no longer change the project.");
}

Result<ProjectAccess> Access::readProject(std::string_view user_id,
                                          std::string_view team,
                                          std::string_view project) {
  const std::shared_ptr<const AccessFacts> found = TRY(facts(user_id, team, project));
  const bool exists = found->project_id.has_value();
  const Roles roles = exists ? projectRoles(*found) : teamRoles(*found);
  if (!allows(exists ? Action::kReadProject : Action::kWriteProject, roles)) {
    return projectNotFound();
  }
  return accessTo(*found, roles);
}

Result<ProjectAccess> Access::readProject(std::string_view user_id, std::string_view name) {
  const ProjectName split = TRY(splitProjectName(name));
  return readProject(user_id, split.entity, split.project);
}

Result<ProjectAccess> Access::writeProject(std::string_view user_id,
                                           std::string_view team,
                                           std::string_view project) {
  const std::shared_ptr<const AccessFacts> found = TRY(facts(user_id, team, project));
  if (found->project_id) {
    const Roles roles = projectRoles(*found);
    if (!allows(Action::kReadProject, roles)) return projectNotFound();
    if (!allows(Action::kWriteProject, roles)) return denied();
    return accessTo(*found, roles);
  }
  const Roles roles = teamRoles(*found);
  if (!allows(Action::kWriteProject, roles)) {
    return found->team_id && !roles.empty() ? denied() : projectNotFound();
  }
  const ProjectRepository::EnsuredProject place =
      TRY(projects_.ensure(team, project, user_id, found->organization_admin));
  return ProjectAccess{place.team_id, place.project_id, roles};
}

Result<ProjectAccess> Access::writeProject(std::string_view user_id, std::string_view name) {
  const ProjectName split = TRY(splitProjectName(name));
  return writeProject(user_id, split.entity, split.project);
}

}  // namespace spindle::identity
