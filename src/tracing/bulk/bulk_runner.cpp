#include "tracing/bulk/bulk_runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/log.h"
#include "base/core/request_origin.h"
#include "tracing/bulk/bulk_selection.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using jobs::JobContext, jobs::JobOutcome;

constexpr Logger kBulkLog("bulk");
/// Maximum number of restarts and of retries after temporary errors, in total.
constexpr std::int64_t kMaxAttempts = 100;
constexpr std::chrono::seconds kRetryDelay{5};
/// Number of batches that one transaction of a selection stores.
constexpr std::size_t kBatchesPerWrite = 50;

bool isTemporary(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kRateLimited:
    case ErrorCode::kStorageFull:
      return true;
    default:
      return false;
  }
}

JobOutcome outcomeOf(const BulkJob& job) {
  if (job.state == BulkState::kFailed) return JobOutcome::failed(job.error.value_or(""));
  return job.state == BulkState::kCancelled ? JobOutcome::cancelled() : JobOutcome::done();
}

BulkScope scopeOf(const BulkJob& job) {
  return {{job.project_id, job.project_name}, job.user_id, job.key_id};
}

/// Collects ids into batches and stores them.
class BatchWriter {
 public:
  BatchWriter(BulkJobRepository& repository, const std::string& job_id, std::size_t batch_size)
      : repository_(repository), job_id_(job_id), batch_size_(batch_size) {}

  Result<void> add(std::vector<std::string> ids) {
    total_ += static_cast<std::int64_t>(ids.size());
    for (std::string& id : ids) {
      if (batches_.empty() || batches_.back().call_ids.size() == batch_size_) {
        if (batches_.size() == kBatchesPerWrite) {
          TRY(flush());
        }
        batches_.push_back({next_++, {}});
      }
      batches_.back().call_ids.push_back(std::move(id));
    }
    return {};
  }
  Result<void> flush() {
    TRY(repository_.addBatches(job_id_, batches_));
    batches_.clear();
    return {};
  }
  std::int64_t total() const { return total_; }

 private:
  BulkJobRepository& repository_;
  const std::string& job_id_;
  const std::size_t batch_size_;
  std::vector<BulkBatch> batches_;
  std::int64_t next_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace

Result<void> BulkRunner::requireAccess(const BulkJob& job) const {
  TRY(ports_.access.requireForJob(job.user_id, job.project_id, job.project_name,
                                  identity::Action::kWriteProject));
  return {};
}

Result<void> BulkRunner::select(const JobContext& context, const BulkJob& job) const {
  const BulkAction& action = *ports_.actions.at(job.action);
  const BulkScope scope = scopeOf(job);
  const std::unique_ptr<objects::RefProjects> projects = ports_.ref_projects(job.user_id);
  const BulkSelection selection = TRY(bulkSelectionOf(job.selection, scope.project, *projects));
  // An earlier attempt may have stored some.
  TRY(ports_.repository.clearBatches(job.id));
  BatchWriter batches(ports_.repository, job.id, action.batchSize());
  const std::stop_token stop = context.stopToken();
  TRY(forCallIds(ports_.calls, scope.project, selection,
                 [&](std::vector<std::string> ids) -> Result<bool> {
                   if (stop.stop_requested()) return Error::unavailable("Stopped.");
                   TRY(batches.add(std::move(ids)));
                   return batches.total() <= action.maxCalls();
                 }));
  TRY(checkCount(action, job.expected_count, batches.total()));
  TRY(batches.flush());
  return ports_.repository.setTotal(job.id, batches.total());
}

Result<void> BulkRunner::execute(JobContext& context, const BulkJob& job) const {
  const BulkAction& action = *ports_.actions.at(job.action);
  const BulkScope scope = scopeOf(job);
  const std::stop_token stop = context.stopToken();
  const BulkWork work{scope, job.id, job.parameters, stop};
  TRY(requireAccess(job));
  TRY(ports_.repository.start(job.id));
  ports_.announce(job.project_id);
  if (!job.total) {
    TRY(select(context, job));
  }
  while (true) {
    if (stop.stop_requested()) return Error::unavailable("Stopped.");
    const std::optional<BulkBatch> batch = TRY(ports_.repository.nextBatch(job.id));
    if (!batch) break;
    TRY(requireAccess(job));
    const BulkResult result = TRY(action.apply(work, batch->call_ids));
    TRY(ports_.repository.completeBatch(job.id, *batch, result.failed, result.result));
    ports_.announce(job.project_id);
  }
  TRY(requireAccess(job));
  const std::vector<std::string> results = TRY(ports_.repository.results(job.id));
  return action.finish(work, {results, job.note, [&](std::string_view note) {
                                return ports_.repository.setNote(job.id, note);
                              }});
}

JobOutcome BulkRunner::run(JobContext& context) const {
  const auto again = [&](const Error& error) {
    kBulkLog.warning("job_interrupted", {{"job", context.job().id}, {"reason", error.message()}});
    return JobOutcome::retry(error.message(), ports_.clock.now() + kRetryDelay);
  };
  const Result<std::optional<BulkJob>> found = ports_.repository.findById(context.job().id);
  if (!found) return again(found.error());
  if (!*found) return JobOutcome::failed("The project was deleted.");
  const BulkJob& job = **found;
  if (isFinished(job.state)) return outcomeOf(job);
  const auto end = [&](BulkState state, const std::string& error, JobOutcome outcome) {
    const Result<void> told = ports_.repository.finish(
        job.id, state, error.empty() ? std::nullopt : std::optional<std::string_view>(error));
    ports_.announce(job.project_id);
    return told ? std::move(outcome) : again(told.error());
  };
  if (job.cancel_requested) return end(BulkState::kCancelled, "", JobOutcome::cancelled());
  const RequestOrigin origin{.user_id = job.user_id, .credential = job.key_id};
  const RequestOriginScope scope(origin);
  Result<void> made;
  try {
    made = execute(context, job);
  } catch (const std::exception& problem) {
    kBulkLog.error("job_threw", {{"job", job.id}, {"reason", problem.what()}});
    made = Error::internal("Internal server error.");
  }
  if (made) return end(BulkState::kSucceeded, "", JobOutcome::done());
  const std::string why = made.error().message();
  if (context.stopToken().stop_requested() && isTemporary(made.error())) {
    if (!context.cancelled()) return JobOutcome::released();
    return end(BulkState::kCancelled, "", JobOutcome::cancelled());
  }
  if (isTemporary(made.error()) && context.job().attempts <= kMaxAttempts)
    return again(made.error());
  return end(BulkState::kFailed, why, JobOutcome::failed(why));
}

}  // namespace spindle::tracing
