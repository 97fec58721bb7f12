#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"
#include "identity/access/access.h"

namespace spindle::tracing {

class BulkJobs;

/// The dependencies of the handlers. All of them must outlive the router and be thread-safe.
struct BulkServices {
  identity::Access& access;
  const BulkJobs& jobs;
};

using BulkRoutes = http::RouteGroup<BulkServices>;

/// Adds the routes of bulk jobs, below `/api/v1/projects/{team}/{project}/bulk-jobs`.
void addBulkJobRoutes(BulkRoutes routes);

}  // namespace spindle::tracing
