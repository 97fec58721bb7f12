#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluation/recording/run_payload_json.h"
#include "evaluation/recording/run_query.h"
#include "evaluation/routes/call_lines.h"
#include "evaluation/routes/evaluation_api.h"
#include "evaluation/routes/list_page.h"
#include "http/router/route_group.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_json.h"
#include "tracing/routes/call_query_api.h"

namespace spindle::evaluation {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::Codec, schema::list, schema::nullable, schema::Record, schema::string;

using Texts = std::vector<std::string>;

struct CreateBody {
  std::string evaluation;
  std::string model;
  std::optional<std::string> source_evaluation_run_id;
};
struct FinishBody {
  std::optional<json::Text> summary;
};

struct RunView : Run {
  std::optional<json::Text> summary;
};

struct RunListPath : ListPath {
  std::optional<Texts> evaluations;
  std::optional<Texts> models;
  std::optional<Texts> evaluation_run_ids;
};

Codec<RunView> runCodec() {
  using V = RunView;
  return Record<V>("EvaluationRun")
      .required("evaluation_run_id", &V::id, string())
      .required("evaluation", &V::evaluation, string(), "A reference.")
      .required("model", &V::model, string(), "A reference.")
      .optional("status", &V::status, nullable(string()), "`running`, `completed` or `failed`.")
      .optional("started_at", &V::started_at, nullable(schema::dateTime()))
      .optional("finished_at", &V::finished_at, nullable(schema::dateTime()))
      .optional("summary", &V::summary, nullable(schema::jsonObject()))
      .optional("source_evaluation_run_id", &V::source_run_id, nullable(string()),
                "The run whose predictions were scored again; not in lists.")
      .codec();
}

/// Converts a run to its JSON representation for one reader.
Result<RunView> viewOf(const tracing::Call& call,
                       objects::RefProjects& projects,
                       const std::string& project,
                       wire::Spelling spelling) {
  RunView view{runOf(call), json::Text{tracing::summaryJson(call, {project, spelling})}};
  for (std::string* ref : {&view.evaluation, &view.model}) {
    std::string external = TRY(objects::externalRef(*ref, projects, spelling));
    *ref = std::move(external);
  }
  TRY(objects::externalizeRefs(view.summary->json, projects, spelling));
  return view;
}

Result<CreatedCall> createRun(const EvaluationServices& services,
                              const Context& context,
                              const ProjectPath& path,
                              const CreateBody& body) {
  const RunScope scope = TRY(writableScope(services, context, path));
  std::string id =
      TRY(services.recorder.createRun(scope, {.evaluation = body.evaluation,
                                              .model = body.model,
                                              .source_run_id = body.source_evaluation_run_id}));
  return CreatedCall{std::move(id)};
}

Result<RunView> readRun(const EvaluationServices& services,
                        const Context& context,
                        const CallPath& path) {
  const tracing::Call call = TRY(callAt(services, context, path, "Evaluation run"));
  const std::unique_ptr<objects::RefProjects> projects =
      services.tracing.ref_projects(context.caller().user_id);
  return viewOf(call, *projects, path.name(), context.spelling());
}

/// Converts references to the form that is stored in the calls.
Result<Texts> storedRefs(const std::optional<Texts>& refs, objects::RefProjects& projects) {
  Texts stored;
  for (const std::string& ref : refs.value_or(Texts())) {
    std::string internal = TRY(objects::internalRef(ref, projects));
    stored.push_back(objects::neutralRef(internal));
  }
  return stored;
}

/// Returns the position of the request's cursor, if any. @return as positionOf().
Result<std::optional<RunPosition>> runPositionOf(const RunListPath& path) {
  std::optional<ListPosition> after = TRY(positionOf(path, 2));
  if (!after) return std::optional<RunPosition>();
  const std::int64_t started = TRY(integerAt(path, after->front()));
  return std::optional(RunPosition{timestampOfMicros(started), std::move(after->back())});
}

Result<Reply<Nothing>> listRuns(const EvaluationServices& services,
                                const Context& context,
                                const RunListPath& path) {
  TRY(tracing::readableProject(services.tracing, context, path.name()));
  tracing::CallPage page = TRY(tracing::pageOf(std::nullopt, path.limit, path.offset));
  if (path.newestFirst()) page.sort_by = {{.field = "started_at", .descending = true}};
  const std::unique_ptr<objects::RefProjects> projects =
      services.tracing.ref_projects(context.caller().user_id);
  RunFilter filter;
  Texts evaluations = TRY(storedRefs(path.evaluations, *projects));
  filter.evaluations = std::move(evaluations);
  Texts models = TRY(storedRefs(path.models, *projects));
  filter.models = std::move(models);
  filter.ids = path.evaluation_run_ids.value_or(Texts());
  TRY(tracing::checkFilterList("evaluation_run_ids", filter.ids));
  std::optional<RunPosition> after = TRY(runPositionOf(path));
  filter.after = std::move(after);
  filter.newest_first = path.newestFirst();
  CallCursor cursor_of;
  if (path.include_cursor)
    cursor_of = [path](const tracing::Call& call) {
      const Timestamp started = call.started_at.value_or(Timestamp());
      return cursorAfter(path, {std::to_string(microsOf(started)), call.id});
    };
  return callLines(
      services, context, path, runSelection(filter), page,
      [codec = runCodec(), project = path.name(), spelling = context.spelling()](
          const tracing::Call& call, objects::RefProjects& known) -> Result<std::string> {
        RunView view = TRY(viewOf(call, known, project, spelling));
        view.source_run_id.reset();  // not part of lists
        return codec.toJson(view, spelling);
      },
      std::move(cursor_of));
}

Result<Success> finishRun(const EvaluationServices& services,
                          const Context& context,
                          const CallPath& path,
                          FinishBody body) {
  const tracing::ProjectScope project = TRY(changeableProject(services, context, path));
  if (project.id.empty()) return Success{};
  RunFinish finish;
  finish.run_id = path.id;
  if (body.summary) finish.summary = std::move(body.summary->json);
  TRY(services.recorder.finishRun({project, context.caller().user_id, context.spelling()}, finish));
  return Success{};
}

http::Parameters<RunListPath> runListPath() {
  http::Parameters<RunListPath> parameters = projectParameters<RunListPath>();
  parameters
      .query("evaluations", &RunListPath::evaluations, nullable(list(string())), "Any of these.")
      .query("models", &RunListPath::models, nullable(list(string())), "Any of these.")
      .query("evaluation_run_ids", &RunListPath::evaluation_run_ids, nullable(list(string())),
             "Any of these.");
  addListParameters(parameters);
  return parameters;
}

}  // namespace

void addRunRoutes(const EvaluationRoutes& routes) {
  routes.post(
      "/v2/{entity}/{project}/evaluation_runs", {"createEvaluationRun", "Start an evaluation run"},
      {.params = projectParameters<ProjectPath>(),
       .body = Record<CreateBody>("EvaluationRunCreate")
                   .required("evaluation", &CreateBody::evaluation, string(), "A reference.")
                   .required("model", &CreateBody::model, string(), "A reference.")
                   .optional("source_evaluation_run_id", &CreateBody::source_evaluation_run_id,
                             nullable(string()), "The run whose predictions are scored again.")
                   .codec(),
       .reply = createdCallCodec("EvaluationRunCreated", "evaluation_run_id")},
      createRun);
  http::replyWithLines(
      routes.get("/v2/{entity}/{project}/evaluation_runs",
                 {"listEvaluationRuns", "List runs; one JSON object per line",
                  "Oldest first by default. Lists runs created by this API. Query the calls for "
                  "runs of SDKs."},
                 {.params = runListPath()}, listRuns),
      lineType(runCodec()));
  addCallDeletion(routes, "/v2/{entity}/{project}/evaluation_runs",
                  {"deleteEvaluationRuns", "Delete runs with their predictions and scores",
                   "The count includes the runs and all their descendant calls."},
                  "evaluation_run_ids");
  routes.get("/v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}",
             {"readEvaluationRun", "Show one run"},
             {.params = callPath("evaluation_run_id"), .reply = runCodec()}, readRun);
  routes.post("/v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}/finish",
              {"finishEvaluationRun", "Summarize and finish a run"},
              {.params = callPath("evaluation_run_id"),
               .body = Record<FinishBody>("EvaluationRunFinish")
                           .optional("summary", &FinishBody::summary,
                                     nullable(schema::jsonObject()), "Stored with the run.")
                           .codec(),
               .reply = successCodec()},
              finishRun);
}

}  // namespace spindle::evaluation
