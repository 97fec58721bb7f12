#include "inference/clickhouse/usage_rollup.h"

#include <chrono>
#include <string>

#include "inference/clickhouse/clickhouse_usage_store.h"
#include "inference/usage/log.h"

namespace spindle::inference {

Result<void> enqueueUsageRollup(jobs::JobQueue& queue, Timestamp now) {
  const Timestamp hour = std::chrono::floor<std::chrono::hours>(now);
  jobs::NewJob job;
  job.kind = kUsageRollupJob;
  job.queue_key = std::string(kUsageRollupJob);
  job.unique_key = formatTimestamp(hour);
  job.run_at = hour + ClickHouseUsageStore::kRollupDelay + std::chrono::minutes(1);
  TRY(queue.enqueue(job));
  return {};
}

jobs::JobOutcome rollUpUsage(ClickHouseUsageStore& usage, const Clock& clock) {
  const Result<std::int64_t> rolled_up = usage.rollUp();
  if (!rolled_up) {
    kLog.warning("usage_not_rolled_up", {{"reason", rolled_up.error().message()}});
    return jobs::JobOutcome::retry(rolled_up.error().message(),
                                   clock.now() + std::chrono::minutes(1));
  }
  if (*rolled_up > 0) kLog.info("usage_rolled_up", {{"hours", *rolled_up}});
  return jobs::JobOutcome::done();
}

}  // namespace spindle::inference
