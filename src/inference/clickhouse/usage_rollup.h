#pragma once

#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "jobs/job_queue.h"
#include "jobs/job_runner.h"

namespace spindle::inference {

class ClickHouseUsageStore;

/// The kind of the jobs that compute the totals of usage by hour.
inline constexpr std::string_view kUsageRollupJob = "inference.usage_rollup";

/// Enqueues the job of the current hour, unless a node has done so. Call it at least once an hour.
/// @return kUnavailable.
Result<void> enqueueUsageRollup(jobs::JobQueue& queue, Timestamp now);

/// Handles a job of the kind kUsageRollupJob. A job that fails is repeated after a minute.
jobs::JobOutcome rollUpUsage(ClickHouseUsageStore& usage, const Clock& clock);

}  // namespace spindle::inference
