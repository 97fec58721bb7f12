#include <charconv>
#include <utility>

#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/model_repository.h"

namespace spindle::training {
namespace {

using http::Context, http::PageReply;
using schema::nullable, schema::Record, schema::string;

/// Pages of a team that are read to find models that the caller may see.
constexpr int kMostReads = 5;

struct ModelsQuery : http::PageQuery {
  std::string team;
  std::string project;
  std::optional<std::string> name;
};
struct TrainedModelPath {
  std::string id;
};

struct NewestCheckpoint {
  std::string id;
  std::int64_t step = 0;
  json::Text metrics;
};
struct LastJob {
  std::string id;
  JobKind kind = JobKind::kSft;
  JobStatus status = JobStatus::kPending;
  std::optional<double> progress;
  Timestamp created_at;
};

struct TrainedModelView {
  TrainedModelView() = default;
  explicit TrainedModelView(ModelSummary of)
      : id(of.model.id),
        name(of.model.name),
        project(of.model.place.entity + "/" + of.model.place.project),
        base_model(of.model.base_model),
        run_id(of.model.run_id),
        step(of.model.step),
        artifact("svc-artifact:///" + project + "/" + name),
        checkpoints(of.checkpoints),
        created_at(of.model.created_at),
        created_by(of.model.creator.username) {
    if (of.newest) newest = {of.newest->id, of.newest->step, {std::move(of.newest->metrics)}};
    if (of.last_job) {
      const Job& job = *of.last_job;
      last_job = {job.id, job.kind, job.status, job.progress(), job.created_at};
    }
  }

  std::string id;
  std::string name;
  std::string project;
  std::string base_model;
  std::optional<std::string> run_id;
  std::int64_t step = 0;
  std::string artifact;
  std::int64_t checkpoints = 0;
  std::optional<NewestCheckpoint> newest;
  std::optional<LastJob> last_job;
  Timestamp created_at;
  std::string created_by;
};

schema::Codec<TrainedModelView> trainedModelCodec() {
  using V = TrainedModelView;
  const schema::Codec<NewestCheckpoint> checkpoint =
      Record<NewestCheckpoint>("NewestCheckpoint")
          .required("id", &NewestCheckpoint::id, schema::uuid())
          .required("step", &NewestCheckpoint::step, schema::integer())
          .required("metrics", &NewestCheckpoint::metrics, schema::jsonObject(), "Numbers by name.")
          .codec();
  const schema::Codec<LastJob> job =
      Record<LastJob>("LastTrainingJob")
          .required("id", &LastJob::id, schema::uuid())
          .required("kind", &LastJob::kind, kindCodec())
          .required("status", &LastJob::status, statusCodec())
          .required("progress", &LastJob::progress, nullable(schema::number()), "0 to 1.")
          .required("created_at", &LastJob::created_at, schema::dateTime())
          .codec();
  return Record<V>("TrainedModelDetail")
      .required("id", &V::id, schema::uuid())
      .required("name", &V::name, string())
      .required("project", &V::project, string(), "`team/project`")
      .required("base_model", &V::base_model, string())
      .required("run_id", &V::run_id, nullable(string()), "The run with its metrics.")
      .required("step", &V::step, schema::integer(), "Highest step ever published.")
      .required("artifact", &V::artifact, string(),
                "Path of the adapters. Use it as the `model` of a completion.")
      .required("checkpoints", &V::checkpoints, schema::integer(),
                "Number of checkpoints, with step 0.")
      .required("newest_checkpoint", &V::newest, nullable(checkpoint))
      .required("last_job", &V::last_job, nullable(job))
      .required("created_at", &V::created_at, schema::dateTime())
      .required("created_by", &V::created_by, string())
      .codec();
}

/// A cursor is the creation time in microseconds and the id.
Result<std::optional<ModelPosition>> positionIn(const std::string& cursor) {
  const std::string text = TRY(http::decodeCursor(cursor));
  if (text.empty()) return std::optional<ModelPosition>();
  std::int64_t micros = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), micros);
  if (problem != std::errc() || end == text.data() + text.size() || *end != ' ') {
    return http::invalidCursor(cursor);
  }
  return std::optional(ModelPosition{timestampOfMicros(micros), std::string(end + 1)});
}

std::string cursorBehind(const Model& model) {
  return http::encodeCursor(std::to_string(microsOf(model.created_at)) + " " + model.id);
}

/// Returns the filter for the team or the project of a request. The project id is empty if the
/// project does not exist yet.
Result<ModelFilter> filterOf(const TrainingServices& services,
                             const Context& context,
                             const ModelsQuery& query) {
  const std::string& user = context.caller().user_id;
  ModelFilter filter;
  filter.name = query.name;
  if (query.project.empty()) {
    if (query.team.empty()) {
      return Error::invalidArgument("give a team, a project, or both").because("project_name");
    }
    const identity::TeamAccess team = TRY(services.access.findTeam(user, query.team));
    filter.team_id = team.team_id;
    return filter;
  }
  const bool whole = query.project.find('/') != std::string::npos;
  if (!whole && query.team.empty()) {
    return Error::invalidArgument("a project is named team/project, or given with its team")
        .because("project_name");
  }
  if (whole && !query.team.empty() && !query.project.starts_with(query.team + "/")) {
    return Error::invalidArgument("the project is not one of the team").because("project_name");
  }
  const identity::ProjectAccess access = TRY(
      services.access.readProject(user, whole ? query.project : query.team + "/" + query.project));
  filter.project_id = access.project_id;
  return filter;
}

/// Returns true if the caller may read the model.
Result<bool> isReadable(const TrainingServices& services,
                        const Context& context,
                        const Model& model) {
  const Result<identity::ProjectAccess> access =
      services.access.requireInProject(context.caller().user_id, model.place.entity,
                                       model.place.project, identity::Action::kReadProject);
  if (access) return true;
  const ErrorCode code = access.error().code();
  if (code == ErrorCode::kNotFound || code == ErrorCode::kPermissionDenied) return false;
  return access.error();
}

Result<PageReply<TrainedModelView>> listModels(const TrainingServices& services,
                                               const Context& context,
                                               const ModelsQuery& query) {
  ModelFilter filter = TRY(filterOf(services, context, query));
  std::optional<ModelPosition> after = TRY(positionIn(query.cursor));
  PageReply<TrainedModelView> reply;
  if (filter.project_id && filter.project_id->empty()) return reply;
  // A team may have restricted projects that the caller cannot see.
  for (int reads = 0; reads < kMostReads; ++reads) {
    const std::int64_t wanted = query.limit - static_cast<std::int64_t>(reply.items.size());
    ListPart<ModelSummary> part = TRY(services.checkpoints.list(filter, after, wanted));
    for (ModelSummary& summary : part.items) {
      after = ModelPosition{summary.model.created_at, summary.model.id};
      reply.next_cursor = cursorBehind(summary.model);
      if (!TRY(isReadable(services, context, summary.model))) continue;
      reply.items.emplace_back(std::move(summary));
    }
    if (!part.has_more) {
      reply.next_cursor.reset();
      break;
    }
    if (std::cmp_equal(reply.items.size(), query.limit)) break;
  }
  return reply;
}

Result<TrainedModelView> showModel(const TrainingServices& services,
                                   const Context& context,
                                   const TrainedModelPath& path) {
  const Model model =
      TRY(services.models.require(callerOf(context), path.id, identity::Action::kReadProject));
  ModelSummary summary = TRY(services.checkpoints.summary(model.id));
  return TrainedModelView(std::move(summary));
}

}  // namespace

void addModelListRoutes(const TrainingRoutes& routes) {
  http::Parameters<ModelsQuery> list = http::pageParameters<ModelsQuery>();
  list.query("team", &ModelsQuery::team, string({.max_length = 256}), "All projects of a team.")
      .query("project", &ModelsQuery::project, string({.max_length = 512}),
             "`team/project`, or the name of a project of `team`.")
      .query("name", &ModelsQuery::name, schema::ifPresent(string()), "Only models of this name.");
  routes.get("/api/v1/trained-models",
             {"listTrainedModels", "List the trained models of a team or a project",
              "Newest first. Give `team`, `project` or both. The pages of a team omit projects "
              "that you cannot read, so they can be shorter than `limit`."},
             {.params = list, .reply = http::pageCodec("TrainedModelPage", trainedModelCodec())},
             listModels);
  routes.get("/api/v1/trained-models/{id}", {"showTrainedModel", "Show a trained model"},
             {.params = http::Parameters<TrainedModelPath>().path("id", &TrainedModelPath::id,
                                                                  string(), "Id of the model."),
              .reply = trainedModelCodec()},
             showModel);
}

}  // namespace spindle::training
