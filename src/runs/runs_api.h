#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"
#include "registry/routes/registry_api.h"

namespace spindle::http {
class RateLimiter;
}  // namespace spindle::http

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

using RunRoutes = http::RouteGroup<RunServices>;

/// Adds the routes below /api/v1/projects/{team}/{project}/runs.
void addRunsRoutes(RunRoutes routes);

// Parts of addRunsRoutes(), one source file each:
void addRunRoutes(RunRoutes routes);
void addRunStateRoutes(RunRoutes routes);
void addHistoryRoutes(RunRoutes routes);
void addLineageRoutes(RunRoutes routes);

}  // namespace spindle::runs
