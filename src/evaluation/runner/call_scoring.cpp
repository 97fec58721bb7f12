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
    std::optional<Call> found = TRY(findCall(work.calls, work.scope.project, *score.id));
    before = std::move(found);
  }
  if (before) {
    take(*before, score);
  } else {
    score.started_at = work.clock.now();
    ScoreOutcome outcome = TRY(scorer.score(item, stop));
    score.value = std::move(outcome.value);
    score.exception = std::move(outcome.exception);
    score.summary = std::move(outcome.summary);
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
  const std::optional<Call> found = TRY(findCall(work.calls, work.scope.project, call_id));
  if (!found || !found->ended_at) return {};
  const Prediction prediction = predictionOf(*found);
  for (const NamedScorer& scorer : scorers) {
    NewScore score;
    score.prediction_id = std::string(call_id);
    score.scorer = scorer.ref;
    score.id = stepId({job_id, call_id, scorer.ref, "score"});
    const ScoredItem item{prediction.inputs.json, prediction.output.json};
    TRY(scoreAndRecord(work, *scorer.scorer, item, std::move(score), maybe_done, stop));
  }
  return {};
}

}  // namespace spindle::evaluation
