#pragma once

#include "http/route.h"

namespace spindle {
class Clock;
}
namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
}

namespace spindle::inference {

class EngineSupervisor;

/// What the routes work with. Everything must outlive the router.
struct EngineServices {
  EngineSupervisor& engines;
  identity::Access& access;
  const Clock& clock;
};

/// Adds `GET /api/v1/engines` and `POST /api/v1/engines/{model}/unload`, for organization admins.
void addEngineRoutes(http::Router& router,
                     const EngineServices& services,
                     const http::RoutePolicy& policy);

}  // namespace spindle::inference
