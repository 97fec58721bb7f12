#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::app {

class ReferenceResolver;

/// Adds `GET /api/v1/resolve`. `resolver` must outlive the router.
void addResolveRoutes(http::Router& router,
                      const ReferenceResolver& resolver,
                      const http::RoutePolicy& policy);

}  // namespace spindle::app
