#pragma once

#include <string>

#include "base/core/metrics.h"
#include "http/router/forward.h"
#include "http/router/static_assets.h"

namespace spindle::app {

/// Adds /health, /version, /metrics, and /docs with its files.
/// `metrics` and `documentation` must outlive the router.
void addSystemRoutes(http::Router& router,
                     MetricRegistry& metrics,
                     const http::StaticAssets& documentation);

/// Adds /openapi.json, which describes all routes added so far and itself.
void addOpenApiRoute(http::Router& router);

}  // namespace spindle::app
