#include "runs/run_view.h"

#include <utility>

#include "http/router/etag.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "registry/routes/artifact_view.h"
#include "runs/run_repository.h"
#include "schema/scalar.h"

namespace spindle::runs {
namespace {

using http::Context, registry::Place;
using identity::Action, identity::ProjectAccess;

Result<Place> placeOf(const Result<ProjectAccess>& access, const RunsPath& path) {
  if (!access) return access.error();
  return registry::projectPlace(*access, path.team, path.project);
}

}  // namespace

http::Parameters<RunPath> runPath() {
  http::Parameters<RunPath> parameters;
  return addRunPath(parameters);
}

void makeBodyOptional(http::Route& route) {
  route.run = [run = std::move(route.run)](const Context& context) {
    if (context.request.body.empty()) context.request.body = "{}";
    return run(context);
  };
  route.body_required = false;
}

RunView::RunView(const Run& run, const RunsPath& path)
    : Run(run),
      team(path.team),
      project(path.project),
      config_object{std::move(config)},
      metrics_object{std::move(metric_rules)},
      summary_object{std::move(summary)} {}

schema::Codec<RunState> stateCodec() {
  return registry::textCodec({RunState::kPending, RunState::kRunning, RunState::kFinished,
                              RunState::kFailed, RunState::kCrashed, RunState::kKilled,
                              RunState::kPreempted});
}

schema::Codec<RunView> runViewCodec() {
  using schema::dateTime, schema::integer, schema::nullable, schema::string;
  return schema::Record<RunView>("Run")
      .required("run_id", &RunView::run_id, string(), "Unique in its project.")
      .required("name", &RunView::name, string(), "Display name; not unique.")
      .required("team", &RunView::team, string())
      .required("project", &RunView::project, string())
      .required("user", &RunView::owner, string(), "Username of the owner.")
      .required("state", &RunView::state, stateCodec())
      .required("config", &RunView::config_object, schema::jsonObject())
      .required("metrics", &RunView::metrics_object, schema::jsonObject(),
                "Summary rules by metric key.")
      .required("summary", &RunView::summary_object, schema::jsonObject(),
                "The last value of each metric, or the value that its rule in `metrics` selects.")
      .required("tags", &RunView::tags, schema::list(string()))
      .required("notes", &RunView::notes, nullable(string()))
      .required("group", &RunView::group, nullable(string()), "Group of related runs.")
      .required("job_type", &RunView::job_type, nullable(string()), "`train`, `eval`, …")
      .required("exit_code", &RunView::exit_code, nullable(integer()))
      .required("history_line_count", &RunView::history_line_count, integer(),
                "Number of accepted rows; the `offset` of the next row.")
      .required("last_step", &RunView::last_step, nullable(integer()))
      .required("stop_requested", &RunView::stop_requested, schema::boolean(),
                "A user asked the run to stop.")
      .required("created_at", &RunView::created_at, dateTime())
      .required("updated_at", &RunView::updated_at, dateTime())
      .required("heartbeat_at", &RunView::heartbeat_at, dateTime(), "Time of the last heartbeat.")
      .required("finished_at", &RunView::finished_at, nullable(dateTime()))
      .codec();
}

http::Reply<RunView> replyOf(const Run& run, const RunsPath& path) {
  return http::Reply(RunView(run, path)).with("ETag", http::etagOf(run.revision));
}

Result<Place> authorize(const RunServices& services,
                        const Context& context,
                        const RunsPath& path,
                        Action action) {
  return placeOf(
      services.access.requireInProject(context.caller().user_id, path.team, path.project, action),
      path);
}

Result<Place> authorizeWriteOrCreate(const RunServices& services,
                                     const Context& context,
                                     const RunsPath& path) {
  return placeOf(services.access.writeProject(context.caller().user_id, path.team, path.project),
                 path);
}

Result<std::string> readableProject(const RunServices& services,
                                    const Context& context,
                                    const RunsPath& path) {
  ProjectAccess access =
      TRY(services.access.readProject(context.caller().user_id, path.team, path.project));
  return std::move(access.project_id);
}

Result<Place> authorizeRunEnd(const RunServices& services,
                              const Context& context,
                              const RunPath& path) {
  const std::string project = TRY(readableProject(services, context, path));
  const Run run = TRY(services.runs.find({project, path.run}));
  const std::string& caller = context.caller().user_id;
  return placeOf(services.access.requireInProject(caller, path.team, path.project,
                                                  Action::kDeleteRun, run.owner_id == caller),
                 path);
}

void addRunsRoutes(RunRoutes routes) {
  routes.setTag(kRunsTag);
  addRunRoutes(routes);
  addRunStateRoutes(routes);
  addHistoryRoutes(routes);
  addLineageRoutes(routes);
}

}  // namespace spindle::runs
