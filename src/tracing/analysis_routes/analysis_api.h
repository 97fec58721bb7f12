#pragma once

#include "tracing/routes/tracing_api.h"

namespace spindle::tracing {

/// Adds the routes that aggregate or search calls: statistics, facets, usage, threads, text search.
void addAnalysisRoutes(const TracingRoutes& routes);

// The groups of routes, one source file each:
void addCallSearchRoutes(const TracingRoutes& routes);
void addCallStatsRoutes(const TracingRoutes& routes);
void addCallFacetRoutes(const TracingRoutes& routes);
void addUsageRoutes(const TracingRoutes& routes);
void addThreadRoutes(const TracingRoutes& routes);

}  // namespace spindle::tracing
