#pragma once

#include "agents/ingest/otlp_ingest.h"
#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::agents {

using OtlpRoutes = http::RouteGroup<OtlpServices>;

/// Adds the routes that OpenTelemetry exporters send to.
void addOtlpRoutes(const OtlpRoutes& routes);

}  // namespace spindle::agents
