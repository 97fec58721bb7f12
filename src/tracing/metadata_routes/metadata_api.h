#pragma once

#include "tracing/routes/tracing_api.h"

namespace spindle::tracing {

/// Adds the routes of annotation queues and of the settings of projects.
void addTracingMetadataRoutes(const TracingRoutes& routes);

// The groups of routes, one source file each:
void addProjectSettingsRoutes(TracingRoutes routes);
void addAnnotationQueueRoutes(TracingRoutes routes);
void addAnnotationItemRoutes(TracingRoutes routes);

}  // namespace spindle::tracing
