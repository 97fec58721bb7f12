#include <optional>
#include <string>
#include <utility>

#include "http/router/route_group.h"
#include "training/api/job_data.h"
#include "training/api/job_detail.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/data_fetcher.h"
#include "training/jobs/job_config_json.h"
#include "training/jobs/job_resources.h"
#include "training/jobs/job_service.h"

namespace spindle::training {
namespace {

using http::Context;
using schema::Extra, schema::Record, schema::string;

constexpr std::size_t kLongestUrl = 4096;

struct StartBody {
  std::string model_id;
  JobKind kind = JobKind::kSft;
  std::string data_url;
  json::Text config{"{}"};
  JobResources resources;
};
struct RetryPath {
  std::string id;
};
struct RetryBody {
  std::optional<std::string> data_url;
  json::Text config{"{}"};
  std::optional<JobResources> resources;
};

/// Creates a job of `kind` whose configuration is `config` with the changes of the request.
Result<JobDetail> startJob(const TrainingServices& services,
                           const Context& context,
                           const StartBody& body,
                           std::string config) {
  const Caller caller = callerOf(context);
  TRY(services.models.require(caller, body.model_id, identity::Action::kWriteProject));
  if (body.kind == JobKind::kRl) {
    RlConfig changed = TRY(changedRlConfig(std::move(config), body.config.json));
    TRY(resolveReference(services, context, changed));
    Job job =
        TRY(createRlFrom(services, context, body.model_id, body.data_url, changed, body.resources));
    return jobDetail(services, std::move(job));
  }
  const SftConfig changed = TRY(changedSftConfig(std::move(config), body.config.json));
  const JobData data =
      TRY(DataFetcher::isFor(body.data_url) ? services.fetcher.fetch(body.data_url)
                                            : dataAt(services, context, body.data_url, "data_url"));
  Job job =
      TRY(services.jobs.createSft(caller, body.model_id, data, changed, false, body.resources));
  return jobDetail(services, std::move(job));
}

Result<JobDetail> start(const TrainingServices& services,
                        const Context& context,
                        const StartBody& body) {
  return startJob(services, context, body, "{}");
}

Result<JobDetail> retry(const TrainingServices& services,
                        const Context& context,
                        const RetryPath& path,
                        const RetryBody& body) {
  const Job job =
      TRY(services.jobs.require(callerOf(context), path.id, identity::Action::kWriteProject));
  if (isOpen(job.status)) {
    return Error::conflict("The job has not ended. Cancel it first.").because("job_open");
  }
  const std::string& url = body.data_url ? *body.data_url : job.data.url;
  if (url.empty()) {
    return Error::conflict(
               "The groups of the job were sent by a client and were deleted when it ended. Send "
               "them again, or give a data_url.")
        .because("data_deleted");
  }
  return startJob(
      services, context,
      {job.model_id, job.kind, url, body.config, body.resources.value_or(job.resources)},
      job.config);
}

}  // namespace

void addJobStartRoutes(const TrainingRoutes& routes) {
  constexpr const char* kUrlDoc =
      "`svc-artifact:///team/project/name:version`. For SFT also a URL. An artifact for RL "
      "contains "
      "one group per line, as exported with the format `rl`.";
  // The training data may come from a URL.
  http::RoutePolicy outside = routes.policy();
  outside.uses_outbound_threads = true;
  const TrainingRoutes outside_routes = routes.with(outside);
  outside_routes.post(
      "/api/v1/training-jobs",
      {"startTrainingJob", "Train a model on an artifact",
       "Creates a new job, also if the model was trained on the same data before."},
      {.body = Record<StartBody>("TrainingJobStart", Extra::kForbid)
                   .required("model_id", &StartBody::model_id, schema::uuid())
                   .optional("kind", &StartBody::kind, kindCodec())
                   .required("data_url", &StartBody::data_url,
                             string({.min_length = 1, .max_length = kLongestUrl}), kUrlDoc)
                   .optional("config", &StartBody::config, schema::jsonObject(),
                             "SftConfig or RlConfig. Unknown members are refused.")
                   .optional("resources", &StartBody::resources, resourcesCodec(),
                             "What the trainer must have. Default: nothing.")
                   .codec(),
       .reply = jobDetailCodec(),
       .status = 201,
       .facts = {.statuses = {502, 504}}},
      start);
  outside_routes.post(
      "/api/v1/training-jobs/{id}/retry",
      {"retryTrainingJob", "Train again as an earlier job did, with changes",
       "Creates a new job for the same model from its newest checkpoint. The earlier job must have "
       "ended. Data is read again from its source."},
      {.params =
           http::Parameters<RetryPath>().path("id", &RetryPath::id, string(), "Id of the job."),
       .body =
           Record<RetryBody>("TrainingJobRetry", Extra::kForbid)
               .optional("config", &RetryBody::config, schema::jsonObject(),
                         "Members of SftConfig or RlConfig that replace those of the earlier "
                         "job; null: the default. Unknown members are refused.")
               .optional("data_url", &RetryBody::data_url,
                         schema::ifPresent(string({.min_length = 1, .max_length = kLongestUrl})),
                         "Other data. Required if a client sent the groups of the earlier job.")
               .optional("resources", &RetryBody::resources, schema::ifPresent(resourcesCodec()),
                         "What the trainer must have. Default: as the earlier job.")
               .codec(),
       .reply = jobDetailCodec(),
       .status = 201,
       .facts = {.statuses = {502, 504}}},
      retry);
}

}  // namespace spindle::training
