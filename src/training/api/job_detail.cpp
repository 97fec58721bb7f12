#include "training/api/job_detail.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "training/jobs/job_repository.h"
#include "training/jobs/job_resources.h"

namespace spindle::training {

using schema::nullable, schema::string;

JobDetail::JobDetail(Job job, Timestamp now)
    : JobView(std::move(job)),
      project(place.entity + "/" + place.project),
      config_json{std::move(config)},
      data_url(data.url.empty() ? std::nullopt : std::optional(data.url)),
      data_bytes(data.size),
      created_by(creator.username) {
  if (!estimated_end || !isOpen(status)) return;
  seconds_left = std::max(0.0, std::chrono::duration<double>(*estimated_end - now).count());
}

schema::Codec<JobDetail> jobDetailCodec() {
  schema::Record<JobDetail> record("TrainingJobDetail");
  describeJob(record);
  return record.required("kind", &JobDetail::kind, kindCodec())
      .required("project", &JobDetail::project, string(), "`team/project`")
      .required("model", &JobDetail::model, string(), "Name of the model.")
      .required("base_model", &JobDetail::base_model, string())
      .required("run_id", &JobDetail::run_id, nullable(string()))
      .required("step", &JobDetail::step, nullable(schema::integer()),
                "Step of the published checkpoint.")
      .required("steps_expected", &JobDetail::steps_expected, nullable(schema::integer()),
                "Gradient steps.")
      .required("note", &JobDetail::note, nullable(string()), "Why there was nothing to learn.")
      .required("seconds_left", &JobDetail::seconds_left, nullable(schema::number()),
                "Estimated remaining time.")
      .required("config", &JobDetail::config_json, schema::jsonObject(),
                "Complete configuration, with defaults.")
      .required("resources", &JobDetail::resources, resourcesCodec(), "What the trainer must have.")
      .required("data_url", &JobDetail::data_url, nullable(string()))
      .required("data_bytes", &JobDetail::data_bytes, schema::integer())
      .required("created_by", &JobDetail::created_by, string())
      .required("queue_position", &JobDetail::queue_position, nullable(schema::integer()),
                "Place among the waiting jobs of all projects, from 1; null if the job does not "
                "wait. Jobs of one model run one after the other.")
      .required("trainer", &JobDetail::trainer, nullable(string()),
                "Name of the trainer that holds the job.")
      .codec();
}

Result<std::vector<JobDetail>> jobDetails(const TrainingServices& services, std::vector<Job> jobs) {
  const Timestamp now = services.clock.now();
  std::vector<JobDetail> details;
  details.reserve(jobs.size());
  for (Job& job : jobs) details.emplace_back(std::move(job), now);
  const auto open = [](const JobDetail& job) { return isOpen(job.status); };
  if (std::none_of(details.begin(), details.end(), open)) return details;
  const std::vector<QueuedJob> queue = TRY(services.job_rows.queued());
  std::unordered_map<std::string_view, const QueuedJob*> queued;
  for (const QueuedJob& job : queue) queued.emplace(job.id, &job);
  for (JobDetail& job : details) {
    const auto found = queued.find(job.id);
    if (!open(job) || found == queued.end()) continue;
    job.queue_position = found->second->position;
    job.trainer = found->second->trainer;
  }
  return details;
}

Result<JobDetail> jobDetail(const TrainingServices& services, Job job) {
  std::vector<Job> one;
  one.push_back(std::move(job));
  std::vector<JobDetail> details = TRY(jobDetails(services, std::move(one)));
  return std::move(details.front());
}

}  // namespace spindle::training
