#pragma once

#include <functional>
#include <string_view>

#include "base/core/result.h"
#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {

class Access;
class ProjectRepository;
class UserRepository;

/// Dependencies of the routes. All must outlive the router.
struct ProjectServices {
  ProjectRepository& projects;
  UserRepository& users;
  Access& access;
  /// Called with the project id before a project is deleted. Other areas prevent the deletion here
  /// (kConflict), or remove their links to the project.
  std::function<Result<void>(std::string_view project_id)> prepare_removal;
};

using ProjectRoutes = http::RouteGroup<ProjectServices>;

/// Adds /api/v1/projects and the members of projects.
void addProjectRoutes(ProjectRoutes routes);

}  // namespace spindle::identity
