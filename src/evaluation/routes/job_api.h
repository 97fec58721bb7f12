#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"
#include "tracing/routes/tracing_api.h"

namespace spindle::evaluation {

class EvaluationJobs;

/// The dependencies of the handlers. All of them must outlive the router and be thread-safe.
struct JobServices {
  tracing::TracingServices tracing;
  const EvaluationJobs& jobs;
};

using JobRoutes = http::RouteGroup<JobServices>;

/// Adds the routes of evaluations that the server executes (tracing.md §6.7).
void addJobRoutes(JobRoutes routes);

}  // namespace spindle::evaluation
