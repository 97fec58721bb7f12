#pragma once

#include "http/router/route.h"
#include "registry/routes/registry_api.h"

namespace spindle::http {
class RateLimiter;
class Router;
}  // namespace spindle::http
namespace spindle::identity {
class Access;
}
namespace spindle::runs {

class HistoryReader;
class HistoryRepository;
class LineageRepository;
class RunRepository;

/// The dependencies of the handlers. All of them must outlive the router.
struct RunServices {
  RunRepository& runs;
  HistoryRepository& history;
  HistoryReader& reader;
  LineageRepository& lineage;
  registry::RegistryServices registry;
  identity::Access& access;
  http::RateLimiter& row_limiter;  ///< limits rows per run
};

/// Adds the routes below /api/v1/projects/{team}/{project}/runs.
void addRunsRoutes(http::Router& router,
                   const RunServices& services,
                   const http::RoutePolicy& policy);

// Parts of addRunsRoutes(), one source file each:
void addRunRoutes(http::Router& router,
                  const RunServices& services,
                  const http::RoutePolicy& policy);
void addRunStateRoutes(http::Router& router,
                       const RunServices& services,
                       const http::RoutePolicy& policy);
void addHistoryRoutes(http::Router& router,
                      const RunServices& services,
                      const http::RoutePolicy& policy);
void addLineageRoutes(http::Router& router,
                      const RunServices& services,
                      const http::RoutePolicy& policy);

}  // namespace spindle::runs
