#pragma once

#include "http/router/route.h"

namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
}

namespace spindle::inference {

class TraceSettingRepository;

/// The services of the routes; all must outlive the router.
struct TraceSettingServices {
  identity::Access& access;
  TraceSettingRepository& settings;
};

/// Adds the routes GET and PUT `/api/v1/projects/{team}/{project}/completion-tracing`, which
/// control whether the completions of a project are recorded as calls.
void addTraceSettingRoutes(http::Router& router,
                           const TraceSettingServices& services,
                           const http::RoutePolicy& policy);

}  // namespace spindle::inference
