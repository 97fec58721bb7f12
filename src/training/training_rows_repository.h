#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/session.h"
#include "training/job.h"
#include "training/model.h"

// What the repositories of this area share: reading rows and ending jobs within a transaction in
// progress. Internal.
namespace spindle::events {
class Outbox;
}
namespace spindle::jobs {
class JobQueue;
}

namespace spindle::training {

/// The models that a query ends in (`WHERE …` over `m`, its project `p` and team `t`).
Result<std::vector<Model>> selectModels(storage::Session& session,
                                        SqlView tail,
                                        const storage::Params& params);
/// @return kNotFound.
Result<Model> requireModel(storage::Session& session, std::string_view id);

/// The jobs that a query ends in (`WHERE …` over `j`, its project `p` and team `t`).
Result<std::vector<Job>> selectJobs(storage::Session& session,
                                    SqlView tail,
                                    const storage::Params& params);
/// @return kNotFound.
Result<Job> requireJob(storage::Session& session, std::string_view id);

Checkpoint checkpointAt(const storage::Row& row);

/// Adds an event behind the last one of the job.
Result<void> appendEvent(storage::Session& session, Job& job, const ToldEvent& told, Timestamp now);

/// What the end of a job needs.
struct JobScene {
  const events::Outbox& outbox;
  jobs::JobQueue& queue;
};
/// What a job has made.
struct MadeVersion {
  std::int64_t id = 0;
  std::int64_t index = 0;
};
/// How a job ends.
struct JobEnd {
  JobStatus status = JobStatus::kCompleted;
  std::string error_message = {};         ///< unless it is completed
  std::optional<std::int64_t> step = {};  ///< of the checkpoint it has made
  std::optional<MadeVersion> version = {};
};
/// Ends an open job here and in the queue, writes the event for clients and the one for
/// automations; what it learned from and what was kept to go on with goes.
Result<void> endJob(
    storage::Session& session, const JobScene& scene, Job& job, const JobEnd& end, Timestamp now);

}  // namespace spindle::training
