#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/schedule_clock.h"
#include "jobs/job.h"

namespace spindle::storage {
class Database;
class Session;
}  // namespace spindle::storage

namespace spindle::jobs {

/// What a worker learns when it says that it is alive.
struct HeartBeat {
  bool cancel_requested = false;
};

/// Which jobs are wanted, the newest first.
struct JobFilter {
  std::optional<std::string> kind = {};
  std::optional<std::string> queue_key = {};
  std::optional<JobState> state = {};
  std::int64_t limit = 100;
  std::int64_t offset = 0;
};

/// Work that outlives the process, in the metadata database. Each call is one transaction, on disk
/// when it returns. A worker takes a job under a lease and renews it; a lease that runs out puts
/// the job back, with the attempt counted, so every handler has to bear being started again in the
/// middle. Thread-safe; calls block on the database, and every one may return kUnavailable.
///
/// Calls with a token return kConflict when the lease is no longer that worker's.
class JobQueue {
 public:
  /// Leases and the times at which jobs run follow the schedule clock. The database and the clocks
  /// must outlive this.
  JobQueue(storage::Database& database, const Clocks& clocks)
      : database_(database), clocks_(clocks) {}

  /// @return the job, or the one that has the same kind and unique key already; kConflict when the
  /// id is taken.
  Result<Job> enqueue(const NewJob& job);

  /// Takes the job of this kind that is due and has waited longest, if there is one.
  Result<std::optional<LeasedJob>> lease(std::string_view kind,
                                         std::string_view worker,
                                         std::chrono::microseconds duration);

  /// Whether lease() would find one.
  Result<bool> hasReady(std::string_view kind);

  /// Renews the lease: it lasts for `duration` from now on.
  Result<HeartBeat> heartBeat(std::string_view id,
                              std::string_view token,
                              std::chrono::microseconds duration);

  /// Keeps what the handler says of its progress: a small JSON text.
  Result<void> setProgress(std::string_view id, std::string_view token, std::string_view progress);

  Result<void> complete(std::string_view id, std::string_view token);
  /// Back into the queue when there is a time to try again, else failed for good.
  Result<void> fail(std::string_view id,
                    std::string_view token,
                    std::string_view error,
                    std::optional<Timestamp> retry_at = {});
  /// The handler has seen the wish to cancel and ended.
  Result<void> endCancelled(std::string_view id, std::string_view token);
  /// Hands the job back unharmed: it is due at once and the attempt does not count.
  Result<void> release(std::string_view id, std::string_view token);
  /// Ends the leases of a worker that is known to be dead. The attempts count.
  /// @return how many there were.
  Result<std::int64_t> releaseWorker(std::string_view kind, std::string_view worker);

  /// A queued job is cancelled at once, a running one when its worker next looks; what has finished
  /// stays as it is. @return the job as it is now; kNotFound.
  Result<Job> cancel(std::string_view id);

  /// @return kNotFound.
  Result<Job> find(std::string_view id);
  Result<std::vector<Job>> list(const JobFilter& filter);

  /// Forgets jobs that finished before a time. @return how many.
  Result<std::int64_t> removeFinished(Timestamp before);

  // Within a transaction of the caller's (Database::write()), for areas that keep more about their
  // jobs than the queue does: both change together.

  /// As enqueue() above.
  Result<Job> enqueue(storage::Session& session, const NewJob& job);
  /// kConflict unless the lease is that worker's.
  static Result<void> requireLease(storage::Session& session,
                                   std::string_view id,
                                   std::string_view token);
  /// Ends a job for good, whoever holds it. Nothing happens to one that has ended, or is not there.
  Result<void> end(storage::Session& session,
                   std::string_view id,
                   JobState state,
                   std::optional<std::string_view> error = {});

  /// Moves every lease and every time at which an open job runs, after the wall clock was set back
  /// while no server ran.
  static Result<void> shiftSchedule(storage::Session& session, std::chrono::microseconds by);

 private:
  storage::Database& database_;
  const Clocks clocks_;
};

}  // namespace spindle::jobs
