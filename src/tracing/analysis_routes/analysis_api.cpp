#include "tracing/analysis_routes/analysis_api.h"

namespace spindle::tracing {

void addAnalysisRoutes(const TracingRoutes& routes) {
  addCallSearchRoutes(routes);
  addCallStatsRoutes(routes);
  addCallFacetRoutes(routes);
  addUsageRoutes(routes);
  addThreadRoutes(routes);
}

}  // namespace spindle::tracing
