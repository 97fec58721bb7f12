#include "training/jobs/job_service.h"

#include <algorithm>

#include "identity/access/access.h"
#include "training/data/group_summary.h"
#include "training/data/training_file_store.h"
#include "training/jobs/job_config_json.h"
#include "training/jobs/run_log.h"

namespace spindle::training {

std::string_view dataFileAmong(const std::vector<std::string>& paths) {
  for (const std::string_view wanted : {"trajectories.jsonl", "train.jsonl"}) {
    if (std::find(paths.begin(), paths.end(), wanted) != paths.end()) return wanted;
  }
  std::string_view only;
  for (const std::string& path : paths) {
    if (!path.ends_with(".jsonl")) continue;
    if (!only.empty()) return {};
    only = path;
  }
  return only;
}

Result<Job> JobService::createRl(const Caller& caller,
                                 const std::string& model_id,
                                 const RlConfig& config,
                                 const GroupSummary& summary,
                                 TrainingFileWriter& groups,
                                 const std::string& data_url,
                                 const JobResources& resources) {
  const Model model = TRY(parts_.models.require(caller, model_id, identity::Action::kWriteProject));
  if (config.kl_penalty_reference_step) {
    const std::optional<Checkpoint> reference =
        TRY(parts_.checkpoints.checkpoint(model.id, config.kl_penalty_reference_step));
    if (!reference) {
      return Error::invalidArgument("The model has no checkpoint of step " +
                                    std::to_string(*config.kl_penalty_reference_step) +
                                    ", which kl_penalty_reference_step names.");
    }
  }
  const StoredFile kept = TRY(groups.finish());
  NewJob fresh;
  fresh.kind = JobKind::kRl;
  fresh.config = effectiveConfig(config);
  fresh.resources = resources;
  fresh.deduplicate = false;
  fresh.data.url = data_url;
  fresh.data.blob = kept.blob;
  fresh.data.size = kept.size;
  fresh.data.count = summary.groups();
  Result<Job> job = parts_.jobs.insert(model.id, {caller.user_id, caller.username}, fresh);
  if (job) parts_.wake();
  return job;
}

Result<Job> JobService::createSft(const Caller& caller,
                                  const std::string& model_id,
                                  const JobData& data,
                                  const SftConfig& config,
                                  bool deduplicate,
                                  const JobResources& resources) {
  const Model model = TRY(parts_.models.require(caller, model_id, identity::Action::kWriteProject));
  NewJob fresh;
  fresh.kind = JobKind::kSft;
  fresh.config = effectiveConfig(config);
  fresh.resources = resources;
  fresh.data = data;
  fresh.deduplicate = deduplicate;
  Result<Job> job = parts_.jobs.insert(model.id, {caller.user_id, caller.username}, fresh);
  if (job) parts_.wake();
  return job;
}

Result<Job> JobService::require(const Caller& caller,
                                std::string_view id,
                                identity::Action action) {
  Job job = TRY(parts_.jobs.find(id));
  const Result<identity::ProjectAccess> access =
      parts_.access.requireInProject(caller.user_id, job.place.entity, job.place.project, action);
  if (access) return job;
  if (access.error().code() == ErrorCode::kNotFound) {
    return Error::notFound("Training job not found");
  }
  return access.error();
}

Result<Job> JobService::cancel(const Caller& caller, std::string_view id) {
  const Job before = TRY(require(caller, id, identity::Action::kWriteProject));
  Job job = TRY(parts_.jobs.end(id, JobStatus::kCancelled,
                                "The job was cancelled by " + caller.username + "."));
  if (isOpen(before.status) && before.status == JobStatus::kRunning) parts_.run_log.end(job);
  // The next job of the model can start.
  parts_.wake();
  return job;
}

}  // namespace spindle::training
