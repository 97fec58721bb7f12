#include "automation/rules/scope_access.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "registry/repositories/collection_repository.h"
#include "registry/repositories/registry_access.h"

namespace spindle::automation {
namespace {

using identity::ProjectAccess, identity::TeamAccess;
using registry::VisibleRegistry;

bool hides(const Error& error) {
  return error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kPermissionDenied;
}

Error denied() { return Error::denied("You are not allowed to do this."); }

template <class T>
Result<void> outcomeOf(const Result<T>& result) {
  if (!result) return result.error();
  return {};
}

}  // namespace

Result<bool> ScopeAccess::sees(std::string_view user_id, const Scope& scope) {
  if (scope.type == ScopeType::kOrganization) return ports_.access.isOrganizationAdmin(user_id);
  const Result<void> allowed = require(user_id, scope, Operation::kView);
  if (allowed) return true;
  return hides(allowed.error()) ? Result<bool>(false) : Result<bool>(allowed.error());
}

SeesScope ScopeAccess::seenBy(std::string_view user_id) const {
  const auto known = std::make_shared<std::map<std::string, bool>>();
  return [scopes = *this, known,
          user = std::string(user_id)](const Scope& scope) mutable -> Result<bool> {
    const std::string key = scope.team_id + "\n" + scope.project_id + "\n" + scope.registry_id;
    if (const auto found = known->find(key); found != known->end()) return found->second;
    const bool visible = TRY(scopes.sees(user, scope));
    known->emplace(key, visible);
    return visible;
  };
}

Result<void> ScopeAccess::requireView(std::string_view user_id, const Scope& scope) {
  if (!TRY(sees(user_id, scope))) return Error::notFound("Automation not found");
  return {};
}

Result<void> ScopeAccess::requireManage(std::string_view user_id, const Scope& scope) {
  TRY(requireView(user_id, scope));
  return require(user_id, scope, Operation::kManage);
}

Result<void> ScopeAccess::requireReplay(std::string_view user_id, const Scope& scope) {
  TRY(requireView(user_id, scope));
  return require(user_id, scope, Operation::kReplay);
}

Result<void> ScopeAccess::require(std::string_view user_id,
                                  const Scope& scope,
                                  Operation operation) {
  const auto action_of = [operation](identity::Action manage, identity::Action replay) {
    if (operation == Operation::kView) return identity::Action::kViewAutomations;
    return operation == Operation::kManage ? manage : replay;
  };
  if (scope.type == ScopeType::kOrganization) {
    return ports_.access.requireInOrganization(
        user_id, action_of(identity::Action::kManageOrganizationAutomation,
                           identity::Action::kReplayOrganizationDelivery));
  }
  if (scope.type == ScopeType::kTeam) {
    return outcomeOf(ports_.access.requireInTeam(
        user_id, scope.team,
        action_of(identity::Action::kManageTeamAutomation, identity::Action::kReplayDelivery)));
  }
  if (scope.registry_id.empty()) {
    TRY(ports_.access.findTeam(user_id, scope.team));
    return outcomeOf(ports_.access.requireInProject(
        user_id, scope.team, scope.project,
        action_of(identity::Action::kManageProjectAutomation, identity::Action::kReplayDelivery)));
  }
  const identity::Action manage = scope.type == ScopeType::kRegistry
                                      ? identity::Action::kManageRegistryAutomation
                                      : identity::Action::kManageRegistryCollectionAutomation;
  return outcomeOf(ports_.registries.require(user_id, scope.registry,
                                             action_of(manage, identity::Action::kReplayDelivery)));
}

Result<Scope> ScopeAccess::openCollection(Scope scope, const ScopeSpec& spec) {
  if (scope.type != ScopeType::kCollection) return scope;
  const std::string& owner_id = scope.registry_id.empty() ? scope.project_id : scope.registry_id;
  const registry::Collection collection =
      TRY(ports_.collections.find(owner_id, spec.collection.value_or("")));
  scope.collection_id = collection.id;
  scope.collection = collection.name;
  return scope;
}

Result<Scope> ScopeAccess::open(std::string_view user_id,
                                const ScopeSpec& spec,
                                MissingProject missing) {
  Scope scope;
  scope.type = scopeTypeOf(spec.type).value_or(ScopeType::kOrganization);
  if (scope.type == ScopeType::kOrganization) {
    TRY(require(user_id, scope, Operation::kManage));
    return scope;
  }
  if (spec.registry) {
    const VisibleRegistry entry = TRY(ports_.registries.find(user_id, *spec.registry));
    scope.registry_id = entry.registry.id;
    scope.registry = entry.registry.name;
    TRY(require(user_id, scope, Operation::kManage));
    return openCollection(std::move(scope), spec);
  }
  scope.team = spec.team.value_or("");
  const TeamAccess team = TRY(ports_.access.findTeam(user_id, scope.team));
  scope.team_id = team.team_id;
  if (scope.type != ScopeType::kTeam) {
    scope.project = spec.project.value_or("");
    Result<ProjectAccess> project = ports_.access.readProject(user_id, scope.team, scope.project);
    if (project && !project->exists()) {
      if (!allows(identity::Action::kManageProjectAutomation, project->roles)) return denied();
      if (missing == MissingProject::kLeave) return openCollection(std::move(scope), spec);
      project = ports_.access.writeProject(user_id, scope.team, scope.project);
    }
    if (!project) return project.error();
    scope.project_id = project->project_id;
  }
  TRY(require(user_id, scope, Operation::kManage));
  return openCollection(std::move(scope), spec);
}

}  // namespace spindle::automation
