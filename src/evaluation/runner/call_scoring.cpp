#include "evaluation/runner/call_scoring.h"

#include <utility>

#include "evaluation/recording/run_calls.h"
#include "evaluation/recording/run_payload_json.h"
#include "evaluation/runner/evaluation_job_payload.h"

namespace spindle::evaluation {
namespace {

using tracing::Call;

/// Copies an earlier score. It is recorded again, because its feedback may be missing.
void take(const Call& before, NewScore& score) {
  score.value = before.output.value_or("null");
  score.exception = before.exception;
  score.summary = before.summary.value_or("{}");
  score.started_at = before.started_at;
  score.ended_at = before.ended_at;
}

}  // namespace

bool isContentError(const Error& error) {
  return error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kTooLarge;
}

Result<void> scoreAndRecord(const ScoreContext& work,
                            const Scorer& scorer,
                            const ScoredItem& item,
                            NewScore score,
                            bool maybe_done,
                            const std::stop_token& stop) {
  std::optional<Call> before;
  if (maybe_done) {
    Result<std::optional<Call>> found = findCall(work.calls, work.scope.project, *score.id);
    if (!found) return std::move(found).error();
    before = *std::move(found);
  }
  if (before) {
    take(*before, score);
  } else {
    score.started_at = work.clock.now();
    Result<ScoreOutcome> outcome = scorer.score(item, stop);
    if (!outcome) return std::move(outcome).error();
    score.value = std::move(outcome->value);
    score.exception = std::move(outcome->exception);
    score.summary = std::move(outcome->summary);
    score.ended_at = work.clock.now();
  }
  Result<std::string> recorded = work.recorder.recordScore(work.scope, score);
  if (!recorded && isContentError(recorded.error())) {
    score.value = "null";
    score.exception = "The score cannot be stored: " + recorded.error().message();
    recorded = work.recorder.recordScore(work.scope, score);
  }
  if (!recorded) return std::move(recorded).error();
  return {};
}

Result<void> scoreCall(const ScoreContext& work,
                       const std::vector<NamedScorer>& scorers,
                       std::string_view job_id,
                       std::string_view call_id,
                       bool maybe_done,
                       const std::stop_token& stop) {
  const Result<std::optional<Call>> found = findCall(work.calls, work.scope.project, call_id);
  if (!found) return found.error();
  if (!*found || !(*found)->ended_at) return {};
  const Prediction prediction = predictionOf(**found);
  for (const NamedScorer& scorer : scorers) {
    NewScore score;
    score.prediction_id = std::string(call_id);
    score.scorer = scorer.ref;
    score.id = stepId({job_id, call_id, scorer.ref, "score"});
    const ScoredItem item{prediction.inputs, prediction.output};
    Result<void> scored =
        scoreAndRecord(work, *scorer.scorer, item, std::move(score), maybe_done, stop);
    if (!scored) return scored;
  }
  return {};
}

}  // namespace spindle::evaluation
