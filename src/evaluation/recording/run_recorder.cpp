#include "evaluation/recording/run_recorder.h"

#include <algorithm>
#include <utility>

#include "base/crypto/id.h"
#include "evaluation/recording/call_names.h"
#include "evaluation/recording/object_name.h"
#include "evaluation/recording/run_calls.h"
#include "evaluation/recording/run_payload_json.h"
#include "feedback/feedback_store.h"
#include "feedback/feedback_validator.h"
#include "json/escape.h"
#include "objects/values/ref.h"
#include "tracing/ingest/call_ingest.h"
#include "tracing/store/call_store.h"

namespace spindle::evaluation {
namespace {

using json::quoted;
using tracing::Call, tracing::CallColumn, tracing::CallPart, tracing::CompleteInput,
    tracing::EndInput, tracing::StartInput;

Error runNotFound(std::string_view id) {
  return Error::notFound("Evaluation run " + std::string(id) + " not found");
}

json::Text jsonText(std::string json) { return json::Text{std::move(json)}; }

std::optional<json::Text> outputText(const std::optional<std::string>& output) {
  if (!output) return std::nullopt;
  return json::Text{*output};
}

std::string callRef(const tracing::ProjectScope& project, const std::string& id) {
  objects::Ref ref;
  ref.scheme = wire::RefScheme::kInternal;
  ref.project = project.id;
  ref.kind = objects::RefKind::kCall;
  ref.name = id;
  return objects::printRef(ref);
}

/// A batch of call parts: converts references and payloads, and stores all parts or none.
class RunCallBatch {
 public:
  RunCallBatch(const RecorderPorts& ports, const RunScope& scope)
      : calls_(ports.calls),
        scope_(scope),
        now_(ports.clock.now()),
        projects_(ports.ref_projects(scope.user_id)),
        media_(ports.media_store(scope.user_id, scope.project, scope.spelling)),
        payload_ports_{*projects_, *media_} {}

  Timestamp now() const { return now_; }
  objects::RefProjects& projects() { return *projects_; }

  /// Converts a reference to the form that is stored in calls: internal and neutral, so that equal
  /// references compare equal.
  Result<std::string> ref(std::string_view text) {
    std::string internal = TRY(objects::internalRef(text, *projects_));
    return objects::neutralRef(internal);
  }

  Result<void> loadRetention(const RecorderPorts& ports) {
    const std::optional<std::int64_t> days = TRY(ports.retention_days(scope_.project.id));
    retention_days_ = days;
    return {};
  }

  Result<void> start(StartInput input) {
    return take(tracing::toCallStart(std::move(input), intake()));
  }
  Result<void> end(EndInput input) { return take(tracing::toCallEnd(std::move(input), intake())); }
  Result<void> complete(CompleteInput input) {
    return take(tracing::toCallComplete(std::move(input), intake()));
  }

  Result<void> store() { return calls_.write(scope_.project.id, std::move(parts_)); }

 private:
  tracing::IngestContext intake() const {
    return {scope_.project.name, scope_.user_id, retention_days_, now_, payload_ports_};
  }
  template <class Part>
  Result<void> take(Result<Part> part) {
    if (!part) return std::move(part).error();
    parts_.emplace_back(*std::move(part));
    return {};
  }

  tracing::CallStore& calls_;
  const RunScope& scope_;
  const Timestamp now_;
  const std::unique_ptr<objects::RefProjects> projects_;
  const std::unique_ptr<tracing::MediaStore> media_;
  const tracing::PayloadPorts payload_ports_;
  std::optional<std::int64_t> retention_days_;
  std::vector<CallPart> parts_;
};

/// Creates the input of a new call with the members that all calls of a run have.
template <class Input>
Input newCallInput(const RunScope& scope,
                   const std::string& id,
                   const std::string& trace_id,
                   const std::string& op_name,
                   Timestamp started_at) {
  Input input;
  input.project_id = scope.project.name;
  input.id = id;
  input.trace_id = trace_id;
  input.op_name = op_name;
  input.started_at = started_at;
  return input;
}

EndInput endInputOf(const RunScope& scope, std::string_view id, Timestamp ended_at) {
  EndInput input;
  input.project_id = scope.project.name;
  input.id = std::string(id);
  input.ended_at = ended_at;
  input.summary = jsonText("{}");
  return input;
}

/// Start and end of a call. Without given times, both are the same.
struct TimeRange {
  Timestamp start;
  Timestamp end;
};
TimeRange timeRangeOf(std::optional<Timestamp> start, std::optional<Timestamp> end, Timestamp now) {
  const Timestamp ended = end.value_or(now);
  return {start.value_or(ended), std::max(ended, start.value_or(ended))};
}

}  // namespace

Result<std::string> RunRecorder::createRun(const RunScope& scope, const NewRun& run) const {
  RunCallBatch batch(ports_, scope);
  TRY(batch.loadRetention(ports_));
  const std::string evaluation = TRY(batch.ref(run.evaluation));
  const std::string model = TRY(batch.ref(run.model));
  std::string id = run.id.value_or(newUuid(batch.now()));
  auto input = newCallInput<StartInput>(scope, id, id, std::string(kEvaluateOp),
                                        run.started_at.value_or(batch.now()));
  Members members = {{"evaluation_run", quoted("true")},
                     {"evaluation", quoted(evaluation)},
                     {"model", quoted(model)}};
  if (run.source_run_id)
    members.emplace_back("source_evaluation_run_id", quoted(*run.source_run_id));
  input.attributes = jsonText(attributesOf(members));
  input.inputs = jsonText(objectOf({{"self", quoted(evaluation)}, {"model", quoted(model)}}));
  TRY(batch.start(std::move(input)));
  TRY(batch.store());
  return id;
}

Result<PredictionIds> RunRecorder::recordPrediction(const RunScope& scope,
                                                    const NewPrediction& prediction) const {
  std::optional<Call> run;
  if (prediction.run_id) {
    std::optional<Call> found = TRY(findCall(ports_.calls, scope.project, *prediction.run_id));
    if (!found) return runNotFound(*prediction.run_id);
    run = std::move(found);
  }
  RunCallBatch batch(ports_, scope);
  TRY(batch.loadRetention(ports_));
  const std::string model = TRY(batch.ref(prediction.model));
  const TimeRange times = timeRangeOf(prediction.started_at, prediction.ended_at, batch.now());

  PredictionIds ids;
  ids.prediction_id = prediction.id.value_or(newUuid(batch.now()));
  auto predict =
      newCallInput<CompleteInput>(scope, ids.prediction_id, ids.prediction_id,
                                  nameInRef(model).value_or("Model") + ".predict", times.start);
  Members members = {{"prediction", quoted("true")}, {"model", quoted(model)}};
  if (run) {
    ids.row_call_id = prediction.row_call_id.value_or(newUuid(batch.now()));
    members.emplace_back("evaluation_run_id", quoted(*prediction.run_id));
    auto row = newCallInput<StartInput>(scope, *ids.row_call_id, run->trace_id,
                                        std::string(kPredictAndScoreOp), times.start);
    row.parent_id = run->id;
    Members row_members = {{"predict_call_id", quoted(ids.prediction_id)}};
    if (prediction.genai_spans) row_members.emplace_back("genai_span_ref", *prediction.genai_spans);
    row.attributes = jsonText(attributesOf(row_members));
    row.inputs = jsonText(objectOf({{"self", quoted(runOf(*run).evaluation)},
                                    {"model", quoted(model)},
                                    {"example", prediction.example.value_or(prediction.inputs)}}));
    TRY(batch.start(std::move(row)));
    predict.trace_id = run->trace_id;
    predict.parent_id = ids.row_call_id;
  }
  predict.attributes = jsonText(attributesOf(members));
  predict.inputs = jsonText(objectOf({{"self", quoted(model)}, {"inputs", prediction.inputs}}));
  predict.output = outputText(prediction.output);
  predict.exception = prediction.exception;
  predict.summary = jsonText(prediction.summary);
  predict.ended_at = times.end;
  TRY(batch.complete(std::move(predict)));
  TRY(batch.store());
  return ids;
}

Result<std::string> RunRecorder::recordScore(const RunScope& scope, const NewScore& score) const {
  const std::optional<Call> found = TRY(findCall(ports_.calls, scope.project, score.prediction_id));
  if (!found) return Error::notFound("Prediction " + score.prediction_id + " not found");
  const Call& predicted = *found;
  RunCallBatch batch(ports_, scope);
  TRY(batch.loadRetention(ports_));
  const std::string scorer = TRY(batch.ref(score.scorer));
  const std::optional<std::string> name = nameInRef(scorer);
  if (!name) return Error::invalidArgument("scorer must be a reference to an object");
  const TimeRange times = timeRangeOf(score.started_at, score.ended_at, batch.now());

  std::string id = score.id.value_or(newUuid(batch.now()));
  auto input = newCallInput<CompleteInput>(scope, id, id, *name + ".score", times.start);
  Members members = {{"score", quoted("true")},
                     {"prediction_id", quoted(predicted.id)},
                     {"scorer", quoted(scorer)}};
  if (score.run_id) {
    members.emplace_back("evaluation_run_id", quoted(*score.run_id));
    input.parent_id = predicted.parent_id;
    input.trace_id = predicted.trace_id;
    if (!predicted.parent_id) {
      const std::optional<Call> run = TRY(findCall(ports_.calls, scope.project, *score.run_id));
      if (!run) return runNotFound(*score.run_id);
      input.parent_id = run->id;
      input.trace_id = run->trace_id;
    }
  }
  const Prediction prediction = predictionOf(predicted);
  input.attributes = jsonText(attributesOf(members));
  input.inputs = jsonText(objectOf({{"self", quoted(scorer)},
                                    {"inputs", prediction.inputs.json},
                                    {"output", prediction.output.json}}));
  input.output = json::Text{score.value};
  input.exception = score.exception;
  input.summary = jsonText(score.summary);
  input.ended_at = times.end;
  TRY(batch.complete(std::move(input)));

  // Validate the feedback before anything is written.
  std::vector<feedback::ProjectFeedback> said;
  if (!score.exception) {
    feedback::Feedback given;
    given.id = id;
    given.svc_ref = callRef(scope.project, predicted.id);
    given.feedback_type = "svc.runnable." + *name;
    given.payload = objectOf({{"output", score.value}});
    given.runnable_ref = scorer;
    given.call_ref = callRef(scope.project, id);
    feedback::Feedback accepted = TRY(ports_.feedback_validator.validate(
        std::move(given), {scope.project.id, scope.user_id, batch.projects()}));
    said.push_back({scope.project.id, std::move(accepted)});
  }
  TRY(batch.store());
  if (!said.empty()) {
    TRY(ports_.feedback.add(std::move(said)));
  }
  return id;
}

Result<void> RunRecorder::finishPrediction(const RunScope& scope,
                                           std::string_view prediction_id,
                                           std::optional<Timestamp> ended_at) const {
  const std::optional<Call> found = TRY(findCall(ports_.calls, scope.project, prediction_id));
  if (!found) return {};
  Call prediction = *found;
  RunCallBatch batch(ports_, scope);
  const Timestamp end = ended_at.value_or(batch.now());
  if (!prediction.ended_at) {
    prediction.ended_at = end;
    TRY(batch.end(endInputOf(scope, prediction.id, end)));
  }
  if (prediction.parent_id) {
    const std::optional<Call> row =
        TRY(findCall(ports_.calls, scope.project, *prediction.parent_id));
    if (row && isPredictAndScore(row->op_name)) {
      std::vector<std::pair<std::string, std::string>> scores;
      TRY(forChildren(ports_.calls, scope.project, row->id,
                      {CallColumn::kId, CallColumn::kOpName, CallColumn::kAttributes,
                       CallColumn::kInputs, CallColumn::kOutput},
                      [&scores](const Call& call) {
                        if (!isScore(call)) return;
                        const std::optional<std::string> name = nameInRef(scoreOf(call).scorer);
                        if (!name) return;
                        const auto known =
                            std::find_if(scores.begin(), scores.end(),
                                         [&](const auto& each) { return each.first == *name; });
                        const std::string value = call.output.value_or("null");
                        if (known == scores.end()) {
                          scores.emplace_back(*name, value);
                        } else {
                          known->second = value;
                        }
                      }));
      EndInput input = endInputOf(scope, row->id, end);
      input.output = json::Text{rowOutput(prediction, scores)};
      TRY(batch.end(std::move(input)));
    }
  }
  return batch.store();
}

Result<void> RunRecorder::finishRun(const RunScope& scope, const RunFinish& finish) const {
  const std::optional<Call> run = TRY(findCall(ports_.calls, scope.project, finish.run_id));
  if (!run) return {};
  RunTotals totals;
  std::optional<std::string> summarized = finish.summarize_id;
  TRY(forChildren(ports_.calls, scope.project, finish.run_id,
                  {CallColumn::kId, CallColumn::kOpName, CallColumn::kOutput},
                  [&](const Call& call) {
                    if (isPredictAndScore(call.op_name) && call.output) totals.add(*call.output);
                    // Reuse the call if the run is finished again.
                    if (isSummarize(call.op_name) && !summarized) summarized = call.id;
                  }));

  const std::string output = finish.output ? *finish.output : totals.json();
  RunCallBatch batch(ports_, scope);
  TRY(batch.loadRetention(ports_));
  const Timestamp end = finish.ended_at.value_or(batch.now());
  auto summarize = newCallInput<CompleteInput>(scope, summarized.value_or(newUuid(batch.now())),
                                               run->trace_id, std::string(kSummarizeOp), end);
  summarize.parent_id = run->id;
  summarize.attributes = jsonText("{}");
  summarize.inputs = jsonText(objectOf({{"self", quoted(runOf(*run).evaluation)}}));
  summarize.output = json::Text{output};
  summarize.summary = jsonText("{}");
  summarize.ended_at = end;
  TRY(batch.complete(std::move(summarize)));
  EndInput input = endInputOf(scope, finish.run_id, end);
  input.output = json::Text{output};
  if (finish.summary) input.summary = json::Text{*finish.summary};
  TRY(batch.end(std::move(input)));
  if (Result<void> stored = batch.store(); !stored || !ports_.finished) return stored;
  return ports_.finished({scope, finish.run_id, output});
}

Result<void> RunRecorder::reportFinished(const RunScope& scope, const Call& run) const {
  if (run.exception || !ports_.finished) return {};
  return ports_.finished({scope, run.id, run.output.value_or("null")});
}

Result<void> RunRecorder::failRun(const RunScope& scope,
                                  std::string_view run_id,
                                  std::string_view exception,
                                  std::optional<Timestamp> ended_at) const {
  RunCallBatch batch(ports_, scope);
  EndInput input = endInputOf(scope, run_id, ended_at.value_or(batch.now()));
  input.exception = std::string(exception);
  TRY(batch.end(std::move(input)));
  return batch.store();
}

}  // namespace spindle::evaluation
