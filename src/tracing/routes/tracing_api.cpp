#include "tracing/routes/tracing_api.h"

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/types/names.h"

namespace spindle::tracing {
namespace {

using Decide = Result<identity::ProjectAccess> (identity::Access::*)(std::string_view,
                                                                     std::string_view,
                                                                     std::string_view);

Result<ProjectScope> scopeOf(const TracingServices& services,
                             const http::Context& context,
                             std::string_view project,
                             Decide decide) {
  const identity::ProjectName name = TRY(identity::splitProjectName(project));
  const identity::ProjectAccess access =
      TRY((services.access.*decide)(context.caller().user_id, name.entity, name.project));
  return ProjectScope{access.project_id, std::string(project)};
}

}  // namespace

Result<ProjectScope> readableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project) {
  return scopeOf(services, context, project, &identity::Access::readProject);
}

Result<ProjectScope> writableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project) {
  return scopeOf(services, context, project, &identity::Access::writeProject);
}

void addTracingRoutes(TracingRoutes routes) {
  routes.setTag("calls");
  addCallWriteRoutes(routes);
  addCallReadRoutes(routes);
  addCallStatsRoutes(routes);
  addUsageRoutes(routes);
  addThreadRoutes(routes);
  addProjectSettingsRoutes(routes);
  addAnnotationQueueRoutes(routes);
  addAnnotationItemRoutes(routes);
}

}  // namespace spindle::tracing
