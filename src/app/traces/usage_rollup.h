#pragma once

#include <string>

#include "base/core/schedule_clock.h"
#include "inference/clickhouse/clickhouse_usage_store.h"
#include "jobs/job_queue.h"
#include "jobs/job_runner.h"
#include "storage/database/forward.h"

namespace spindle::app {

/// Computes the totals of usage in ClickHouse by hour: one job per hour, which one server runs.
class UsageRollup {
 public:
  /// `worker` is the name of this server as a worker. All other arguments must outlive this object.
  UsageRollup(storage::Database& database,
              const Clocks& clocks,
              std::string worker,
              inference::ClickHouseUsageStore& usage);

  void start() { runner_.start(); }
  void stop() { runner_.stop(); }
  /// Enqueues the job of the current hour, unless a server has done so.
  void runMaintenance();

 private:
  const Clock& clock_;
  jobs::JobQueue queue_;
  jobs::JobRunner runner_;
};

}  // namespace spindle::app
