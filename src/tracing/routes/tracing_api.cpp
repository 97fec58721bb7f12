#include "tracing/routes/tracing_api.h"

#include "http/router/route_group.h"
#include "identity/access/access.h"

namespace spindle::tracing {
namespace {

Result<ProjectScope> scopeOf(const Result<identity::ProjectAccess>& access,
                             std::string_view project) {
  if (!access) return access.error();
  return ProjectScope{access->project_id, std::string(project)};
}

}  // namespace

Result<ProjectScope> readableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project) {
  return scopeOf(services.access.readProject(context.caller().user_id, project), project);
}

Result<ProjectScope> writableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project) {
  return scopeOf(services.access.writeProject(context.caller().user_id, project), project);
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
