#include "tracing/routes/tracing_api.h"

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/store/user_repository.h"
#include "tracing/routes/call_presenter.h"

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

PresenterPorts presenterPorts(const TracingServices& services) {
  PresenterPorts ports{services.calls, services.ref_values};
  ports.username = [&users =
                        services.users](std::string_view id) -> Result<std::optional<std::string>> {
    Result<identity::User> user = users.find(id);
    if (user) return std::optional<std::string>(user->username);
    if (user.error().code() == ErrorCode::kNotFound) return std::optional<std::string>();
    return std::move(user).error();
  };
  ports.prices = services.prices;
  ports.feedback = services.feedback;
  return ports;
}

void addCallRoutes(const TracingRoutes& routes) {
  addCallWriteRoutes(routes);
  addCallReadRoutes(routes);
  addCallListRoutes(routes);
}

}  // namespace spindle::tracing
