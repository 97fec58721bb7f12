#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "storage/database/forward.h"
#include "training/jobs/job.h"
#include "training/jobs/model.h"
#include "training/jobs/model_repository.h"

namespace spindle::live {
class ChangeLog;
}

namespace spindle::training {

/// Selects jobs; unset members match all.
struct JobFilter {
  std::optional<std::string> project_id = {};
  std::optional<std::string> model_id = {};
  std::optional<JobStatus> status = {};
};

/// The state of an open job in the queue.
struct QueuedJob {
  std::string id;
  std::optional<std::int64_t> position = {};  ///< 1: first of the waiting jobs of all projects
  std::optional<std::string> trainer = {};    ///< the trainer that holds the job
  Timestamp updated_at;                       ///< the last heartbeat, if a trainer holds the job
};

/// The proof that a trainer holds the lease of a job.
struct JobLease {
  std::string_view id;
  std::string_view token;
};

/// SQL access to jobs, their events and the files that trainers upload. A job is a row here and a
/// row in the queue; both change in one transaction. Thread-safe; calls block on the database.
/// Every call may return kUnavailable, and kNotFound for an unknown job. Calls with a JobLease
/// return kConflict `lease_lost` or `job_cancelled` if the trainer has lost the job.
class JobRepository {
 public:
  /// `changes` may be null. All arguments must outlive this object.
  JobRepository(storage::Database& database,
                events::Outbox& outbox,
                jobs::JobQueue& queue,
                const Clock& clock,
                live::ChangeLog* changes = nullptr)
      : database_(database), outbox_(outbox), queue_(queue), clock_(clock), changes_(changes) {}

  /// Creates a job for the model and enqueues it. If `fresh.deduplicate` is set and the model
  /// already has an SFT job with the same data URL that has not failed and was not cancelled,
  /// returns that job.
  /// @return kNotFound if the model was deleted
  Result<Job> insert(std::string_view model_id, const registry::Actor& actor, const NewJob& fresh);

  Result<Job> find(std::string_view id);
  /// Returns the existing job that insert() would return, if any.
  Result<std::optional<Job>> findExisting(std::string_view model_id, const std::string& data_url);
  /// Lists jobs, newest first. The cursor is a position.
  Result<identity::Page<Job>> list(const JobFilter& filter, const identity::PageRequest& page);
  /// Returns the newest jobs whose data is a file of an artifact of this team.
  Result<std::vector<Job>> withArtifactData(std::string_view team_id, int limit);
  /// The number of pending jobs and the creation time of the oldest.
  struct Waiting {
    std::int64_t count = 0;
    std::optional<Timestamp> since;
  };
  Result<Waiting> waiting();
  /// Returns the open jobs of all projects in the order of the queue, at most kMostQueued.
  Result<std::vector<QueuedJob>> queued();
  static constexpr std::int64_t kMostQueued = 10'000;

  /// Lists events, oldest first. @return kNotFound if `after` is not an event of the job
  Result<ListPart<JobEvent>> events(std::string_view id, const ListRequest& request);
  /// Returns up to `limit` gradient steps after a sequence number.
  Result<std::vector<JobEvent>> stepsAfter(std::string_view id,
                                           std::int64_t sequence,
                                           std::int64_t limit);

  /// Increments the number of tries. @return the updated job
  Result<Job> countTry(std::string_view id);
  /// Decrements the number of tries, because the trainer released the job.
  Result<void> uncountTry(const JobLease& lease);
  /// Appends the events that are new. @return the updated job; kConflict `sequence_gap`
  Result<Job> appendEvents(const JobLease& lease,
                           std::int64_t first,
                           const std::vector<ReportedEvent>& reported);
  Result<Job> estimate(const JobLease& lease, std::optional<double> seconds_left);
  /// Stores the trainer's state. @return kConflict `sequence_gap` if it includes unknown events
  Result<void> saveState(const JobLease& lease, const SavedState& state);
  Result<void> saveFile(const JobLease& lease, const UploadedFile& file);
  Result<std::vector<UploadedFile>> files(const JobLease& lease);

  /// Completes the job with a checkpoint. Repeating it with the same step changes nothing.
  Result<Job> complete(const JobLease& lease,
                       const Checkpoint& checkpoint,
                       std::int64_t version_index);
  /// Fails the job with a message for the user.
  Result<Job> fail(const JobLease& lease, const std::string& message);
  /// Ends the job without a lease: for a user's request, or because no trainer can execute it.
  Result<Job> end(std::string_view id, JobStatus status, const std::string& message);

 private:
  Result<Job> requireLeased(storage::Session& session, const JobLease& lease);
  Result<Job> announced(Result<Job> job);

  storage::Database& database_;
  events::Outbox& outbox_;
  jobs::JobQueue& queue_;
  const Clock& clock_;
  live::ChangeLog* const changes_;
};

}  // namespace spindle::training
