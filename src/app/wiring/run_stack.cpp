#include "app/wiring/run_stack.h"

#include <chrono>

#include "app/wiring/log.h"

namespace spindle::app {
namespace {

/// Clients send a heartbeat every 30 seconds.
constexpr std::chrono::minutes kHeartbeatTimeout{5};

}  // namespace

RunStack::RunStack(const config::Settings& settings,
                   IdentityStack& identity,
                   RegistryStack& registry,
                   TracingStack& tracing,
                   runs::MetricObserver* watch,
                   const Clock& clock)
    : identity_(identity),
      registry_(registry),
      store_(tracing.runHistory()),
      runs_(*identity.database, registry.outbox, watch, {clock, identity.schedule}),
      history_(*identity.database, store_, registry.outbox, watch, clock),
      reader_(*identity.database, store_),
      lineage_(*identity.database, clock),
      row_limiter_(settings.limits.history_rows_per_minute, clock) {}

runs::RunServices RunStack::services() {
  return {runs_, history_, reader_, lineage_, registry_.services(), identity_.access, row_limiter_};
}

void RunStack::runMaintenance() {
  const Result<std::int64_t> crashed = runs_.crashStaleRuns(kHeartbeatTimeout);
  if (!crashed) kLog.warning("silent_runs_not_found", {{"reason", crashed.error().message()}});
  if (crashed && *crashed > 0) kLog.info("runs_crashed", {{"count", *crashed}});
  const Result<void> cleared = history_.deleteOrphanedHistory();
  if (!cleared) kLog.warning("removed_runs_kept", {{"reason", cleared.error().message()}});
}

}  // namespace spindle::app
