#pragma once

#include "http/route.h"
#include "registry/registry_api.h"
#include "tracing/tracing_api.h"
#include "training/agent_traces.h"

namespace spindle::http {
class Router;
}

namespace spindle::training {

class TrainingFileStore;

/// The dependencies of the export routes. All must outlive the router.
struct ExportServices {
  tracing::TracingServices tracing;
  registry::RegistryServices registry;
  TrainingFileStore& files;
  AgentTraces agents;
};

/// Adds /api/v1/trajectories.
void addTrajectoryRoutes(http::Router& router,
                         const ExportServices& services,
                         const http::RoutePolicy& policy);

}  // namespace spindle::training
