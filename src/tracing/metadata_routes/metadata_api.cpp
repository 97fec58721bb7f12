#include "tracing/metadata_routes/metadata_api.h"

#include "http/router/route_group.h"

namespace spindle::tracing {

void addTracingMetadataRoutes(const TracingRoutes& routes) {
  addProjectSettingsRoutes(routes);
  addAnnotationQueueRoutes(routes);
  addAnnotationItemRoutes(routes);
}

}  // namespace spindle::tracing
