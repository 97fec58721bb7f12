#include "evaluation/runner/evaluation_runner.h"

#include <atomic>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "evaluation/recording/call_names.h"
#include "evaluation/recording/run_calls.h"
#include "evaluation/runner/call_scoring.h"
#include "evaluation/runner/row_processor.h"
#include "evaluation/runner/row_source.h"
#include "evaluation/runner/run_summary.h"
#include "objects/store/table_repository.h"

namespace spindle::evaluation {
namespace {

using jobs::JobContext, jobs::JobOutcome;
using tracing::Call, tracing::CallColumn;

constexpr Logger kLog("evaluation");
/// Maximum number of restarts and of retries after store errors, in total, before a job fails.
constexpr std::int64_t kMaxAttempts = 100;
constexpr std::chrono::seconds kRetryDelay{5};
constexpr std::int64_t kProgressEvery = 25;

bool isStopped(const Error& error, const JobContext& context) {
  return error.code() == ErrorCode::kUnavailable && context.stopToken().stop_requested();
}

/// Returns true for errors of the job itself; other errors are temporary.
bool isFinal(const Error& error) {
  return error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kNotFound ||
         error.code() == ErrorCode::kTooLarge || error.code() == ErrorCode::kPermissionDenied ||
         error.code() == ErrorCode::kInternal;
}

/// Distributes the tasks of a source to several threads, and keeps the first error.
class RowQueue {
 public:
  RowQueue(RowSource& rows, tracing::CallStore& calls, const tracing::ProjectScope& project)
      : rows_(rows), calls_(calls), project_(project) {}

  /// Returns the next task that is not done, or nothing at the end or after an error.
  std::optional<RowTask> next() {
    const MutexLock lock(mutex_);
    while (!error_ && !ended_) {
      while (used_ < tasks_.size()) {
        RowTask& task = tasks_[used_++];
        if (task.state != RowTask::State::kDone) return std::move(task);
        ++done_before_;
      }
      refill();
    }
    return std::nullopt;
  }

  void fail(const Error& error) {
    const MutexLock lock(mutex_);
    if (!error_) error_ = error;
  }
  std::optional<Error> error() {
    const MutexLock lock(mutex_);
    return error_;
  }
  std::int64_t doneBefore() {
    const MutexLock lock(mutex_);
    return done_before_;
  }

 private:
  void refill() SPINDLE_REQUIRES(mutex_) {
    Result<std::vector<RowTask>> tasks = rows_.next();
    const Result<void> found =
        tasks ? loadTaskStates(calls_, project_, *tasks) : Result<void>(tasks.error());
    if (!found) {
      error_ = found.error();
      return;
    }
    tasks_ = *std::move(tasks);
    used_ = 0;
    ended_ = tasks_.empty();
  }

  RowSource& rows_;
  tracing::CallStore& calls_;
  const tracing::ProjectScope& project_;
  Mutex mutex_;
  std::vector<RowTask> tasks_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t used_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::int64_t done_before_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool ended_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::optional<Error> error_ SPINDLE_GUARDED_BY(mutex_);
};

/// Processes a row and converts exceptions to errors: an exception must not leave a thread.
Result<bool> processRowGuarded(const RowContext& work,
                               const RowTask& task,
                               const std::stop_token& stop) {
  try {
    return processRow(work, task, stop);
  } catch (const std::exception& problem) {
    kLog.error("row_threw", {{"run", work.run_id}, {"reason", problem.what()}});
    return Error::internal("Internal server error.");
  }
}

JobOutcome again(const JobContext& context, const Error& error, Timestamp now) {
  kLog.warning("job_interrupted", {{"job", context.job().id}, {"reason", error.message()}});
  return JobOutcome::retry(error.message(), now + kRetryDelay);
}

}  // namespace

JobOutcome EvaluationRunner::run(JobContext& context) const {
  const RunJob job = runJobOf(context.job().payload);
  JobOutcome outcome = executeRun(context, job);
  const bool cancelled = outcome.kind == JobOutcome::Kind::kReleased && context.cancelled();
  if (cancelled) outcome = JobOutcome::cancelled();
  if (!cancelled && outcome.kind != JobOutcome::Kind::kFailed) return outcome;
  const std::string why = cancelled ? "The evaluation was cancelled." : outcome.error;
  const Result<void> told = ports_.recorder.failRun(job.scope, job.run_id, why);
  return told ? outcome : again(context, told.error(), ports_.clock.now());
}

Result<void> EvaluationRunner::requireAccess(const RunScope& scope) const {
  TRY(ports_.access.requireForJob(scope.user_id, scope.project.id, scope.project.name,
                                  identity::Action::kWriteProject));
  return {};
}

JobOutcome EvaluationRunner::executeRun(JobContext& context, const RunJob& job) const {
  if (context.stopToken().stop_requested()) return JobOutcome::released();
  if (context.job().attempts > kMaxAttempts)
    return JobOutcome::failed("The evaluation was given up after too many interruptions.");
  Result<void> made = processRows(context, job);
  if (made) made = finish(job);
  if (made) return JobOutcome::done();
  if (isStopped(made.error(), context)) return JobOutcome::released();
  if (isFinal(made.error())) return JobOutcome::failed(made.error().message());
  return again(context, made.error(), ports_.clock.now());
}

Result<void> EvaluationRunner::processRows(JobContext& context, const RunJob& job) const {
  TRY(requireAccess(job.scope));
  TRY(ports_.recorder.createRun(job.scope, newRunOf(job)));
  const std::optional<Call> known = TRY(findCall(ports_.calls, job.scope.project, job.run_id));
  if (!known) return Error::notFound("The evaluation run was deleted.");
  if (known->ended_at) return {};

  EvaluationObjects objects(ports_.objects, job.scope.user_id);
  const ScorerPorts scorer_ports{ports_.model, job.scope.project, job.scope.user_id,
                                 job.scope.key_id};
  RowContext work{{ports_.recorder, ports_.calls, ports_.clock, job.scope},
                  ports_.model,
                  job.run_id,
                  job.model,
                  {},
                  {}};
  if (job.source_run_id) {
    std::vector<NamedScorer> scorers = TRY(objects.scorers(job.scorers, scorer_ports));
    work.scorers = std::move(scorers);
    StoredRows rows(ports_.calls, job.scope.project, objects, *job.source_run_id, job.run_id);
    return processTasks(context, work, rows);
  }
  const EvaluationSpec spec = TRY(objects.evaluation(job.evaluation));
  const Dataset dataset = TRY(objects.dataset(spec.dataset));
  ModelSpec model = TRY(objects.model(job.model));
  work.model = std::move(model);
  std::vector<NamedScorer> scorers = TRY(objects.scorers(spec.scorers, scorer_ports));
  work.scorers = std::move(scorers);
  DatasetRows rows(ports_.objects.tables, dataset, spec.trials, job.run_id);
  return processTasks(context, work, rows);
}

Result<void> EvaluationRunner::processTasks(JobContext& context,
                                            const RowContext& work,
                                            RowSource& rows) const {
  RowQueue queue(rows, ports_.calls, work.scope.project);
  std::atomic<std::int64_t> completed = 0;
  std::atomic<std::int64_t> failed = 0;
  const auto report = [&] {
    const std::int64_t all = queue.doneBefore() + completed;
    // Ignore an error: the next heartbeat detects a lost lease, and progress is optional.
    if (const Result<void> kept = context.setProgress(progressOf(all, failed)); !kept)
      kLog.debug("progress_not_kept", {{"run", work.run_id}});
  };
  const auto take_rows = [&] {
    const std::stop_token stop = context.stopToken();
    while (!stop.stop_requested()) {
      const std::optional<RowTask> task = queue.next();
      if (!task) return;
      const Result<void> allowed = requireAccess(work.scope);
      const Result<bool> answered =
          allowed ? processRowGuarded(work, *task, stop) : Result<bool>(allowed.error());
      if (!answered) {
        queue.fail(answered.error());
        return;
      }
      if (!*answered) ++failed;
      if (++completed % kProgressEvery == 0) report();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(options_.concurrency);
    for (std::size_t i = 0; i < options_.concurrency; ++i) threads.emplace_back(take_rows);
  }
  report();
  if (context.stopToken().stop_requested()) return Error::unavailable("Stopped.");
  if (const std::optional<Error> error = queue.error()) return *error;
  return {};
}

Result<void> EvaluationRunner::finish(const RunJob& job) const {
  const std::optional<Call> run = TRY(findCall(ports_.calls, job.scope.project, job.run_id));
  if (!run) return Error::notFound("The evaluation run was deleted.");
  // An earlier attempt of this job was interrupted after it stored the end.
  if (run->ended_at) return ports_.recorder.reportFinished(job.scope, *run);
  RunSummary summary;
  TRY(forChildren(ports_.calls, job.scope.project, job.run_id,
                  {CallColumn::kId, CallColumn::kOpName, CallColumn::kOutput},
                  [&summary](const Call& call) {
                    if (isPredictAndScore(call.op_name) && call.output) summary.add(*call.output);
                  }));
  RunFinish end;
  end.run_id = job.run_id;
  end.output = summary.json();
  end.summarize_id = stepId({job.run_id, "summarize"});
  return ports_.recorder.finishRun(job.scope, end);
}

JobOutcome EvaluationRunner::scoreCalls(JobContext& context) const {
  const ScoringJob job = scoringJobOf(context.job().payload);
  const std::stop_token stop = context.stopToken();
  EvaluationObjects objects(ports_.objects, job.scope.user_id);
  const Result<std::vector<NamedScorer>> scorers = objects.scorers(
      job.scorers, {ports_.model, job.scope.project, job.scope.user_id, job.scope.key_id});
  if (!scorers && isFinal(scorers.error())) return JobOutcome::failed(scorers.error().message());
  if (!scorers) return again(context, scorers.error(), ports_.clock.now());
  const ScoreContext work{ports_.recorder, ports_.calls, ports_.clock, job.scope};
  const bool maybe_done = context.job().attempts > 1;
  for (const std::string& call_id : job.call_ids) {
    const Result<void> allowed = requireAccess(job.scope);
    const Result<void> scored =
        allowed ? scoreCall(work, *scorers, context.job().id, call_id, maybe_done, stop) : allowed;
    if (stop.stop_requested())
      return context.cancelled() ? JobOutcome::cancelled() : JobOutcome::released();
    if (!allowed && isFinal(allowed.error())) return JobOutcome::failed(allowed.error().message());
    // Skip a call that was deleted in the meantime.
    if (!scored && scored.error().code() != ErrorCode::kNotFound)
      return again(context, scored.error(), ports_.clock.now());
  }
  return JobOutcome::done();
}

}  // namespace spindle::evaluation
