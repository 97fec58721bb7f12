#include <utility>

#include "http/router/route_group.h"
#include "training/api/group_route.h"
#include "training/api/job_data.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/data_fetcher.h"
#include "training/jobs/job_config_json.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/job_service.h"

namespace spindle::training {
namespace {

using http::Context;
using schema::Codec, schema::literal, schema::nullable, schema::Record, schema::string;

struct JobPath {
  std::string training_job_id;
};

struct ModelBody {
  std::string model_id;
};
struct RlBody : ModelBody {
  std::vector<GroupBody> trajectory_groups;
  std::optional<RlConfig> experimental_config;
};

struct SftBody : ModelBody {
  std::string training_data_url;
  std::optional<SftConfig> config;
  std::optional<json::Text> experimental_config;
};

struct EventView {
  EventView() = default;
  explicit EventView(const JobEvent& event)
      : id(event.id), type(textOf(event.type)), data{event.data} {}

  std::string id;
  std::string type;
  json::Text data;
};

Codec<RlBody> rlCodec() {
  return Record<RlBody>("TrainingJobCreate")
      .required("model_id", &RlBody::model_id, schema::uuid())
      .required("trajectory_groups", &RlBody::trajectory_groups, schema::list(groupCodec()))
      .optional("experimental_config", &RlBody::experimental_config, nullable(rlConfigCodec()))
      .codec();
}

Codec<SftBody> sftCodec() {
  return Record<SftBody>("SftTrainingJobCreate")
      .required("model_id", &SftBody::model_id, schema::uuid())
      .required("training_data_url", &SftBody::training_data_url, string(),
                "`svc-artifact:///entity/project/name:version`, an artifact that contains "
                "`trajectories.jsonl` or `train.jsonl`; or an `https://…` URL of such lines.")
      .optional("config", &SftBody::config, nullable(sftConfigCodec()))
      .optional("experimental_config", &SftBody::experimental_config,
                nullable(schema::jsonObject()))
      .codec();
}

Codec<JobView> jobCodec() {
  Record<JobView> record("TrainingJob");
  describeJob(record);
  return record.codec();
}

Codec<EventView> eventCodec() {
  return Record<EventView>("TrainingJobEvent")
      .required("id", &EventView::id, schema::uuid())
      .required("type", &EventView::type,
                literal({"training_started", "gradient_step", "training_ended", "training_failed"}))
      .required("data", &EventView::data, schema::jsonObject())
      .codec();
}

/// Returns the data of an SFT job. Downloads data from a URL, unless the job already exists.
Result<JobData> sftData(const TrainingServices& services,
                        const Context& context,
                        const std::string& model_id,
                        const std::string& url) {
  if (!DataFetcher::isFor(url)) return dataAt(services, context, url, "training_data_url");
  const std::optional<Job> known = TRY(services.job_rows.findExisting(model_id, url));
  return known ? known->data : services.fetcher.fetch(url);
}

Result<std::string> createRl(const TrainingServices& services,
                             const Context& context,
                             const GroupUpload::Body& body,
                             std::size_t json_depth) {
  const RlBody parsed = TRY(parseSkeleton(rlCodec(), body, json_depth));
  RlConfig config = parsed.experimental_config.value_or(RlConfig());
  const Caller caller = callerOf(context);
  TRY(services.models.require(caller, parsed.model_id, identity::Action::kWriteProject));
  TRY(resolveReference(services, context, config));
  Job job = TRY(services.jobs.createRl(caller, parsed.model_id, config, body.summary, body.groups));
  return jobCodec().toJson(JobView(std::move(job)));
}

http::Route rlRoute(const TrainingRoutes& routes) {
  http::Route route = groupRoute(
      routes, "/v1/preview/training-jobs",
      {"createTrainingJob", "Train a model by reinforcement learning",
       "Body up to 256 MB; may be compressed. Jobs of a model run one at a time, in order."},
      [services = routes.services(), json_depth = routes.policy().json_depth](
          const Context& context, const GroupUpload::Body& body) {
        return createRl(services, context, body, json_depth);
      });
  route.describe_parameters = [](json::Writer&, schema::Components&) {};
  route.describe_body = http::descriptionOf(rlCodec().type());
  route.describe_reply = http::descriptionOf(jobCodec().type());
  return route;
}

Result<JobView> createSft(const TrainingServices& services,
                          const Context& context,
                          const SftBody& body) {
  const Caller caller = callerOf(context);
  const Model model =
      TRY(services.models.require(caller, body.model_id, identity::Action::kWriteProject));
  const JobData data = TRY(sftData(services, context, model.id, body.training_data_url));
  SftConfig config = body.config.value_or(SftConfig());
  if (body.experimental_config) config.experimental = body.experimental_config->json;
  Job job = TRY(services.jobs.createSft(caller, body.model_id, data, config));
  return JobView(std::move(job));
}

Result<ListReply<EventView>> listEvents(const TrainingServices& services,
                                        const Context& context,
                                        const ListQuery& query) {
  const Job job =
      TRY(services.jobs.require(callerOf(context), query.id, identity::Action::kReadProject));
  const ListPart<JobEvent> part = TRY(services.job_rows.events(job.id, query.request()));
  return listOf<EventView>(part);
}

}  // namespace

void addJobRoutes(const TrainingRoutes& routes) {
  routes.router().addRoute(rlRoute(routes));
  // The training data may come from a URL.
  http::RoutePolicy outside = routes.policy();
  outside.uses_outbound_threads = true;
  const TrainingRoutes outside_routes = routes.with(outside);
  outside_routes.post(
      "/v1/preview/sft-training-jobs",
      {"createSftTrainingJob", "Train a model on examples",
       "The same model and data URL return the existing job, unless it failed or was cancelled."},
      {.body = sftCodec(), .reply = jobCodec(), .facts = {.statuses = {502, 504}}}, createSft);
  routes.get("/v1/preview/training-jobs/{training_job_id}",
             {"getTrainingJob", "Show a training job"},
             {.params = http::Parameters<JobPath>().path(
                  "training_job_id", &JobPath::training_job_id, string(), "Id of the job."),
              .reply = jobCodec()},
             [](const TrainingServices& services, const Context& context,
                const JobPath& path) -> Result<JobView> {
               Job job = TRY(services.jobs.require(callerOf(context), path.training_job_id,
                                                   identity::Action::kReadProject));
               return JobView(std::move(job));
             });
  routes.get("/v1/preview/training-jobs/{training_job_id}/events",
             {"listTrainingJobEvents", "List the events of a training job", "Oldest first."},
             {.params = listParameters("training_job_id", "Id of the job."),
              .reply = listCodec("TrainingJobEventList", eventCodec())},
             listEvents);
}

}  // namespace spindle::training
