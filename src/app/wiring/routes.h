#pragma once

#include "app/wiring/server_stacks.h"
#include "http/router/forward.h"

namespace spindle::app {

/// Adds the routes of all areas. `stacks` must outlive the router.
void addAreaRoutes(http::Router& router, ServerStacks& stacks, const StackContext& context);

}  // namespace spindle::app
