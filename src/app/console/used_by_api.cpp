#include "app/console/used_by_api.h"

#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "registry/routes/artifact_view.h"
#include "runs/run_view.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using http::Context;
using registry::RouteBase, registry::VersionPath;
using schema::dateTime, schema::list, schema::string;

struct JobUseView {
  std::string id;
  std::string team;
  std::string project;
  std::string model;
  std::string status;
  Timestamp created_at;
};

struct UsedByView {
  std::vector<runs::RunUse> runs;
  std::vector<JobUseView> jobs;
  std::vector<EvaluationUse> evaluations;
  bool truncated = false;
};

schema::Codec<runs::RunUse> runUseCodec() {
  using R = runs::RunUse;
  return schema::Record<R>("ArtifactRunUse")
      .required("team", &R::entity, string())
      .required("project", &R::project, string())
      .required("run", &R::run_id, string(), "Id of the run.")
      .required("name", &R::name, string())
      .required("state", &R::state, runs::stateCodec())
      .required("used_at", &R::used_at, dateTime(), "First use.")
      .codec();
}

schema::Codec<JobUseView> jobUseCodec() {
  using J = JobUseView;
  return schema::Record<J>("ArtifactJobUse")
      .required("id", &J::id, string(), "Id of the training job.")
      .required("team", &J::team, string())
      .required("project", &J::project, string())
      .required("model", &J::model, string(), "Name of the trained model.")
      .required("status", &J::status, string(),
                "`PENDING`, `RUNNING`, `COMPLETED`, `FAILED` or `CANCELLED`.")
      .required("created_at", &J::created_at, dateTime())
      .codec();
}

schema::Codec<EvaluationUse> evaluationUseCodec() {
  using E = EvaluationUse;
  return schema::Record<E>("ArtifactEvaluationUse")
      .required("run", &E::run_id, string(), "Id of the evaluation run.")
      .required("team", &E::team, string())
      .required("project", &E::project, string())
      .required("model", &E::model, string(), "Name of the model object.")
      .required("started_at", &E::started_at, dateTime())
      .codec();
}

schema::Codec<UsedByView> usedByCodec() {
  return schema::Record<UsedByView>("ArtifactUsedBy")
      .required("runs", &UsedByView::runs, list(runUseCodec()), "Runs with the version as input.")
      .required("jobs", &UsedByView::jobs, list(jobUseCodec()), "Training jobs on its data.")
      .required("evaluations", &UsedByView::evaluations, list(evaluationUseCodec()),
                "Evaluation runs of its project whose model names the version.")
      .required("truncated", &UsedByView::truncated, schema::boolean(), "There may be more.")
      .codec();
}

UsedByView viewOf(VersionUse use) {
  UsedByView view{std::move(use.runs), {}, std::move(use.evaluations), use.truncated};
  view.jobs.reserve(use.jobs.size());
  for (const training::Job& job : use.jobs) {
    view.jobs.push_back({job.id, job.place.entity, job.place.project, job.model,
                         std::string(training::textOf(job.status)), job.created_at});
  }
  return view;
}

}  // namespace

void addUsedByRoutes(http::Router& router,
                     const registry::RegistryServices& services,
                     const VersionUses& uses,
                     const http::RoutePolicy& policy) {
  const http::RouteGroup routes(router, policy, registry::kArtifactsTag);
  for (const RouteBase base : registry::kRouteBases) {
    http::Parameters<VersionPath> path;
    routes.get(
        registry::pathBelow(base, "/collections/{collection}/versions/{version}/used-by"),
        {registry::choose(base, "listVersionUses", "listRegistryVersionUses"),
         "List the runs, training jobs and evaluations that used a version",
         "Newest first, at most 200 of each; only those in projects that the caller may "
         "read."},
        {.params = registry::addVersionPath(path, base), .reply = usedByCodec()},
        [services, uses](const Context& context, const VersionPath& about) -> Result<UsedByView> {
          const registry::FoundVersion found =
              TRY(registry::readableVersion(services, context, about));
          VersionUse use =
              TRY(uses.find(context.caller().user_id, found.entry.place, found.version));
          return viewOf(std::move(use));
        });
  }
}

}  // namespace spindle::app
