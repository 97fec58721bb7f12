#include "app/wiring/run_stack.h"

#include <chrono>

#include "app/nodes/shared_rate.h"
#include "app/wiring/log.h"

namespace spindle::app {
namespace {

/// Clients send a heartbeat every 30 seconds.
constexpr std::chrono::minutes kHeartbeatTimeout{5};

}  // namespace

RunStack::RunStack(const StackContext& context,
                   IdentityStack& identity,
                   RegistryStack& registry,
                   TraceStoreStack& stores,
                   runs::MetricObserver* watch)
    : identity_(identity),
      registry_(registry),
      store_(stores.stores().history()),
      runs_(*identity.database,
            registry.outbox,
            watch,
            {context.clock, identity.schedule},
            &identity.changes),
      history_(
          *identity.database, store_, registry.outbox, watch, context.clock, &identity.changes),
      reader_(*identity.database, store_),
      lineage_(*identity.database, context.clock),
      row_limiter_(context.settings.limits.history_rows_per_minute,
                   context.clock,
                   sharedRateOf(identity.sharedRates(), "history-rows")) {}

runs::RunServices RunStack::services() {
  return {runs_, history_, reader_, lineage_, registry_.services(), identity_.access, row_limiter_};
}

void RunStack::runMaintenance() {
  logCount(runs_.crashStaleRuns(kHeartbeatTimeout),
           {.failed = "silent_runs_not_found", .done = "runs_crashed"});
  logFailure(history_.deleteOrphanedHistory(), "removed_runs_kept");
}

}  // namespace spindle::app
