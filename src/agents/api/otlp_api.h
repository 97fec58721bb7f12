#pragma once

#include "agents/ingest/otlp_ingest.h"
#include "http/router/route.h"

namespace spindle::http {
class Router;
}

namespace spindle::agents {

/// Adds the routes that OpenTelemetry exporters send to.
void addOtlpRoutes(http::Router& router,
                   const OtlpServices& services,
                   const http::RoutePolicy& policy);

}  // namespace spindle::agents
