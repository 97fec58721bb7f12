#include <utility>
#include <variant>

#include "http/message/deferred_response.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/store/user_repository.h"
#include "training/api/trainer_access.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/job_resources.h"
#include "training/trainers/lease_waiters.h"
#include "training/trainers/trainer_service.h"

namespace spindle::training {
namespace {

using http::Context, http::Reply;
using schema::Codec, schema::Extra, schema::integer, schema::nullable, schema::Record,
    schema::string;

constexpr std::size_t kMostEvents = 1000;
constexpr std::size_t kLongestNote = 1000;

/// TrainerCapabilities as received. Unset members have defaults.
struct CapabilitiesBody {
  std::optional<std::vector<JobKind>> kinds;
  std::optional<std::vector<BaseFormat>> formats;
  std::vector<std::string> families;
  std::int64_t gpus = 0;
  std::int64_t gpu_memory_gib = 0;
  std::vector<std::string> labels;
};
struct LeaseBody {
  std::string worker;
  std::int64_t wait_seconds = 0;
  std::optional<std::string> device;
  std::optional<CapabilitiesBody> capabilities;
};
struct HeartBeatBody {
  std::optional<double> seconds_left;
};
struct EventBody {
  std::string type;
  schema::MapOf<double> data;
  std::optional<std::string> note;
};
struct EventsBody {
  std::int64_t first = 1;
  std::vector<EventBody> events;
};
struct FailBody {
  std::string message;
};
struct EmptyBody {};

struct JobHead {
  std::string id;
  JobKind kind = JobKind::kRl;
  std::string model_id;
  std::int64_t step = 0;
  Timestamp created_at;
};
struct LeaseHead {
  std::string token;
  std::int64_t seconds = TrainerService::kLease.count();
};
struct ModelHead {
  std::string entity;
  std::string project;
  std::string name;
};
struct FolderView {
  std::string path;
  std::string revision;
  std::vector<FolderFile> files;
};
struct BaseView {
  std::string name;
  std::optional<std::string> file;
  std::int64_t size = 0;
  std::int64_t revision = 0;
  std::optional<FolderView> folder;
};
struct OfferView {
  OfferView() = default;
  explicit OfferView(const Offer& offer);

  JobHead job;
  LeaseHead lease;
  ModelHead model;
  BaseView base_model;
  std::optional<OfferedAdapter> adapter;
  std::optional<OfferedAdapter> reference;
  json::Text config;
  JobResources resources;
  std::vector<RewardSpread> reward_history;
  JobData data;
  std::optional<SavedState> state;
  std::int64_t last_sequence = 0;
};

struct BeatReply {
  bool cancel = false;
  std::int64_t seconds = TrainerService::kLease.count();
};
struct EventsReply {
  std::int64_t last_sequence = 0;
};

BaseView baseViewOf(const OfferedBase& base) {
  BaseView view;
  view.name = base.name;
  if (!base.file.empty()) view.file = base.file;
  view.size = base.size;
  view.revision = base.revision;
  if (base.listing) {
    view.folder = FolderView{base.folder, base.listing->revision, base.listing->files};
  }
  return view;
}

OfferView::OfferView(const Offer& offer)
    : job{offer.job.id, offer.job.kind, offer.job.model_id, offer.step, offer.job.created_at},
      lease{offer.token},
      model{offer.job.place.entity, offer.job.place.project, offer.job.model},
      base_model(baseViewOf(offer.base)),
      adapter(offer.adapter),
      reference(offer.reference),
      config{offer.job.config},
      resources(offer.job.resources),
      reward_history(offer.reward_history),
      data(offer.job.data),
      state(offer.job.state),
      last_sequence(offer.job.last_sequence) {}

Codec<OfferedAdapter> adapterCodec() {
  return Record<OfferedAdapter>("LeasedAdapter")
      .required("step", &OfferedAdapter::step, integer())
      .required("files", &OfferedAdapter::files, schema::list(fileCodec("LeasedFile")))
      .codec();
}

Codec<BaseView> baseCodec() {
  const Codec<FolderFile> file = Record<FolderFile>("LeasedFolderFile")
                                     .required("name", &FolderFile::name, string())
                                     .required("size", &FolderFile::size, integer(), "Bytes.")
                                     .codec();
  const Codec<FolderView> folder =
      Record<FolderView>("LeasedFolder")
          .required("path", &FolderView::path, string(), "Path on the server's host.")
          .required("revision", &FolderView::revision, string(), "Changes with the files.")
          .required("files", &FolderView::files, schema::list(file))
          .codec();
  return Record<BaseView>("LeasedBaseModel")
      .required("name", &BaseView::name, string())
      .required(
          "file", &BaseView::file, nullable(string()),
          "Path of the GGUF file on the server's host. Null if the file is in the file store of "
          "the server, or if there is only a folder.")
      .required("size", &BaseView::size, integer(), "Bytes of the file; 0: there is none.")
      .required("revision", &BaseView::revision, integer(), "Changes with the file.")
      .required("folder", &BaseView::folder, nullable(folder),
                "Hugging Face folder, for trainers that read it; null if the model has none.")
      .codec();
}

Codec<CapabilitiesBody> capabilitiesCodec() {
  using C = CapabilitiesBody;
  constexpr std::int64_t kMostGpus = 100'000;
  constexpr std::size_t kMostNames = 64;
  const auto name = string({.min_length = 1, .max_length = 64});
  return Record<C>("TrainerCapabilities", Extra::kForbid)
      .optional("kinds", &C::kinds,
                schema::ifPresent(schema::list(kindCodec(), {.min_items = 1, .max_items = 2})),
                "Kinds of jobs. Default: all.")
      .optional("formats", &C::formats,
                schema::ifPresent(schema::list(
                    schema::enumeration<BaseFormat>(
                        {{"gguf", BaseFormat::kGguf}, {"huggingface", BaseFormat::kHuggingFace}}),
                    {.min_items = 1, .max_items = 2})),
                "Forms of base models. Default: `gguf`.")
      .optional("families", &C::families, schema::list(name, {.max_items = kMostNames}),
                "Architectures of base models, such as `qwen3`. Empty: all.")
      .optional("gpus", &C::gpus, integer({.ge = 0, .le = kMostGpus}), "Number of GPUs.")
      .optional("gpu_memory_gib", &C::gpu_memory_gib, integer({.ge = 0, .le = kMostGpus}),
                "Memory of each GPU in GiB.")
      .optional("labels", &C::labels, schema::list(name, {.max_items = kMostNames}),
                "Labels that jobs may require.")
      .codec();
}

TrainerCapabilities capabilitiesOf(std::optional<CapabilitiesBody> body) {
  TrainerCapabilities capabilities;
  if (!body) return capabilities;
  if (body->kinds) capabilities.kinds = *std::move(body->kinds);
  if (body->formats) capabilities.formats = *std::move(body->formats);
  capabilities.families = std::move(body->families);
  capabilities.gpus = body->gpus;
  capabilities.gpu_memory_gib = body->gpu_memory_gib;
  capabilities.labels = std::move(body->labels);
  return capabilities;
}

Codec<OfferView> offerCodec() {
  const Codec<JobHead> job = Record<JobHead>("LeasedJob")
                                 .required("id", &JobHead::id, schema::uuid())
                                 .required("kind", &JobHead::kind, kindCodec())
                                 .required("model_id", &JobHead::model_id, schema::uuid())
                                 .required("step", &JobHead::step, integer(), "Step of the result.")
                                 .required("created_at", &JobHead::created_at, schema::dateTime())
                                 .codec();
  const Codec<LeaseHead> lease =
      Record<LeaseHead>("Lease")
          .required("token", &LeaseHead::token, string(), "Send it in the header `Lease-Token`.")
          .required("seconds", &LeaseHead::seconds, integer(), "Duration of the lease.")
          .codec();
  Record<ModelHead> model("LeasedModel");
  describePlace(model);
  model.required("name", &ModelHead::name, string());
  const Codec<BaseView> base = baseCodec();
  const Codec<JobData> data = Record<JobData>("LeasedData")
                                  .required("size", &JobData::size, integer(), "Bytes.")
                                  .required("count", &JobData::count, nullable(integer()), "Lines.")
                                  .codec();
  const Codec<SavedState> state = Record<SavedState>("LeasedState")
                                      .required("sequence", &SavedState::sequence, integer(),
                                                "The last event that the state includes.")
                                      .required("size", &SavedState::size, integer(), "Bytes.")
                                      .codec();
  const Codec<RewardSpread> spread =
      Record<RewardSpread>("LeasedRewardSpread")
          .required("step", &RewardSpread::step, integer())
          .required("std_dev", &RewardSpread::std_dev, schema::number())
          .codec();
  return Record<OfferView>("TrainerLease")
      .required("job", &OfferView::job, job)
      .required("lease", &OfferView::lease, lease)
      .required("model", &OfferView::model, model.codec())
      .required("base_model", &OfferView::base_model, base)
      .required("adapter", &OfferView::adapter, nullable(adapterCodec()),
                "Adapter to continue from.")
      .required("reference", &OfferView::reference, nullable(adapterCodec()),
                "KL reference adapter.")
      .required("config", &OfferView::config, schema::jsonObject(),
                "Complete configuration, with defaults.")
      .required("resources", &OfferView::resources, resourcesCodec(), "What the job needs.")
      .required("reward_history", &OfferView::reward_history, schema::list(spread),
                "Standard deviation of rewards in earlier steps.")
      .required("data", &OfferView::data, data)
      .required("state", &OfferView::state, nullable(state), "Saved state of an earlier attempt.")
      .required("last_sequence", &OfferView::last_sequence, integer(),
                "Number of the last event that the server has.")
      .codec();
}

http::Response offerResponse(const Result<std::optional<Offer>>& offer, http::ErrorShape errors) {
  if (!offer) return http::errorResponse(offer.error(), errors);
  if (!*offer) return http::Response(204);
  static const Codec<OfferView> codec = offerCodec();
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  response.body = codec.toJson(OfferView(**offer));
  return response;
}

Result<Reply<OfferView>> lease(const TrainingServices& services,
                               const Context& context,
                               const LeaseBody& body,
                               http::ErrorShape errors) {
  TRY(requireTrainer(services, context));
  services.trainers.greet(body.worker, body.device);
  TRY(services.trainers.releaseLeasesOf(body.worker));
  auto later = std::make_shared<http::DeferredResponse>();
  const TrainerRequest trainer{body.worker, capabilitiesOf(body.capabilities)};
  if (body.wait_seconds == 0) {
    later->complete(offerResponse(services.trainers.lease(trainer), errors));
  } else {
    services.lease_waiters.wait(trainer, std::chrono::seconds(body.wait_seconds),
                                [later, errors](const Result<std::optional<Offer>>& offer) {
                                  return later->complete(offerResponse(offer, errors));
                                });
  }
  Reply<OfferView> reply{OfferView()};
  reply.later = std::move(later);
  return reply;
}

Result<std::vector<ReportedEvent>> reportedEventsOf(const EventsBody& body) {
  std::vector<ReportedEvent> reported;
  for (std::size_t i = 0; i < body.events.size(); ++i) {
    const EventBody& event = body.events[i];
    ReportedEvent& one = reported.emplace_back();
    one.type = eventTypeOf(event.type);
    one.data = metricsJson(event.data);
    const bool first = body.first + static_cast<std::int64_t>(i) == 1;
    if (first != (one.type == EventType::kTrainingStarted)) {
      return Error::invalidArgument("event 1 must be training_started, and no other event may be");
    }
    if (!first) continue;
    for (const auto& [name, value] : event.data) {
      if (name == "num_sequences") one.num_sequences = static_cast<std::int64_t>(value);
    }
    one.note = event.note;
    one.data = startedJson(one.num_sequences, one.note);
  }
  return reported;
}

/// The differences between requests about a job.
struct JobCall {
  std::string_view path;
  std::string_view operation_id;
  std::string_view summary;
};

/// Adds a request about a job, for trainers only.
template <class Body, class Out, class Do>
void addJobCall(const TrainingRoutes& routes,
                const JobCall& call,
                const Codec<Body>& body,
                const Codec<Out>& reply,
                Do what) {
  routes.post(call.path, {call.operation_id, call.summary},
              {.params = leaseParameters<LeasePath>(), .body = body, .reply = reply},
              [what](const TrainingServices& services, const Context& context,
                     const LeasePath& lease, const Body& said) -> Result<Out> {
                TRY(requireTrainerOfJob(services, context));
                return what(lease.lease(), said);
              });
}

Codec<EventsBody> eventsCodec() {
  const Codec<EventBody> event =
      Record<EventBody>("TrainerEvent", Extra::kForbid)
          .required("type", &EventBody::type,
                    schema::literal({"training_started", "gradient_step"}))
          .required("data", &EventBody::data, schema::map(schema::number()), "Numbers by name.")
          .optional("note", &EventBody::note, nullable(string({.max_length = kLongestNote})),
                    "With `training_started`: why there is nothing to learn.")
          .codec();
  return Record<EventsBody>("TrainerEvents", Extra::kForbid)
      .required("first", &EventsBody::first, integer({.ge = 1}), "Number of the first event.")
      .required("events", &EventsBody::events, schema::list(event, {.max_items = kMostEvents}),
                "In order. Events that the server already has are ignored.")
      .codec();
}

void addProgressRoutes(const TrainingRoutes& routes) {
  addJobCall(routes,
             {"/api/v1/trainer/jobs/{id}/heartbeat", "beatTrainingJob", "Renew the lease of a job"},
             Record<HeartBeatBody>("TrainerHeartBeat", Extra::kForbid)
                 .optional("seconds_left", &HeartBeatBody::seconds_left,
                           nullable(schema::number({.ge = 0})), "Estimated remaining time.")
                 .codec(),
             Record<BeatReply>("TrainerHeartBeatReply")
                 .required("cancel", &BeatReply::cancel, schema::boolean(),
                           "The job was cancelled: stop it.")
                 .required("seconds", &BeatReply::seconds, integer(), "New duration of the lease.")
                 .codec(),
             [services = routes.services()](const JobLease& lease,
                                            const HeartBeatBody& body) -> Result<BeatReply> {
               const bool cancelled = TRY(services.trainers.heartBeat(lease, body.seconds_left));
               BeatReply reply;
               reply.cancel = cancelled;
               return reply;
             });
  addJobCall(
      routes,
      {"/api/v1/trainer/jobs/{id}/events", "tellTrainingJobEvents", "Report events of a job"},
      eventsCodec(),
      Record<EventsReply>("TrainerEventsReply")
          .required("last_sequence", &EventsReply::last_sequence, integer())
          .codec(),
      [services = routes.services()](const JobLease& lease,
                                     const EventsBody& body) -> Result<EventsReply> {
        const std::vector<ReportedEvent> reported = TRY(reportedEventsOf(body));
        const std::int64_t last =
            TRY(services.trainers.appendReportedEvents(lease, body.first, reported));
        return EventsReply{last};
      });
}

void addEndRoutes(const TrainingRoutes& routes) {
  addJobCall(routes,
             {"/api/v1/trainer/jobs/{id}/complete", "completeTrainingJob",
              "Publish a checkpoint from the uploaded files"},
             Record<TrainingResult>("TrainerResult", Extra::kForbid)
                 .optional("metrics", &TrainingResult::metrics, schema::map(schema::number()),
                           "Metrics of the checkpoint.")
                 .optional("unchanged", &TrainingResult::unchanged, schema::boolean(),
                           "Publish the previous adapter again.")
                 .codec(),
             Record<Published>("TrainerPublished")
                 .required("step", &Published::step, integer())
                 .required("version", &Published::version, string())
                 .codec(),
             [services = routes.services()](const JobLease& lease, const TrainingResult& result) {
               return services.trainers.complete(lease, result);
             });
  const Codec<EmptyBody> done = Record<EmptyBody>("TrainerDone").codec();
  addJobCall(
      routes, {"/api/v1/trainer/jobs/{id}/fail", "failTrainingJob", "Fail a job with a message"},
      Record<FailBody>("TrainerFailure", Extra::kForbid)
          .required("message", &FailBody::message, string({.min_length = 1, .max_length = 10'000}),
                    "What happened and what to do.")
          .codec(),
      done,
      [services = routes.services()](const JobLease& lease,
                                     const FailBody& body) -> Result<EmptyBody> {
        TRY(services.trainers.fail(lease, body.message));
        return EmptyBody();
      });
  addJobCall(
      routes,
      {"/api/v1/trainer/jobs/{id}/release", "releaseTrainingJob",
       "Release a job without counting an attempt"},
      Record<EmptyBody>("TrainerRelease", Extra::kForbid).codec(), done,
      [services = routes.services()](const JobLease& lease, const EmptyBody&) -> Result<EmptyBody> {
        TRY(services.trainers.release(lease));
        return EmptyBody();
      });
}

}  // namespace

Codec<ArtifactFile> fileCodec(const std::string& record) {
  return Record<ArtifactFile>(record)
      .required("name", &ArtifactFile::name, string())
      .required("size", &ArtifactFile::size, integer(), "Bytes.")
      .required("md5", &ArtifactFile::md5, string(), "Base64.")
      .codec();
}

Result<void> requireTrainer(const TrainingServices& services, const Context& context) {
  const std::string& user_id = context.caller().user_id;
  if (!services.own_trainer.empty() && user_id == services.own_trainer) return {};
  if (TRY(services.access.isOrganizationAdmin(user_id))) return {};
  const identity::User user = TRY(services.users.find(user_id));
  const bool made_for_it =
      user.kind == identity::UserKind::kService &&
      user.scope == identity::ServiceScope::kOrganization &&
      (user.description == "trainer" || user.description.starts_with("trainer "));
  if (made_for_it) return {};
  return Error::denied("Only trainers may do this.");
}

Result<void> requireTrainerOfJob(const TrainingServices& services, const Context& context) {
  Result<void> may = requireTrainer(services, context);
  if (may || may.error().code() != ErrorCode::kPermissionDenied) return may;
  return Error::notFound("Training job not found");
}

void addTrainerRoutes(const TrainingRoutes& management) {
  http::RoutePolicy policy = management.policy();
  policy.idempotent_posts = false;  // trainers may repeat every request
  TrainingRoutes routes = management.with(policy);
  routes.setTag(kTrainerTag);
  routes.post(
      "/api/v1/trainer/lease",
      {"leaseTrainingJob", "Lease the next training job", "Returns 204 if there is none."},
      {.body =
           Record<LeaseBody>("TrainerWish", Extra::kForbid)
               .required("worker", &LeaseBody::worker, string({.min_length = 1, .max_length = 128}),
                         "Unique name of the trainer; the same after a restart.")
               .optional("wait_seconds", &LeaseBody::wait_seconds, integer({.ge = 0, .le = 60}),
                         "Maximum time to wait for a job.")
               .optional("device", &LeaseBody::device, nullable(string({.max_length = 128})),
                         "Device that trains: `cpu` or `cuda`.")
               .optional(
                   "capabilities", &LeaseBody::capabilities, nullable(capabilitiesCodec()),
                   "The jobs that the trainer can execute. Default: all jobs whose base model "
                   "has a GGUF file and that need no resources.")
               .codec(),
       .reply = offerCodec(),
       .facts = {.statuses = {204}}},
      [errors = policy.errors](const TrainingServices& services, const Context& context,
                               const LeaseBody& body) {
        return lease(services, context, body, errors);
      });
  addProgressRoutes(routes);
  addEndRoutes(routes);
}

}  // namespace spindle::training
