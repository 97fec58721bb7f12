#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::cluster {
class Membership;
}
namespace spindle::identity {
class Access;
}

namespace spindle::app {

/// Adds `GET /api/v1/nodes`, for organization admins. All arguments must outlive the router.
void addNodeRoutes(http::Router& router,
                   cluster::Membership& membership,
                   identity::Access& access,
                   const http::RoutePolicy& policy);

}  // namespace spindle::app
