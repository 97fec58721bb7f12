#include "automation/scope_access.h"

#include <utility>

namespace spindle::automation {
namespace {

using identity::Action;
using identity::ProjectAccess;
using identity::TeamAccess;

bool hides(const Error& error) {
  return error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kPermissionDenied;
}

Error denied() { return Error::denied("You are not allowed to do this."); }

}  // namespace

Result<bool> ScopeAccess::sees(std::string_view user_id, const Scope& scope) {
  if (scope.type == ScopeType::kOrganization) return access_.isOrganizationAdmin(user_id);
  const Result<TeamAccess> team = access_.findTeam(user_id, scope.team);
  if (!team) return hides(team.error()) ? Result<bool>(false) : Result<bool>(team.error());
  if (scope.type == ScopeType::kTeam) return allows(Action::kViewAutomations, team->roles);
  const Result<ProjectAccess> project =
      access_.requireInProject(user_id, scope.team, scope.project, Action::kViewAutomations);
  if (project) return true;
  return hides(project.error()) ? Result<bool>(false) : Result<bool>(project.error());
}

Result<void> ScopeAccess::requireView(std::string_view user_id, const Scope& scope) {
  const Result<bool> visible = sees(user_id, scope);
  if (!visible) return visible.error();
  if (!*visible) return Error::notFound("Automation not found");
  return {};
}

Result<void> ScopeAccess::requireManage(std::string_view user_id, const Scope& scope) {
  if (Result<void> visible = requireView(user_id, scope); !visible) return visible;
  return require(user_id, scope);
}

Result<void> ScopeAccess::require(std::string_view user_id, const Scope& scope) {
  if (scope.type == ScopeType::kOrganization) {
    return access_.requireInOrganization(user_id, Action::kManageOrganizationAutomation);
  }
  if (scope.type == ScopeType::kTeam) {
    const Result<TeamAccess> team =
        access_.requireInTeam(user_id, scope.team, Action::kManageTeamAutomation);
    if (!team) return team.error();
    return {};
  }
  const Result<ProjectAccess> project = access_.requireInProject(user_id, scope.team, scope.project,
                                                                 Action::kManageProjectAutomation);
  if (!project) return project.error();
  return {};
}

Result<Scope> ScopeAccess::open(std::string_view user_id, const ScopeSpec& spec) {
  Scope scope;
  scope.type = scopeTypeOf(spec.type).value_or(ScopeType::kOrganization);
  if (scope.type == ScopeType::kOrganization) {
    if (Result<void> allowed = require(user_id, scope); !allowed) return allowed.error();
    return scope;
  }
  scope.team = spec.team.value_or("");
  const Result<TeamAccess> team = access_.findTeam(user_id, scope.team);
  if (!team) return team.error();
  scope.team_id = team->team_id;
  if (scope.type == ScopeType::kProject) {
    scope.project = spec.project.value_or("");
    Result<ProjectAccess> project = access_.readProject(user_id, scope.team, scope.project);
    if (project && !project->exists()) {
      if (!allows(Action::kManageProjectAutomation, project->roles)) return denied();
      project = access_.writeProject(user_id, scope.team, scope.project);
    }
    if (!project) return project.error();
    scope.project_id = project->project_id;
  }
  if (Result<void> allowed = require(user_id, scope); !allowed) return allowed.error();
  return scope;
}

}  // namespace spindle::automation
