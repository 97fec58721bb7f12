#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "http/route.h"

namespace spindle::http {
class Router;
}

namespace spindle::identity {

class Access;
class ProjectRepository;
class UserRepository;

/// What the routes work with. Everything must outlive the router.
struct ProjectServices {
  ProjectRepository& projects;
  UserRepository& users;
  Access& access;
  /// Asked before a project goes, with its id: what others have promised elsewhere may hold it
  /// back (kConflict), or is taken back now.
  std::function<Result<void>(std::string_view project_id)> prepare_removal;
};

/// Adds /api/v1/projects and the members of projects.
void addProjectRoutes(http::Router& router,
                      const ProjectServices& services,
                      const http::RoutePolicy& policy);

}  // namespace spindle::identity
