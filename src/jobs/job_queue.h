#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "jobs/job.h"
#include "storage/database/forward.h"

namespace spindle::jobs {

/// The response to a worker's heartbeat.
struct HeartBeat {
  bool cancel_requested = false;
};

/// The filter and page of a list of jobs, the newest first.
struct JobFilter {
  std::optional<std::string> kind = {};
  std::optional<std::string> queue_key = {};
  std::optional<JobState> state = {};
  std::int64_t limit = 100;
  std::int64_t offset = 0;
};

/// A durable job queue in the metadata database. Each call is one transaction, which is on disk
/// when the call returns. A worker leases a job and renews the lease. When a lease expires, the job
/// is due again and the attempt counts, so a handler must tolerate a restart after any step.
/// Thread-safe. All calls block on the database and may return kUnavailable.
///
/// Calls with a token return kConflict if the worker no longer holds the lease.
class JobQueue {
 public:
  /// Lease expiry and `run_at` follow the schedule clock. The database and the clocks must outlive
  /// this object.
  JobQueue(storage::Database& database, const Clocks& clocks)
      : database_(database), clocks_(clocks) {}

  /// Adds a job. @return the new job, or the stored job with the same kind and unique key;
  /// kConflict if the id is in use.
  Result<Job> enqueue(const NewJob& job);

  /// Leases the job of this kind that has been due longest. Returns nothing if no job is due.
  Result<std::optional<LeasedJob>> lease(std::string_view kind,
                                         std::string_view worker,
                                         std::chrono::microseconds duration);

  /// Decides whether a worker may have a job. Called without a transaction; may read files.
  using Accepts = std::function<bool(const Job& job)>;
  /// As above, but leases only a job that the worker accepts: the first of at most kMostConsidered
  /// due jobs.
  Result<std::optional<LeasedJob>> lease(std::string_view kind,
                                         std::string_view worker,
                                         std::chrono::microseconds duration,
                                         const Accepts& accepts);
  static constexpr std::int64_t kMostConsidered = 1'000;

  /// Returns true if lease() would return a job.
  Result<bool> hasReady(std::string_view kind);
  Result<bool> hasReady(std::string_view kind, const Accepts& accepts);

  /// Renews the lease for `duration` from now.
  Result<HeartBeat> heartBeat(std::string_view id,
                              std::string_view token,
                              std::chrono::microseconds duration);

  /// Stores the progress that the handler reports: a small JSON text.
  Result<void> setProgress(std::string_view id, std::string_view token, std::string_view progress);

  Result<void> complete(std::string_view id, std::string_view token);
  /// Queues the job again for `retry_at`, or fails it permanently if `retry_at` is absent.
  Result<void> fail(std::string_view id,
                    std::string_view token,
                    std::string_view error,
                    std::optional<Timestamp> retry_at = {});
  /// Ends the job as cancelled, after its handler has stopped because of the cancel request.
  Result<void> endCancelled(std::string_view id, std::string_view token);
  /// Returns the job to the queue: it is due immediately and the attempt does not count.
  Result<void> release(std::string_view id, std::string_view token);
  /// Ends all leases of a worker that is known to be dead. The attempts count.
  /// @return the number of leases.
  Result<std::int64_t> releaseWorker(std::string_view kind, std::string_view worker);
  /// Does the same for the jobs of all kinds.
  Result<std::int64_t> releaseWorker(std::string_view worker);

  /// Cancels a queued job immediately, and a running job at the next heartbeat of its worker. A
  /// finished job stays unchanged. @return the job after the change; kNotFound.
  Result<Job> cancel(std::string_view id);

  /// @return kNotFound.
  Result<Job> find(std::string_view id);
  Result<std::vector<Job>> list(const JobFilter& filter);
  /// Returns the open jobs of a kind, queued and running, in the order in which lease() considers
  /// them.
  Result<std::vector<Job>> open(std::string_view kind, std::int64_t limit);

  /// Deletes jobs that finished before a time. @return the number of deleted jobs.
  Result<std::int64_t> removeFinished(Timestamp before);

  // The following calls run inside the caller's transaction (Database::write()), for areas that
  // store their own data about a job and change it together with the queue.

  /// As enqueue() above.
  Result<Job> enqueue(storage::Session& session, const NewJob& job);
  /// Returns kConflict unless the token identifies the current lease of the job.
  static Result<void> requireLease(storage::Session& session,
                                   std::string_view id,
                                   std::string_view token);
  /// Ends a job permanently, even if a worker holds its lease. Has no effect if the job has ended
  /// or does not exist.
  Result<void> end(storage::Session& session,
                   std::string_view id,
                   JobState state,
                   std::optional<std::string_view> error = {});

  /// Shifts the lease expiry and `run_at` of all open jobs, after the wall clock was set back while
  /// no server ran.
  static Result<void> shiftSchedule(storage::Session& session, std::chrono::microseconds by);

 private:
  /// Returns the due jobs in the order in which lease() considers them.
  Result<std::vector<Job>> ready(std::string_view kind);
  /// Leases the first due job, or the one with this id if it is due.
  Result<std::optional<LeasedJob>> leaseFirst(std::string_view kind,
                                              std::string_view worker,
                                              std::chrono::microseconds duration,
                                              std::optional<std::string_view> id);

  storage::Database& database_;
  const Clocks clocks_;
};

}  // namespace spindle::jobs
