#include "objects/store/caller_projects.h"

#include "identity/access/access.h"
#include "identity/store/project_repository.h"
#include "identity/types/names.h"

namespace spindle::objects {
namespace {

/// Returns nothing for kNotFound: a project that a caller cannot read does not exist for it.
template <class T>
Result<std::optional<T>> unlessMissing(Result<T> found) {
  if (found) return std::optional<T>(*std::move(found));
  if (found.error().code() == ErrorCode::kNotFound) return std::optional<T>();
  return std::move(found).error();
}

}  // namespace

void CallerProjects::addReadable(std::string_view external, std::string_view internal) {
  internal_.insert_or_assign(std::string(external), std::string(internal));
  external_.insert_or_assign(std::string(internal), std::string(external));
}

Result<std::optional<std::string>> CallerProjects::internalOf(std::string_view external) {
  if (const auto known = internal_.find(external); known != internal_.end()) return known->second;
  std::optional<std::string> id;
  if (const Result<identity::ProjectName> name = identity::splitProjectName(external)) {
    const std::optional<identity::ProjectAccess> access =
        TRY(unlessMissing(access_.readProject(user_id_, name->entity, name->project)));
    if (access && access->exists()) id = access->project_id;
  }
  return internal_.emplace(external, std::move(id)).first->second;
}

Result<std::optional<std::string>> CallerProjects::externalOf(std::string_view internal) {
  if (const auto known = external_.find(internal); known != external_.end()) return known->second;
  const std::optional<identity::Project> project = TRY(unlessMissing(projects_.findById(internal)));
  std::optional<std::string> name;
  if (project) {
    const std::optional<identity::ProjectAccess> access =
        TRY(unlessMissing(access_.readProject(user_id_, project->team_name, project->name)));
    if (access) name = project->team_name + "/" + project->name;
  }
  return external_.emplace(internal, std::move(name)).first->second;
}

}  // namespace spindle::objects
