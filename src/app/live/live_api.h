#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::app {

class LiveStreams;

/// Adds `GET /api/v1/stream`. `streams` must outlive the router.
void addLiveRoutes(http::Router& router, LiveStreams& streams, const http::RoutePolicy& policy);

}  // namespace spindle::app
