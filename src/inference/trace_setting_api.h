#pragma once

#include "http/route.h"

namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
}

namespace spindle::inference {

class TraceSettingRepository;

/// What the routes work with. Everything must outlive the router.
struct TraceSettingServices {
  identity::Access& access;
  TraceSettingRepository& settings;
};

/// Adds GET and PUT `/api/v1/projects/{team}/{project}/completion-tracing`: whether completions
/// that count for the project become calls.
void addTraceSettingRoutes(http::Router& router,
                           const TraceSettingServices& services,
                           const http::RoutePolicy& policy);

}  // namespace spindle::inference
