#include "evaluation/runner/evaluation_jobs.h"

#include <algorithm>
#include <utility>

#include "base/crypto/id.h"
#include "evaluation/recording/call_names.h"
#include "evaluation/recording/run_calls.h"
#include "evaluation/recording/run_payload_json.h"
#include "evaluation/runner/evaluation_job_payload.h"
#include "jobs/job_queue.h"

namespace spindle::evaluation {
namespace {

using tracing::Call;

Error runNotFound(std::string_view id) {
  return Error::notFound("Evaluation run " + std::string(id) + " not found");
}

/// Returns the query `ended_at` is not null.
query::Query hasEnded() {
  using query::Expression;
  using query::Operator;
  const Expression field{.op = Operator::kField, .field = "ended_at"};
  const Expression equal{.op = Operator::kEq, .operands = {field, Expression{}}};
  return {Expression{.op = Operator::kNot, .operands = {equal}}};
}

}  // namespace

Result<std::string> EvaluationJobs::submit(const RunJob& job) const {
  jobs::NewJob fresh;
  fresh.kind = kRunJob;
  fresh.id = job.run_id;
  fresh.payload = payloadOf(job);
  // Store the job first: a run without a job would never end. The worker creates the same run.
  TRY(ports_.queue.enqueue(fresh));
  TRY(ports_.recorder.createRun(job.scope, newRunOf(job)));
  ports_.wake();
  return job.run_id;
}

RunJob EvaluationJobs::newJob(const RunScope& scope,
                              const std::string& evaluation,
                              const std::string& model) const {
  const Timestamp now = ports_.clock.now();
  return {scope, newUuid(now), evaluation, model, now};
}

Result<std::string> EvaluationJobs::evaluate(const RunScope& scope,
                                             std::string_view evaluation_ref,
                                             std::string_view model_ref) const {
  EvaluationObjects objects(ports_.objects, scope.user_id);
  const PinnedObject evaluation = TRY(objects.pin(evaluation_ref));
  const PinnedObject model = TRY(objects.pin(model_ref));
  // Check all objects now, so that an unusable evaluation is refused instead of failing later.
  const EvaluationSpec spec = TRY(objects.evaluation(evaluation.ref));
  TRY(objects.dataset(spec.dataset));
  TRY(objects.model(model.ref));
  TRY(objects.scorers(spec.scorers, {ports_.model, scope.project}));
  return submit(newJob(scope, evaluation.ref, model.ref));
}

Result<std::string> EvaluationJobs::rescore(const RunScope& scope,
                                            std::string_view source_run_id,
                                            const std::vector<std::string>& scorer_refs) const {
  const std::optional<Call> source = TRY(findCall(ports_.calls, scope.project, source_run_id));
  if (!source) return runNotFound(source_run_id);
  if (!isEvaluate(source->op_name)) return Error::invalidArgument("Call is not an evaluation");
  if (!source->ended_at) {
    return Error::invalidArgument("Evaluation run " + std::string(source_run_id) +
                                  " is still running");
  }
  EvaluationObjects objects(ports_.objects, scope.user_id);
  const std::vector<NamedScorer> scorers =
      TRY(objects.scorers(scorer_refs, {ports_.model, scope.project}));
  const Run run = runOf(*source);
  RunJob job = newJob(scope, run.evaluation, run.model);
  job.source_run_id = run.id;
  for (const NamedScorer& scorer : scorers) job.scorers.push_back(scorer.ref);
  return submit(job);
}

Result<void> EvaluationJobs::scoreCalls(const RunScope& scope,
                                        const std::vector<std::string>& call_ids,
                                        const std::vector<std::string>& scorer_refs) const {
  EvaluationObjects objects(ports_.objects, scope.user_id);
  const std::vector<NamedScorer> scorers =
      TRY(objects.scorers(scorer_refs, {ports_.model, scope.project}));
  ScoringJob job{scope, call_ids, {}};
  for (const NamedScorer& scorer : scorers) job.scorers.push_back(scorer.ref);
  if (job.call_ids.empty() || job.scorers.empty()) return {};
  jobs::NewJob fresh;
  fresh.kind = kScoringJob;
  fresh.payload = payloadOf(job);
  TRY(ports_.queue.enqueue(fresh));
  ports_.wake();
  return {};
}

Result<RunStatus> EvaluationJobs::status(const tracing::ProjectScope& project,
                                         std::string_view user_id,
                                         std::string_view call_id) const {
  RunStatus status;
  if (project.id.empty()) return status;
  const std::optional<Call> found = TRY(findCall(ports_.calls, project, call_id));
  if (!found) return status;
  const Call& call = *found;
  if (!isEvaluate(call.op_name)) return Error::invalidArgument("Call is not an evaluation");
  if (call.exception) {
    status.code = RunStatus::Code::kFailed;
    return status;
  }
  if (call.ended_at) {
    status.code = RunStatus::Code::kComplete;
    if (call.output && call.output->starts_with('{')) status.output = *call.output;
    return status;
  }
  status.code = RunStatus::Code::kRunning;
  const std::int64_t completed = TRY(completedRows(project, call_id));
  status.completed_rows = completed;
  status.total_rows = std::max(completed, datasetRows(user_id, runOf(call).evaluation).value_or(0));
  return status;
}

Result<std::int64_t> EvaluationJobs::completedRows(const tracing::ProjectScope& project,
                                                   std::string_view run_id) const {
  const std::unique_ptr<tracing::CallView> view = TRY(ports_.calls.view(project));
  tracing::CallQuery selection;
  selection.filter.parent_ids = std::vector<std::string>{std::string(run_id)};
  selection.query = hasEnded();
  const tracing::CallCount count = TRY(view->count(selection, std::nullopt, false));
  return count.count;
}

std::optional<std::int64_t> EvaluationJobs::datasetRows(std::string_view user_id,
                                                        std::string_view evaluation) const {
  EvaluationObjects objects(ports_.objects, user_id);
  const Result<EvaluationSpec> spec = objects.evaluation(evaluation);
  if (!spec) return std::nullopt;
  const Result<Dataset> dataset = objects.dataset(spec->dataset);
  if (!dataset) return std::nullopt;
  const Result<std::int64_t> rows = objects.rowCount(*dataset);
  if (!rows) return std::nullopt;
  return *rows;
}

Result<bool> EvaluationJobs::cancel(const RunScope& scope, std::string_view call_id) const {
  const std::optional<Call> run = TRY(findCall(ports_.calls, scope.project, call_id));
  if (!run) return runNotFound(call_id);
  const Result<jobs::Job> job = ports_.queue.cancel(run->id);
  if (!job && job.error().code() == ErrorCode::kNotFound)
    return Error::invalidArgument("The server does not execute this evaluation");
  if (!job) return job.error();
  ports_.wake();
  if (run->ended_at) return false;
  // If the job had not started, no worker will end its run.
  if (job->state == jobs::JobState::kCancelled) {
    TRY(ports_.recorder.failRun(scope, call_id, "The evaluation was cancelled."));
  }
  return true;
}

}  // namespace spindle::evaluation
