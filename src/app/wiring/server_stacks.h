#pragma once

#include <optional>

#include "app/console/reference_resolver.h"
#include "app/console/version_uses.h"
#include "app/live/live_relay.h"
#include "app/live/live_streams.h"
#include "app/nodes/readiness.h"
#include "app/traces/usage_rollup.h"
#include "app/wiring/agent_stack.h"
#include "app/wiring/automation_stack.h"
#include "app/wiring/components.h"
#include "app/wiring/evaluation_stack.h"
#include "app/wiring/gateway_stack.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/inference_stack.h"
#include "app/wiring/job_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/otlp_stack.h"
#include "app/wiring/registry_stack.h"
#include "app/wiring/run_stack.h"
#include "app/wiring/trace_store_stack.h"
#include "app/wiring/tracing_stack.h"
#include "app/wiring/training_stack.h"
#include "backup/backup_holds.h"
#include "inference/engines/engine_supervisor.h"
#include "pricing/price_cache.h"
#include "pricing/price_repository.h"

namespace spindle::app {

/// All stacks of the server. Members are constructed in the order in which they depend on each
/// other and destroyed in reverse; all arguments must outlive this object.
class ServerStacks {
 public:
  /// @throws std::runtime_error with a message for the operator.
  ServerStacks(const StackContext& context, IdentityStack& identity_stack, LocalUse& local_use);
  ServerStacks(const ServerStacks&) = delete;
  ServerStacks& operator=(const ServerStacks&) = delete;

  /// Adds the stacks that have threads or maintenance.
  void addTo(Components& components);
  /// Adds only the stacks with threads that a server needs to read, for one that changes nothing.
  void addReadersTo(Components& components);
  /// Returns the stores that requests need.
  std::vector<Readiness::Check> readinessChecks();
  /// Lets other nodes continue the jobs of a lost node.
  Result<void> giveBackWork(const std::string& node_id);

  IdentityStack& identity;
  ObjectStack objects;
  RegistryStack registry;
  pricing::PriceRepository prices;
  pricing::PriceCache price_cache;
  TraceStoreStack trace_stores;
  TracingStack tracing;
  OtlpStack otlp;
  AgentStack agents;
  EvaluationStack evaluations;
  AutomationStack automation;
  RunStack runs;
  InferenceStack inference;
  inference::EngineSupervisor engines;
  GatewayStack gateway;
  TrainingStack training;
  JobStack jobs;
  std::optional<UsageRollup> usage_rollup;  ///< only with usage in ClickHouse
  backup::BackupHolds backup_holds;
  LiveStreams live;
  LiveRelay live_relay;
  ReferenceResolver resolver;
  VersionUses version_uses;

 private:
  void addLiveTo(Components& components);

  const MaintenanceScope file_scope_;   ///< of files that no row refers to
  const MaintenanceScope trace_scope_;  ///< of rows of the trace stores
};

}  // namespace spindle::app
