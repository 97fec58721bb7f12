#include <utility>

#include "http/router/route_group.h"
#include "registry/repositories/version_repository.h"
#include "registry/routes/artifact_resolver.h"
#include "schema/described.h"
#include "schema/parse.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/data/group_upload.h"
#include "training/jobs/data_fetcher.h"
#include "training/jobs/job_config.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/job_service.h"

namespace spindle::training {
namespace {

using http::Context, http::Method;
using schema::boolean, schema::Codec, schema::integer, schema::literal, schema::nullable,
    schema::number, schema::Record, schema::string;

constexpr int kMostFiles = 1000;

struct JobPath {
  std::string training_job_id;
};

struct RlBody {
  std::string model_id;
  std::vector<GroupBody> trajectory_groups;
  std::optional<RlConfig> experimental_config;
};

struct MetricLoggingBody {
  std::optional<bool> enabled;
  std::optional<std::int64_t> target_training_step;
};
struct SftSettings {
  std::optional<std::variant<std::int64_t, std::string>> batch_size;
  std::optional<std::variant<double, std::vector<double>>> learning_rate;
  std::string assistant_turns = "all";
  std::optional<MetricLoggingBody> metric_logging;
};
struct SftBody {
  std::string model_id;
  std::string training_data_url;
  std::optional<SftSettings> config;
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

Codec<RlConfig> rlConfigCodec() {
  return schema::described(
      Record<RlConfig>("RlConfig")
          .optional("learning_rate", &RlConfig::learning_rate, nullable(number({.ge = 0})), "5e-6.")
          .optional("loss_fn", &RlConfig::loss_fn, nullable(literal({"cispo", "ppo"})), "`cispo`.")
          .optional("ppo", &RlConfig::ppo, nullable(boolean()),
                    "Older spelling of `loss_fn`: true means `ppo`.")
          .optional("epsilon", &RlConfig::epsilon, nullable(number({.ge = 0})),
                    "Lower clip width of the importance ratio. Default: 0.2 for ppo, 1 for cispo.")
          .optional(
              "epsilon_high", &RlConfig::epsilon_high, nullable(number({.ge = 0})),
              "Upper clip width of the importance ratio. Default: `epsilon` for ppo, 4 for cispo.")
          .optional("importance_sampling_level", &RlConfig::importance_sampling_level,
                    nullable(literal({"token", "sequence", "average", "geometric_average"})),
                    "`token`.")
          .optional("scale_rewards", &RlConfig::scale_rewards, nullable(boolean()), "true.")
          .optional("normalize_advantages", &RlConfig::normalize_advantages, nullable(boolean()),
                    "Default: true. Rewards are scaled if this and `scale_rewards` are true.")
          .optional(
              "advantage_balance", &RlConfig::advantage_balance,
              nullable(number({.ge = -1, .le = 1})),
              "Above 0, negative advantages have less weight; below 0, positive ones. Default: 0.")
          .optional("max_negative_advantage_importance_sampling_weight",
                    &RlConfig::max_negative_advantage_importance_sampling_weight,
                    nullable(number({.ge = 0})), "Upper bound of the importance ratio.")
          .optional("mask_prob_ratio", &RlConfig::mask_prob_ratio, nullable(boolean()),
                    "Mask tokens outside the clip range instead of clipping them. Default: false.")
          .optional("kimi_k2_tau", &RlConfig::kimi_k2_tau, nullable(number()), "")
          .optional("kl_penalty_coef", &RlConfig::kl_penalty_coef, nullable(number({.ge = 0})),
                    "0.")
          .optional("kl_penalty_source", &RlConfig::kl_penalty_source,
                    nullable(literal({"current_learner", "sample"})),
                    "Default: `sample` if `kl_penalty_coef` is positive.")
          .optional("kl_penalty_reference_step", &RlConfig::kl_penalty_reference_step,
                    nullable(integer({.ge = 0})), "Step of the reference checkpoint.")
          .optional("kl_penalty_step_lag", &RlConfig::kl_penalty_step_lag,
                    nullable(integer({.ge = 1})),
                    "Reference checkpoint, in steps back from the current step.")
          .optional("kl_ref_adapter_path", &RlConfig::kl_ref_adapter_path, nullable(string()),
                    "Reference checkpoint, as the path of an artifact.")
          .optional("truncated_importance_sampling", &RlConfig::truncated_importance_sampling,
                    nullable(number({.ge = 0})),
                    "With `precalculate_logprobs`: upper bound of the ratio of trainer to sampler "
                    "probability.")
          .optional("precalculate_logprobs", &RlConfig::precalculate_logprobs, nullable(boolean()),
                    "false.")
          .optional("allow_training_without_logprobs", &RlConfig::allow_training_without_logprobs,
                    nullable(boolean()), "false.")
          .optional(
              "packed_sequence_length", &RlConfig::packed_sequence_length,
              nullable(integer({.ge = 1})),
              "Tokens per row. Default: the longest trajectory, rounded up to a multiple of 2,048.")
          .optional("logprob_calculation_chunk_size", &RlConfig::logprob_calculation_chunk_size,
                    nullable(integer({.ge = 1})), "1024.")
          .optional("num_trajectories_learning_rate_multiplier_power",
                    &RlConfig::num_trajectories_learning_rate_multiplier_power, nullable(number()),
                    "0.")
          .optional("scale_learning_rate_by_reward_std_dev",
                    &RlConfig::scale_learning_rate_by_reward_std_dev, nullable(boolean()), "false.")
          .optional("plot_tensors", &RlConfig::plot_tensors, nullable(boolean()),
                    "Accepted for compatibility; ignored.")
          .check([](const RlConfig& config) -> std::optional<schema::RuleError> {
            if (!config.kl_penalty_reference_step || !config.kl_penalty_step_lag)
              return std::nullopt;
            return schema::valueError(
                "kl_penalty_reference_step and kl_penalty_step_lag exclude each other");
          })
          .codec(),
      R"({"not":{"properties":{"kl_penalty_reference_step":{"not":{"type":"null"}},)"
      R"("kl_penalty_step_lag":{"not":{"type":"null"}}},)"
      R"("required":["kl_penalty_reference_step","kl_penalty_step_lag"]}})");
}

Codec<RlBody> rlCodec() {
  return Record<RlBody>("TrainingJobCreate")
      .required("model_id", &RlBody::model_id, schema::uuid(), "")
      .required("trajectory_groups", &RlBody::trajectory_groups, schema::list(groupCodec()), "")
      .optional("experimental_config", &RlBody::experimental_config, nullable(rlConfigCodec()), "")
      .codec();
}

Codec<SftBody> sftCodec() {
  const Codec<MetricLoggingBody> logging =
      Record<MetricLoggingBody>("SftMetricLogging")
          .optional("enabled", &MetricLoggingBody::enabled, nullable(boolean()), "false.")
          .optional("target_training_step", &MetricLoggingBody::target_training_step,
                    nullable(integer()), "")
          .codec();
  const auto batch =
      schema::anyOf(schema::Alternative<std::int64_t>{"int", integer({.ge = 1})},
                    schema::Alternative<std::string>{"literal['auto']", literal({"auto"})});
  const auto rate = schema::anyOf(
      schema::Alternative<double>{"float", number({.ge = 0})},
      schema::Alternative<std::vector<double>>{"list[float]", schema::list(number({.ge = 0}))});
  const Codec<SftSettings> config =
      Record<SftSettings>("SftConfig")
          .optional("batch_size", &SftSettings::batch_size, nullable(batch),
                    "Lines per step. Default: 2.")
          .optional("learning_rate", &SftSettings::learning_rate, nullable(rate),
                    "AdamW learning rate. A list has one per batch. Default: 5e-5.")
          .optional("assistant_turns", &SftSettings::assistant_turns, literal({"all", "last"}),
                    "Train on all assistant messages of a conversation, or on the last.")
          .optional("metric_logging", &SftSettings::metric_logging, nullable(logging), "")
          .codec();
  return Record<SftBody>("SftTrainingJobCreate")
      .required("model_id", &SftBody::model_id, schema::uuid(), "")
      .required("training_data_url", &SftBody::training_data_url, string(),
                "`svc-artifact:///entity/project/name:version`, an artifact that contains "
                "`trajectories.jsonl` or `train.jsonl`; or an `https://…` URL of such lines.")
      .optional("config", &SftBody::config, nullable(config), "")
      .optional("experimental_config", &SftBody::experimental_config,
                nullable(schema::jsonObject()), "")
      .codec();
}

Codec<JobView> jobCodec() {
  Record<JobView> record("TrainingJob");
  describeJob(record);
  return record.codec();
}

Codec<EventView> eventCodec() {
  return Record<EventView>("TrainingJobEvent")
      .required("id", &EventView::id, schema::uuid(), "")
      .required("type", &EventView::type,
                literal({"training_started", "gradient_step", "training_ended", "training_failed"}),
                "")
      .required("data", &EventView::data, schema::jsonObject(), "")
      .codec();
}

/// Returns the version that a path names, with the error messages of this API.
Result<registry::ResolvedVersion> versionNamed(const TrainingServices& services,
                                               const Context& context,
                                               const std::string& text,
                                               std::string_view member) {
  Result<registry::ResolvedVersion> found = registry::resolveVersion(
      services.registry, context, text, {{}, {"body", std::string(member)}},
      identity::Action::kDownloadFromRegistry);
  if (found || found.error().code() == ErrorCode::kUnavailable) return found;
  return Error::invalidArgument("There is no artifact " + text + " that you can read, which " +
                                std::string(member) + " names.");
}

Result<JobData> dataAt(const TrainingServices& services,
                       const Context& context,
                       const std::string& url) {
  const registry::ResolvedVersion found =
      TRY(versionNamed(services, context, url, "training_data_url"));
  const std::vector<registry::ManifestEntry> entries =
      TRY(services.registry.versions.entries(found.version.id, "", "", kMostFiles));
  std::vector<std::string> paths;
  for (const registry::ManifestEntry& entry : entries) paths.push_back(entry.path);
  const std::string_view chosen =
      found.entry_path.empty() ? dataFileAmong(paths) : std::string_view(found.entry_path);
  for (const registry::ManifestEntry& entry : entries) {
    if (entry.path != chosen) continue;
    if (entry.ref)
      return Error::invalidArgument("The file " + entry.path +
                                    " is a reference and is not stored here.");
    JobData data;
    data.url = url;
    data.team_id = found.version.team_id;
    data.digest = entry.digest;
    data.size = entry.size;
    return data;
  }
  return Error::invalidArgument(
      "The artifact contains neither trajectories.jsonl nor train.jsonl, and not exactly one other "
      "*.jsonl file.");
}

/// Returns the data of an SFT job. Downloads data from a URL, unless the job already exists.
Result<JobData> sftData(const TrainingServices& services,
                        const Context& context,
                        const std::string& model_id,
                        const std::string& url) {
  if (!DataFetcher::isFor(url)) return dataAt(services, context, url);
  const std::optional<Job> known = TRY(services.job_rows.findExisting(model_id, url));
  return known ? known->data : services.fetcher.fetch(url);
}

http::Response viewOf(const Result<Job>& job, const http::RoutePolicy& policy) {
  if (!job) return http::errorResponse(job.error(), policy.errors);
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  response.body = jobCodec().toJson(JobView(*job));
  return response;
}

Result<Job> createRl(const TrainingServices& services,
                     const Context& context,
                     const GroupUpload::Body& body,
                     const http::RoutePolicy& policy) {
  Result<RlBody> parsed = schema::parse(rlCodec(), body.skeleton, "body", policy.json_depth);
  std::vector<Violation> violations =
      parsed ? std::vector<Violation>() : parsed.error().violations();
  violations.insert(violations.end(), body.violations.begin(), body.violations.end());
  if (!violations.empty()) return Error::invalid(std::move(violations));
  RlConfig config = parsed->experimental_config.value_or(RlConfig());
  const Caller caller = callerOf(context);
  TRY(services.models.require(caller, parsed->model_id, identity::Action::kWriteProject));
  if (config.kl_ref_adapter_path) {
    const registry::ResolvedVersion reference =
        TRY(versionNamed(services, context, *config.kl_ref_adapter_path, "kl_ref_adapter_path"));
    config.reference_version = reference.version.id;
    config.reference_team = reference.version.team_id;
  }
  return services.jobs.createRl(caller, parsed->model_id, config, body.summary, body.groups);
}

/// The parts of a request that a handler needs while the body arrives.
struct CapturedContext {
  explicit CapturedContext(const Context& of) : request(of.request) {}
  http::Request request;
  const std::vector<http::NamedText> path = {};
  const http::QueryParameters query = {};
  Context context{request, path, query};
};

http::Route rlRoute(const TrainingServices& services, const http::RoutePolicy& policy) {
  http::Route route;
  route.method = Method::kPost;
  route.path = "/v1/preview/training-jobs";
  route.operation_id = "createTrainingJob";
  route.summary = "Train a model by reinforcement learning";
  route.description =
      "Body up to 256 MB; may be compressed. Jobs of a model run one at a time, in order.";
  route.tag = kTrainingTag;
  route.policy = policy;
  route.policy.body_limit = http::kCodedBody;
  route.describe_parameters = [](json::Writer&, schema::Components&) {};
  route.describe_body = http::descriptionOf(rlCodec().type());
  route.describe_reply = http::descriptionOf(jobCodec().type());
  route.run = [services, policy](const Context& context) {
    auto kept = std::make_shared<CapturedContext>(context);
    Result<http::Response> taken =
        groupUpload(context.request, services.files,
                    {.coding = {},
                     .errors = policy.errors,
                     .largest = kLargestGroups,
                     .json_depth = policy.json_depth},
                    [services, policy, kept](const GroupUpload::Body& body) {
                      return viewOf(createRl(services, kept->context, body, policy), policy);
                    });
    return taken ? *std::move(taken) : http::errorResponse(taken.error(), policy.errors);
  };
  return route;
}

Result<JobView> createSft(const TrainingServices& services,
                          const Context& context,
                          const SftBody& body) {
  const Caller caller = callerOf(context);
  const Model model =
      TRY(services.models.require(caller, body.model_id, identity::Action::kWriteProject));
  const JobData data = TRY(sftData(services, context, model.id, body.training_data_url));
  const SftSettings settings = body.config.value_or(SftSettings());
  SftConfig config;
  config.batch_size = settings.batch_size;
  config.learning_rate = settings.learning_rate;
  config.assistant_turns = settings.assistant_turns;
  if (settings.metric_logging) {
    config.logs_metrics = settings.metric_logging->enabled;
    config.target_training_step = settings.metric_logging->target_training_step;
  }
  if (body.experimental_config) config.experimental = body.experimental_config->json;
  const Job job = TRY(services.jobs.createSft(caller, body.model_id, data, config));
  return JobView(job);
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

void addJobRoutes(TrainingRoutes routes) {
  routes.router().addRoute(rlRoute(routes.services(), routes.policy()));
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
               const Job job = TRY(services.jobs.require(callerOf(context), path.training_job_id,
                                                         identity::Action::kReadProject));
               return JobView(job);
             });
  routes.get("/v1/preview/training-jobs/{training_job_id}/events",
             {"listTrainingJobEvents", "List the events of a training job", "Oldest first."},
             {.params = listParameters("training_job_id", "Id of the job."),
              .reply = listCodec("TrainingJobEventList", eventCodec())},
             listEvents);
}

}  // namespace spindle::training
