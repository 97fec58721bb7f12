#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "training/job.h"
#include "training/model.h"
#include "training/model_repository.h"

namespace spindle::storage {
class Session;
}

namespace spindle::training {

/// Which jobs are wanted; what is not set does not matter.
struct JobFilter {
  std::optional<std::string> project_id = {};
  std::optional<std::string> model_id = {};
  std::optional<JobStatus> status = {};
};

/// What a trainer proves that a job is in its hands with.
struct JobHold {
  std::string_view id;
  std::string_view token;
};

/// Jobs, their events, and what trainers bring for them. A job stands here and in the queue; both
/// change in one transaction. Thread-safe; calls block on the database, and every one may return
/// kUnavailable. A job that is not there is kNotFound; calls with a hold return kConflict
/// `lease_lost`, or `job_cancelled`, when it is no longer that trainer's.
class JobRepository {
 public:
  /// Everything given must outlive this.
  JobRepository(storage::Database& database,
                events::Outbox& outbox,
                jobs::JobQueue& queue,
                const Clock& clock)
      : database_(database), outbox_(outbox), queue_(queue), clock_(clock) {}

  /// Makes a job of the model and puts it into the queue. A second one of the same model on the
  /// same data URL is not made unless the first has failed or was cancelled: it is that one.
  /// @return kNotFound when the model is gone.
  Result<Job> insert(std::string_view model_id, const registry::Actor& actor, const NewJob& fresh);

  Result<Job> find(std::string_view id);
  /// The one that insert() would give in place of a second one, if there is one.
  Result<std::optional<Job>> findWish(std::string_view model_id, const std::string& data_url);
  /// Newest first; a page ends with a position.
  Result<identity::Page<Job>> list(const JobFilter& filter, const identity::PageRequest& page);
  /// Those that nobody works at, and the moment since when the oldest of them waits.
  struct Waiting {
    std::int64_t count = 0;
    std::optional<Timestamp> since;
  };
  Result<Waiting> waiting();

  /// Oldest first. @return kNotFound for an `after` that is not one of them.
  Result<ListPart<JobEvent>> events(std::string_view id, const ListRequest& request);
  /// Up to `limit` gradient steps behind a number.
  Result<std::vector<JobEvent>> stepsBehind(std::string_view id,
                                            std::int64_t sequence,
                                            std::int64_t limit);

  /// Counts one more lease. @return the job as it then is.
  Result<Job> countTry(std::string_view id);
  /// Takes one back: it was handed back unharmed.
  Result<void> uncountTry(const JobHold& hold);
  /// Takes the events that are new. @return the job as it then is; kConflict `sequence_gap`.
  Result<Job> appendEvents(const JobHold& hold,
                           std::int64_t first,
                           const std::vector<ToldEvent>& told);
  Result<Job> estimate(const JobHold& hold, std::optional<double> seconds_left);
  /// @return kConflict `sequence_gap` when it goes beyond the events that are there.
  Result<void> keepState(const JobHold& hold, const SavedState& state);
  Result<void> keepFile(const JobHold& hold, const BroughtFile& file);
  Result<std::vector<BroughtFile>> files(const JobHold& hold);

  /// The job has made a checkpoint. Again with the same step changes nothing.
  Result<Job> complete(const JobHold& hold,
                       const Checkpoint& checkpoint,
                       std::int64_t version_index);
  /// Ends it with a message for the user.
  Result<Job> fail(const JobHold& hold, const std::string& message);
  /// The same without a trainer: by an operator, or because no trainer can do it.
  Result<Job> end(std::string_view id, JobStatus status, const std::string& message);

 private:
  Result<Job> held(storage::Session& session, const JobHold& hold);

  storage::Database& database_;
  events::Outbox& outbox_;
  jobs::JobQueue& queue_;
  const Clock& clock_;
};

}  // namespace spindle::training
