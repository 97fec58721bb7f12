#include "app/traces/usage_rollup.h"

#include <string>
#include <utility>

#include "app/traces/log.h"
#include "inference/clickhouse/usage_rollup.h"

namespace spindle::app {

UsageRollup::UsageRollup(storage::Database& database,
                         const Clocks& clocks,
                         std::string worker,
                         inference::ClickHouseUsageStore& usage)
    : clock_(clocks.wall),
      queue_(database, clocks),
      runner_(queue_,
              {.kind = std::string(inference::kUsageRollupJob),
               .worker = std::move(worker),
               .threads = 1},
              [this, &usage](jobs::JobContext& /*job*/) {
                return inference::rollUpUsage(usage, clock_);
              }) {}

void UsageRollup::runMaintenance() {
  const Result<void> enqueued = inference::enqueueUsageRollup(queue_, clock_.now());
  if (!enqueued)
    kLog.warning("usage_rollup_not_enqueued", {{"reason", enqueued.error().message()}});
}

}  // namespace spindle::app
