#pragma once

#include "http/router/route.h"

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

class AdapterQuarantineRepository;
class EngineSupervisor;

/// The services of the engine routes; all must outlive the router.
struct EngineServices {
  EngineSupervisor& engines;
  AdapterQuarantineRepository& quarantine;
  identity::Access& access;
  const Clock& clock;
};

/// Adds the routes `GET /api/v1/engines`, `POST /api/v1/engines/{model}/unload`,
/// `GET /api/v1/quarantined-adapters` and `DELETE /api/v1/quarantined-adapters/{id}`, for
/// organization admins.
void addEngineRoutes(http::Router& router,
                     const EngineServices& services,
                     const http::RoutePolicy& policy);

}  // namespace spindle::inference
