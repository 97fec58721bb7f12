#pragma once

#include <string>

#include "base/metrics.h"
#include "http/static_assets.h"

namespace spindle::http {
class Router;
}

namespace spindle::app {

/// Adds /health, /version, /metrics and the pages: /docs with its files, and / which leads there.
/// `metrics` and `documentation` must outlive the router.
void addSystemRoutes(http::Router& router,
                     MetricRegistry& metrics,
                     const http::StaticAssets& documentation);

/// Adds /openapi.json, which describes every route the router has by now, itself included.
void addOpenApiRoute(http::Router& router);

}  // namespace spindle::app
