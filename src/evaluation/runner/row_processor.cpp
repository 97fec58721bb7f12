#include "evaluation/runner/row_processor.h"

#include <utility>

#include "evaluation/recording/run_calls.h"
#include "evaluation/runner/evaluation_job_payload.h"
#include "evaluation/scoring/chat_completion_json.h"

namespace spindle::evaluation {
namespace {

using tracing::Call;

Result<Call> found(const RowContext& work, std::string_view id) {
  std::optional<Call> call = TRY(findCall(work.calls, work.scope.project, id));
  if (!call) return Error::notFound("There is no call " + std::string(id) + ".");
  return *std::move(call);
}

NewPrediction predictionFor(const RowContext& work, const RowTask& task) {
  NewPrediction prediction;
  prediction.model = work.model_ref;
  prediction.inputs =
      task.example.starts_with('{') ? task.example : R"({"example":)" + task.example + "}";
  prediction.example = task.recorded;
  prediction.run_id = work.run_id;
  prediction.id = task.prediction_id;
  prediction.row_call_id = task.row_call_id;
  return prediction;
}

void takeStored(const RowContext& work, const StoredPrediction& stored, NewPrediction& prediction) {
  prediction.output = stored.output;
  prediction.exception = stored.exception;
  prediction.started_at = work.clock.now();
  prediction.ended_at = *prediction.started_at + stored.latency;
}

/// Sends the request to the model and fills `prediction`. @return kUnavailable if stopped.
Result<void> ask(const RowContext& work,
                 const RowTask& task,
                 const std::stop_token& stop,
                 NewPrediction& prediction) {
  prediction.started_at = work.clock.now();
  const Result<ModelRequest> request = requestFor(*work.model, task.example, work.scope);
  if (!request) {
    prediction.exception = request.error().message();
  } else {
    const Result<ModelAnswer> answer = work.port.complete(*request, stop);
    if (!answer && answer.error().code() == ErrorCode::kUnavailable) return answer.error();
    if (answer) {
      prediction.output = outputOf(*work.model, *answer);
      prediction.summary = usageSummary(*answer);
    } else {
      prediction.exception = answer.error().message();
    }
  }
  prediction.ended_at = work.clock.now();
  return {};
}

/// Records the call of the model, unless it was recorded before. Returns its output and exception.
Result<StoredPrediction> predict(const RowContext& work,
                                 const RowTask& task,
                                 const std::stop_token& stop) {
  if (task.state == RowTask::State::kOpen) {
    const Result<Call> before = found(work, task.prediction_id);
    if (before) return StoredPrediction{before->output, before->exception, {}};
    if (before.error().code() != ErrorCode::kNotFound) return before.error();
  }
  NewPrediction prediction = predictionFor(work, task);
  if (task.stored) {
    takeStored(work, *task.stored, prediction);
  } else
    TRY(ask(work, task, stop, prediction));
  Result<PredictionIds> recorded = work.recorder.recordPrediction(work.scope, prediction);
  if (!recorded && isContentError(recorded.error())) {
    prediction.output.reset();
    prediction.exception = "The answer cannot be stored: " + recorded.error().message();
    recorded = work.recorder.recordPrediction(work.scope, prediction);
  }
  if (!recorded) return recorded.error();
  return StoredPrediction{prediction.output, prediction.exception, {}};
}

Result<void> scoreWith(const RowContext& work,
                       const NamedScorer& scorer,
                       const RowTask& task,
                       const std::string& output,
                       const std::stop_token& stop) {
  NewScore score;
  score.prediction_id = task.prediction_id;
  score.scorer = scorer.ref;
  score.run_id = work.run_id;
  score.id = stepId({task.row_call_id, scorer.ref, "score"});
  return scoreAndRecord(work, *scorer.scorer, {task.example, output}, std::move(score),
                        task.state == RowTask::State::kOpen, stop);
}

}  // namespace

Result<bool> processRow(const RowContext& work, const RowTask& task, const std::stop_token& stop) {
  const StoredPrediction prediction = TRY(predict(work, task, stop));
  const bool answered = !prediction.exception.has_value();
  if (answered) {
    const std::string output = prediction.output.value_or("null");
    for (const NamedScorer& scorer : work.scorers) {
      TRY(scoreWith(work, scorer, task, output, stop));
    }
  }
  TRY(work.recorder.finishPrediction(work.scope, task.prediction_id));
  return answered;
}

}  // namespace spindle::evaluation
