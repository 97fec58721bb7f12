#pragma once

#include "app/wiring/identity_stack.h"
#include "app/wiring/registry_stack.h"
#include "app/wiring/trace_store_stack.h"
#include "http/router/rate_limiter.h"
#include "runs/history_reader.h"
#include "runs/history_repository.h"
#include "runs/history_store.h"
#include "runs/lineage_repository.h"
#include "runs/metric_observer.h"
#include "runs/run_repository.h"
#include "runs/runs_api.h"

namespace spindle::app {

/// Runs and their history. Members are constructed in this order and destroyed in reverse; all
/// arguments must outlive this object.
class RunStack {
 public:
  /// `watch` may be null: then no automation watches metrics.
  RunStack(const StackContext& context,
           IdentityStack& identity,
           RegistryStack& registry,
           TraceStoreStack& stores,
           runs::MetricObserver* watch);

  runs::RunServices services();
  /// Marks runs without heartbeat as crashed, and deletes the remaining data of deleted runs.
  void runMaintenance();

 private:
  IdentityStack& identity_;
  RegistryStack& registry_;
  runs::HistoryStore& store_;
  runs::RunRepository runs_;
  runs::HistoryRepository history_;
  runs::HistoryReader reader_;
  runs::LineageRepository lineage_;
  http::RateLimiter row_limiter_;
};

}  // namespace spindle::app
