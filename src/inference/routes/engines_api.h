#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle {
class Clock;
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

using EngineRoutes = http::RouteGroup<EngineServices>;

/// Adds the routes `GET /api/v1/engines`, `POST /api/v1/engines/{model}/unload`,
/// `GET /api/v1/quarantined-adapters` and `DELETE /api/v1/quarantined-adapters/{id}`, for
/// organization admins.
void addEngineRoutes(EngineRoutes routes);

}  // namespace spindle::inference
