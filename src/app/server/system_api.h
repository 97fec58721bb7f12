#pragma once

#include <string>

#include "base/core/metrics.h"
#include "http/router/forward.h"
#include "http/router/static_assets.h"

namespace spindle::app {

class Readiness;

/// Adds /health, /health/ready, /version, /metrics, and /docs with its files.
/// All arguments must outlive the router.
void addSystemRoutes(http::Router& router,
                     MetricRegistry& metrics,
                     Readiness& readiness,
                     const http::StaticAssets& documentation);

/// Adds /openapi.json, which describes all routes added so far and itself.
void addOpenApiRoute(http::Router& router);

}  // namespace spindle::app
