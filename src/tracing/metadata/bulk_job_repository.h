#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "storage/database/forward.h"
#include "tracing/metadata/bulk_job.h"

namespace spindle::tracing {

/// Stores bulk jobs and the calls that they still have to process. Thread-safe; calls block on the
/// database and may return kUnavailable.
class BulkJobRepository {
 public:
  /// Called inside the transaction of a change of the job.
  using InTransaction = std::function<Result<void>(storage::Session&, const std::string& job_id)>;

  BulkJobRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Adds a job and calls `enqueue` in the same transaction.
  /// @return kRateLimited if the team has `max_open` unfinished jobs.
  Result<BulkJob> insert(const NewBulkJob& job,
                         std::int64_t max_open,
                         const InTransaction& enqueue);

  /// @return kNotFound for a missing job or one of another project.
  Result<BulkJob> find(std::string_view project_id, std::string_view id);
  /// Returns the job, or nothing if it was deleted with its project.
  Result<std::optional<BulkJob>> findById(std::string_view id);
  /// Returns the jobs of a project, newest first.
  Result<identity::Page<BulkJob>> list(std::string_view project_id,
                                       const identity::PageRequest& page);

  /// Requests the end of a job. Ends a queued job and calls `dequeue` in the same transaction.
  /// @return the job after the change; kNotFound.
  Result<BulkJob> cancel(std::string_view project_id,
                         std::string_view id,
                         const InTransaction& dequeue);

  /// Marks a job as running, unless it is finished.
  Result<void> start(std::string_view id);
  /// Deletes the batches of a job whose selection is not complete.
  Result<void> clearBatches(std::string_view id);
  /// Adds calls to a job whose selection is not complete.
  Result<void> addBatches(std::string_view id, const std::vector<BulkBatch>& batches);
  /// Completes the selection.
  Result<void> setTotal(std::string_view id, std::int64_t total);
  /// Returns the first batch that is not done, or nothing.
  Result<std::optional<BulkBatch>> nextBatch(std::string_view id);
  /// Marks a batch as done and counts its calls, once. `result` is kept until the job ends.
  Result<void> completeBatch(std::string_view id,
                             const BulkBatch& batch,
                             std::int64_t failed,
                             std::string_view result);
  /// Returns the results of all batches, in order.
  Result<std::vector<std::string>> results(std::string_view id);
  Result<void> setNote(std::string_view id, std::string_view note);
  /// Ends a job and deletes its batches. A finished job stays unchanged.
  Result<void> finish(std::string_view id, BulkState state, std::optional<std::string_view> error);

  /// Deletes jobs that finished before a time. @return their number.
  Result<std::int64_t> removeFinished(Timestamp before);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::tracing
