#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"
#include "registry/routes/registry_api.h"
#include "tracing/routes/tracing_api.h"
#include "training/data/agent_traces.h"

namespace spindle::training {

class TrainingFileStore;

/// The dependencies of the export routes. All must outlive the router.
struct ExportServices {
  tracing::TracingServices tracing;
  registry::RegistryServices registry;
  TrainingFileStore& files;
  AgentTraces agents;
};

using ExportRoutes = http::RouteGroup<ExportServices>;

/// Adds /api/v1/trajectories.
void addTrajectoryRoutes(ExportRoutes routes);

}  // namespace spindle::training
