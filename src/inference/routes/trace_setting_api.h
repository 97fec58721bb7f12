#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

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

using TraceSettingRoutes = http::RouteGroup<TraceSettingServices>;

/// Adds the routes GET and PUT `/api/v1/projects/{team}/{project}/completion-tracing`, which
/// control whether the completions of a project are recorded as calls.
void addTraceSettingRoutes(TraceSettingRoutes routes);

}  // namespace spindle::inference
