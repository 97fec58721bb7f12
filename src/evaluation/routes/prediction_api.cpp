#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluation/recording/call_names.h"
#include "evaluation/recording/run_payload_json.h"
#include "evaluation/recording/run_query.h"
#include "evaluation/routes/call_lines.h"
#include "evaluation/routes/evaluation_api.h"
#include "http/router/route_group.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_query_api.h"

namespace spindle::evaluation {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::Codec, schema::list, schema::nullable, schema::Record, schema::string;
using tracing::Call;

struct SpanRef {
  std::string trace_id;
  std::string span_id;
};
struct PredictionBody {
  std::string model;
  json::Text inputs;
  json::Text output;
  std::optional<std::string> evaluation_run_id;
  std::optional<std::vector<SpanRef>> genai_span_ref;
};
struct ScoreBody {
  std::string prediction_id;
  std::string scorer;
  json::Text value;
  std::optional<std::string> evaluation_run_id;
};

struct CallListPath : PagedPath {
  std::optional<std::string> evaluation_run_id;
};

Codec<std::vector<SpanRef>> spansCodec() {
  return list(Record<SpanRef>("GenAiSpanRef")
                  .required("trace_id", &SpanRef::trace_id, string())
                  .required("span_id", &SpanRef::span_id, string())
                  .codec());
}

Codec<PredictionBody> predictionBodyCodec() {
  using B = PredictionBody;
  return Record<B>("PredictionCreate")
      .required("model", &B::model, string(), "A reference.")
      .required("inputs", &B::inputs, schema::jsonObject(), "Inputs of the model.")
      .required("output", &B::output, schema::anyJson(), "Output of the model.")
      .optional("evaluation_run_id", &B::evaluation_run_id, nullable(string()))
      .optional("genai_span_ref", &B::genai_span_ref, nullable(spansCodec()),
                "Spans of the agent that made the prediction.")
      .codec();
}

/// Starts the record of a prediction or a score: its id, and the reference to a model or scorer.
template <class View>
Record<View> recordedRecord(std::string name,
                            std::string_view id,
                            std::string_view ref_name,
                            std::string View::*ref) {
  Record<View> record(std::move(name));
  record.required(id, &View::id, string(), "").required(ref_name, ref, string(), "A reference.");
  return record;
}

/// Adds the last members of a prediction or a score.
template <class View>
Codec<View> recordedCodec(Record<View>& record) {
  return record.required("evaluation_run_id", &View::run_id, nullable(string()))
      .required("svc_user_id", &View::user_id, nullable(string()))
      .codec();
}

Codec<Prediction> predictionCodec() {
  using V = Prediction;
  return recordedCodec(recordedRecord("Prediction", "prediction_id", "model", &V::model)
                           .required("inputs", &V::inputs, schema::jsonObject())
                           .required("output", &V::output, schema::anyJson()));
}

Codec<ScoreBody> scoreBodyCodec() {
  using B = ScoreBody;
  return Record<B>("ScoreCreate")
      .required("prediction_id", &B::prediction_id, string())
      .required("scorer", &B::scorer, string(), "A reference to an object.")
      .required("value", &B::value, schema::anyJson())
      .optional("evaluation_run_id", &B::evaluation_run_id, nullable(string()))
      .codec();
}

Codec<Score> scoreCodec() {
  return recordedCodec(
      recordedRecord("Score", "score_id", "scorer", &Score::scorer)
          .required("value", &Score::value, schema::anyJson(), "Null is returned as 0.0."));
}

/// Parses a prediction and converts its references for one reader.
Result<Prediction> predictionView(const Call& call,
                                  objects::RefProjects& projects,
                                  wire::Spelling spelling) {
  Prediction prediction = predictionOf(call);
  std::string model = TRY(objects::externalRef(prediction.model, projects, spelling));
  prediction.model = std::move(model);
  TRY(objects::externalizeRefs(prediction.inputs.json, projects, spelling));
  TRY(objects::externalizeRefs(prediction.output.json, projects, spelling));
  return prediction;
}

/// Parses a score and converts its references for one reader.
Result<Score> scoreView(const Call& call, objects::RefProjects& projects, wire::Spelling spelling) {
  Score score = scoreOf(call);
  std::string scorer = TRY(objects::externalRef(score.scorer, projects, spelling));
  score.scorer = std::move(scorer);
  TRY(objects::externalizeRefs(score.value.json, projects, spelling));
  return score;
}

Result<CreatedCall> createPrediction(const EvaluationServices& services,
                                     const Context& context,
                                     const ProjectPath& path,
                                     PredictionBody body) {
  const RunScope scope = TRY(writableScope(services, context, path));
  NewPrediction prediction;
  prediction.model = std::move(body.model);
  prediction.inputs = std::move(body.inputs.json);
  prediction.output = std::move(body.output.json);
  prediction.run_id = std::move(body.evaluation_run_id);
  if (body.genai_span_ref) prediction.genai_spans = spansCodec().toJson(*body.genai_span_ref);
  PredictionIds ids = TRY(services.recorder.recordPrediction(scope, prediction));
  return CreatedCall{std::move(ids.prediction_id)};
}

Result<CreatedCall> createScore(const EvaluationServices& services,
                                const Context& context,
                                const ProjectPath& path,
                                ScoreBody body) {
  const RunScope scope = TRY(writableScope(services, context, path));
  std::string id =
      TRY(services.recorder.recordScore(scope, {.prediction_id = std::move(body.prediction_id),
                                                .scorer = std::move(body.scorer),
                                                .value = std::move(body.value.json),
                                                .run_id = std::move(body.evaluation_run_id)}));
  return CreatedCall{std::move(id)};
}

template <class View>
using ViewOf = Result<View> (*)(const Call&, objects::RefProjects&, wire::Spelling);

/// Returns the view of a call for the caller.
template <class View>
Result<View> viewFor(const EvaluationServices& services,
                     const Context& context,
                     const Call& call,
                     ViewOf<View> view_of) {
  const std::unique_ptr<objects::RefProjects> projects =
      services.tracing.ref_projects(context.caller().user_id);
  return view_of(call, *projects, context.spelling());
}

Result<Prediction> readPrediction(const EvaluationServices& services,
                                  const Context& context,
                                  const CallPath& path) {
  const Call call = TRY(callAt(services, context, path, "Prediction"));
  Prediction view = TRY(viewFor(services, context, call, predictionView));
  if (!view.run_id && call.parent_id) {
    CallPath above = path;
    above.id = *call.parent_id;
    const Result<Call> row = callAt(services, context, above, "Call");
    if (row && isPredictAndScore(row->op_name)) view.run_id = row->parent_id;
  }
  return view;
}

Result<Score> readScore(const EvaluationServices& services,
                        const Context& context,
                        const CallPath& path) {
  const Call call = TRY(callAt(services, context, path, "Score"));
  return viewFor(services, context, call, scoreView);
}

Result<Success> finishPrediction(const EvaluationServices& services,
                                 const Context& context,
                                 const CallPath& path) {
  const tracing::ProjectScope project = TRY(changeableProject(services, context, path));
  if (project.id.empty()) return Success{};
  TRY(services.recorder.finishPrediction({project, context.caller().user_id, context.spelling()},
                                         path.id));
  return Success{};
}

/// Streams a list of calls, one line per call, in the format of `view_of`.
template <class View>
Result<Reply<Nothing>> listCalls(const EvaluationServices& services,
                                 const Context& context,
                                 const CallListPath& path,
                                 const tracing::CallQuery& selection,
                                 const Codec<View>& codec,
                                 ViewOf<View> view_of) {
  TRY(tracing::readableProject(services.tracing, context, path.name()));
  const tracing::CallPage page = TRY(tracing::pageOf(std::nullopt, path.limit, path.offset));
  return callLines(services, context, path, selection, page,
                   [codec, view_of, spelling = context.spelling()](
                       const Call& call, objects::RefProjects& known) -> Result<std::string> {
                     const View view = TRY(view_of(call, known, spelling));
                     return codec.toJson(view, spelling);
                   });
}

http::Parameters<CallListPath> callListPath() {
  http::Parameters<CallListPath> parameters = projectParameters<CallListPath>();
  parameters.query("evaluation_run_id", &CallListPath::evaluation_run_id, nullable(string()), "");
  addPaging(parameters);
  return parameters;
}

/// The common routes of predictions and scores: read, list, delete.
template <class View>
struct CallKind {
  std::string plural;   ///< used in paths
  std::string title;    ///< used in the names of operations
  std::string id_name;  ///< `prediction_id`
  Codec<View> codec;
  tracing::CallQuery (*selection)(const std::optional<std::string>& run_id) = nullptr;
  ViewOf<View> view = nullptr;
  Result<View> (*read)(const EvaluationServices&, const Context&, const CallPath&) = nullptr;
};

template <class View>
void addCallKind(const EvaluationRoutes& routes, const CallKind<View>& kind) {
  const std::string path = "/v2/{entity}/{project}/" + kind.plural;
  const std::string list_id = "list" + kind.title + "s";
  http::replyWithLines(
      routes.get(path, {list_id, "List all, oldest first; one JSON object per line"},
                 {.params = callListPath()},
                 [kind](const EvaluationServices& services, const Context& context,
                        const CallListPath& asked) {
                   return listCalls<View>(services, context, asked,
                                          kind.selection(asked.evaluation_run_id), kind.codec,
                                          kind.view);
                 }),
      kind.codec.type());
  const std::string one = path + "/{" + kind.id_name + "}";
  const std::string read_id = "read" + kind.title;
  routes.get(one, {read_id, "Show one"}, {.params = callPath(kind.id_name), .reply = kind.codec},
             [kind](const EvaluationServices& services, const Context& context,
                    const CallPath& asked) { return kind.read(services, context, asked); });
  const std::string delete_id = "delete" + kind.title + "s";
  addCallDeletion(routes, path, {delete_id, "Delete by id, with all descendant calls"},
                  kind.id_name + "s");
}

}  // namespace

void addPredictionRoutes(const EvaluationRoutes& routes) {
  http::RoutePolicy deep = routes.policy();
  deep.json_depth = tracing::kMaxBodyDepth;  // the depth of payloads is checked separately
  const EvaluationRoutes deep_routes = routes.with(deep);
  deep_routes.post("/v2/{entity}/{project}/predictions",
                   {"createPrediction", "Record a prediction of a model"},
                   {.params = projectParameters<ProjectPath>(),
                    .body = predictionBodyCodec(),
                    .reply = createdCallCodec("PredictionCreated", "prediction_id")},
                   createPrediction);
  routes.post("/v2/{entity}/{project}/predictions/{prediction_id}/finish",
              {"finishPrediction", "Finish a prediction with its scores"},
              {.params = callPath("prediction_id"), .reply = successCodec()}, finishPrediction);
  addCallKind<Prediction>(routes, {"predictions", "Prediction", "prediction_id", predictionCodec(),
                                   predictionSelection, predictionView, readPrediction});
  deep_routes.post("/v2/{entity}/{project}/scores",
                   {"createScore", "Record a score of a prediction"},
                   {.params = projectParameters<ProjectPath>(),
                    .body = scoreBodyCodec(),
                    .reply = createdCallCodec("ScoreCreated", "score_id")},
                   createScore);
  addCallKind<Score>(
      routes, {"scores", "Score", "score_id", scoreCodec(), scoreSelection, scoreView, readScore});
}

}  // namespace spindle::evaluation
