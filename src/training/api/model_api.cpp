#include <utility>

#include "http/router/route_group.h"
#include "registry/artifacts/names.h"
#include "training/api/group_route.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/forks.h"
#include "training/jobs/model_repository.h"

namespace spindle::training {
namespace {

using http::Context;
using schema::Codec, schema::nullable, schema::Record, schema::string;

struct ModelPath {
  std::string model_id;
};

struct ModelView {
  ModelView() = default;
  explicit ModelView(const Model& model)
      : id(model.id),
        entity(model.place.entity),
        project(model.place.project),
        name(model.name),
        base_model(model.base_model),
        run_id(model.run_id) {}

  std::string id;
  std::string entity;
  std::string project;
  std::string name;
  std::string base_model;
  std::optional<std::string> run_id;
};

struct CheckpointView {
  CheckpointView() = default;
  explicit CheckpointView(const Checkpoint& checkpoint)
      : id(checkpoint.id), step(checkpoint.step), metrics{checkpoint.metrics} {}

  std::string id;
  std::int64_t step = 0;
  json::Text metrics;
};

struct StepsBody {
  std::vector<std::int64_t> steps;
};

struct LogBody {
  std::string split;
  std::vector<GroupBody> trajectory_groups;
};

Codec<NewTrainedModel> newTrainedModelCodec() {
  return Record<NewTrainedModel>("TrainedModelCreate")
      .optional("entity", &NewTrainedModel::entity, nullable(string()),
                "The team. Default: your own.")
      .required("project", &NewTrainedModel::project, string({.min_length = 1}),
                "Created if it does not exist.")
      .required("name", &NewTrainedModel::name,
                string({.min_length = 1,
                        .max_length = registry::kMaxName,
                        .pattern = registry::kAliasPattern}),
                "Unique in the project. The collection of its adapters has the same name.")
      .required("base_model", &NewTrainedModel::base_model, string(),
                "A model of the catalogue with a file on the server.")
      .optional("return_existing", &NewTrainedModel::return_existing, schema::boolean(),
                "Return the existing model of that name, if any.")
      .codec();
}

Codec<ModelView> modelCodec() {
  Record<ModelView> record("TrainedModel");
  record.required("id", &ModelView::id, schema::uuid());
  describePlace(record);
  return record.required("name", &ModelView::name, string())
      .required("base_model", &ModelView::base_model, string())
      .optional("run_id", &ModelView::run_id, nullable(string()), "The run with its metrics.")
      .codec();
}

Codec<CheckpointView> checkpointCodec() {
  return Record<CheckpointView>("Checkpoint")
      .required("id", &CheckpointView::id, schema::uuid())
      .required("step", &CheckpointView::step, schema::integer(),
                "Step 0 is the unchanged base model.")
      .required("metrics", &CheckpointView::metrics, schema::jsonObject(), "Numbers by name.")
      .codec();
}

Codec<LogBody> logCodec() {
  return Record<LogBody>("TrajectoryLog")
      .required("split", &LogBody::split, string({.min_length = 1, .max_length = 128}),
                "`train`, `val`, …")
      .required("trajectory_groups", &LogBody::trajectory_groups, schema::list(groupCodec()))
      .codec();
}

Codec<ModelRemoved> modelRemovedCodec() {
  using R = ModelRemoved;
  return Record<R>("ModelDeleted")
      .required("model_id", &R::model_id, schema::uuid())
      .required("deleted_checkpoints", &R::deleted_checkpoints, schema::integer())
      .required("deleted_run", &R::deleted_run, schema::boolean())
      .codec();
}

Codec<StepsBody> stepsCodec() {
  return Record<StepsBody>("CheckpointDeletion")
      .required("steps", &StepsBody::steps, schema::list(schema::integer()))
      .codec();
}

Codec<CheckpointsRemoved> checkpointsRemovedCodec() {
  using R = CheckpointsRemoved;
  return Record<R>("CheckpointsDeleted")
      .required("deleted_count", &R::deleted_count, schema::integer())
      .required("not_found_steps", &R::not_found_steps, schema::list(schema::integer()))
      .codec();
}

http::Parameters<ModelPath> modelPath() {
  return http::Parameters<ModelPath>().path("model_id", &ModelPath::model_id, string(),
                                            "Id of the model.");
}

Result<ListReply<CheckpointView>> listCheckpoints(const TrainingServices& services,
                                                  const Context& context,
                                                  const ListQuery& query) {
  const Model model =
      TRY(services.models.require(callerOf(context), query.id, identity::Action::kReadProject));
  TRY(services.forks.adopt(model));
  const ListPart<Checkpoint> part =
      TRY(services.checkpoints.checkpoints(model.id, query.request()));
  return listOf<CheckpointView>(part);
}

void addRemovalRoutes(const TrainingRoutes& routes) {
  routes.remove(
      "/v1/preview/models/{model_id}",
      {"deleteTrainedModel", "Delete a model",
       "Also deletes its checkpoints, their artifacts and its run, and cancels open jobs."},
      {.params = modelPath(), .reply = modelRemovedCodec()},
      [](const TrainingServices& services, const Context& context, const ModelPath& path) {
        return services.models.remove(callerOf(context), path.model_id);
      });
  routes.remove("/v1/preview/models/{model_id}/checkpoints",
                {"deleteCheckpoints", "Delete checkpoints of a model",
                 "Also deletes their artifacts. Step numbers are not reused."},
                {.params = modelPath(), .body = stepsCodec(), .reply = checkpointsRemovedCodec()},
                [](const TrainingServices& services, const Context& context, const ModelPath& path,
                   const StepsBody& body) {
                  return services.models.removeCheckpoints(callerOf(context), path.model_id,
                                                           body.steps);
                });
}

Result<std::string> keepLog(const TrainingServices& services,
                            const Context& context,
                            const GroupUpload::Body& body,
                            std::size_t json_depth) {
  const LogBody log = TRY(parseSkeleton(logCodec(), body, json_depth));
  const Caller caller = callerOf(context);
  const std::string& model_id = context.path_parameters.front().second;
  TRY(services.models.require(caller, model_id, identity::Action::kWriteProject));
  const StoredFile kept = TRY(body.groups.finish());
  TRY(services.models.log(caller, model_id, log.split, body.summary, kept));
  return std::string("{}");
}

void addLogRoute(const TrainingRoutes& routes) {
  http::Route route =
      groupRoute(routes, "/v1/preview/models/{model_id}/log",
                 {"logTrajectories", "Log trajectories of a model",
                  "Stores the groups and their metrics: in the model's run, and as metrics of its "
                  "newest checkpoint."},
                 [services = routes.services(), json_depth = routes.policy().json_depth](
                     const Context& context, const GroupUpload::Body& body) {
                   return keepLog(services, context, body, json_depth);
                 });
  http::describe({modelPath(), logCodec().type(), nullptr}, route);
  route.describe_reply = [](json::Writer&, schema::Components&) {};
  routes.router().addRoute(std::move(route));
}

}  // namespace

Caller callerOf(const Context& context) {
  return {context.caller().user_id, context.caller().username};
}

void addModelRoutes(const TrainingRoutes& routes) {
  routes.post("/v1/preview/models",
              {"createTrainedModel", "Create a model to train",
               "Publishes step 0, an adapter that changes nothing."},
              {.body = newTrainedModelCodec(), .reply = modelCodec()},
              [](const TrainingServices& services, const Context& context,
                 const NewTrainedModel& new_model) -> Result<ModelView> {
                const Model model = TRY(services.models.create(callerOf(context), new_model));
                return ModelView(model);
              });
  http::Parameters<ListQuery> list = listParameters("model_id", "Id of the model.");
  list.query("order", &ListQuery::order, schema::literal({"asc", "desc"}), "By step.");
  routes.get("/v1/preview/models/{model_id}/checkpoints",
             {"listCheckpoints", "List the checkpoints of a model"},
             {.params = list, .reply = listCodec("CheckpointList", checkpointCodec())},
             listCheckpoints);
  addRemovalRoutes(routes);
  addLogRoute(routes);
}

void addTrainingRoutes(TrainingRoutes routes) {
  routes.setTag(kTrainingTag);
  addModelRoutes(routes);
  addJobRoutes(routes);
  addSystemCheckRoutes(routes);
}

void addTrainingManagementRoutes(TrainingRoutes routes) {
  routes.setTag(kTrainingTag);
  addJobListRoutes(routes);
  addJobStartRoutes(routes);
  addModelListRoutes(routes);
  addTrainerListRoutes(routes);
  addTrainerRoutes(routes);
  addTrainerContentRoutes(routes);
}

}  // namespace spindle::training
