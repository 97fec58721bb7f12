#pragma once

#include "base/core/result.h"
#include "jobs/job_runner.h"
#include "tracing/bulk/bulk_jobs.h"

namespace spindle::tracing {

/// Executes bulk jobs. The first run stores the ids of all selected calls with the job; then the
/// job processes them batch by batch and records each batch. A restart after a crash repeats at
/// most one batch. Checks the access of the user before the selection, each batch and the end.
/// Thread-safe; a job blocks its thread until it ends.
class BulkRunner {
 public:
  explicit BulkRunner(BulkPorts ports) : ports_(std::move(ports)) {}

  /// Handles jobs of the kind kBulkJob.
  jobs::JobOutcome run(jobs::JobContext& context) const;

 private:
  Result<void> execute(jobs::JobContext& context, const BulkJob& job) const;
  Result<void> select(const jobs::JobContext& context, const BulkJob& job) const;
  /// Returns kPermissionDenied if the user may no longer change the project.
  Result<void> requireAccess(const BulkJob& job) const;

  const BulkPorts ports_;
};

}  // namespace spindle::tracing
