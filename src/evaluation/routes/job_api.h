#pragma once

#include "http/router/route.h"
#include "tracing/routes/tracing_api.h"

namespace spindle::http {
class Router;
}

namespace spindle::evaluation {

class EvaluationJobs;

/// The dependencies of the handlers. All of them must outlive the router and be thread-safe.
struct JobServices {
  tracing::TracingServices tracing;
  const EvaluationJobs& jobs;
};

/// Adds the routes of evaluations that the server executes (tracing.md §6.7).
void addJobRoutes(http::Router& router,
                  const JobServices& services,
                  const http::RoutePolicy& policy);

}  // namespace spindle::evaluation
