#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "events/outbox.h"
#include "jobs/job_queue.h"
#include "storage/database/columns.h"
#include "storage/database/session.h"
#include "training/jobs/job.h"
#include "training/jobs/model.h"

// Shared by the repositories of this area: read and insert rows, and end jobs, inside a
// transaction. Internal.
namespace spindle::training {

const storage::Columns<Model>& modelColumns();
const storage::Columns<Checkpoint>& checkpointColumns();
const storage::Columns<JobEvent>& eventColumns();

/// Returns the first of the found records. @return kNotFound with the message `missing` if there is
/// none.
template <class Record>
Result<Record> firstOf(Result<std::vector<Record>> found, std::string_view missing) {
  if (!found) return std::move(found).error();
  if (found->empty()) return Error::notFound(std::string(missing));
  return std::move(found->front());
}

/// Selects models. `tail`: the end of the query (`WHERE …`); aliases: `m` models, `p` projects, `t`
/// teams.
Result<std::vector<Model>> selectModels(storage::Session& session,
                                        SqlView tail,
                                        const storage::Params& params);
/// Returns a model. @return kNotFound
Result<Model> requireModel(storage::Session& session, std::string_view id);

/// Selects jobs. `tail`: the end of the query (`WHERE …`); aliases: `j` jobs, `p` projects, `t`
/// teams.
Result<std::vector<Job>> selectJobs(storage::Session& session,
                                    SqlView tail,
                                    const storage::Params& params);
/// Returns a job. @return kNotFound
Result<Job> requireJob(storage::Session& session, std::string_view id);

/// Inserts a job and sets its position.
Result<void> insertJob(storage::Session& session, Job& job);
Result<void> insertCheckpoint(storage::Session& session,
                              std::string_view model_id,
                              const Checkpoint& checkpoint,
                              Timestamp now);

/// Appends an event to the job's events.
Result<void> appendEvent(storage::Session& session,
                         Job& job,
                         const ReportedEvent& reported,
                         Timestamp now);

/// The dependencies of endJob().
struct EndJobDependencies {
  const events::Outbox& outbox;
  jobs::JobQueue& queue;
};
/// The artifact version that a job has published.
struct PublishedVersion {
  std::int64_t id = 0;
  std::int64_t index = 0;
};
/// The outcome of a job.
struct JobEnd {
  JobStatus status = JobStatus::kCompleted;
  std::string error_message = {};         ///< empty if it is completed
  std::optional<std::int64_t> step = {};  ///< step of the published checkpoint
  std::optional<PublishedVersion> version = {};
};
/// Ends an open job here and in the queue, and writes the event for clients and the one for
/// automations. Drops the job's input data, saved state and uploaded files.
Result<void> endJob(storage::Session& session,
                    const EndJobDependencies& dependencies,
                    Job& job,
                    const JobEnd& end,
                    Timestamp now);

}  // namespace spindle::training
