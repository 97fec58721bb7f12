#include "tracing/bulk/bulk_jobs.h"

#include <utility>

#include "jobs/job_queue.h"
#include "tracing/bulk/bulk_selection.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {

Result<void> checkCount(const BulkAction& action,
                        std::optional<std::int64_t> expected,
                        std::int64_t count) {
  if (count > action.maxCalls()) {
    return Error(ErrorCode::kTooLarge, "The selection has more than " +
                                           std::to_string(action.maxCalls()) +
                                           " calls. Choose fewer.");
  }
  if (expected && *expected != count) {
    return Error::conflict("The selection has " + std::to_string(count) + " calls, not " +
                           std::to_string(*expected) + ".")
        .because("count_changed")
        .with("count", std::to_string(count));
  }
  return {};
}

Result<BulkJob> BulkJobs::create(const BulkRequest& request) const {
  const BulkAction& action = *ports_.actions.at(request.action);
  const BulkScope& scope = request.scope;
  const std::unique_ptr<objects::RefProjects> projects = ports_.ref_projects(scope.user_id);
  const BulkSelection selection = TRY(bulkSelectionOf(request.selection, scope.project, *projects));
  std::string parameters = TRY(action.prepare(scope, request.parameters));
  const std::int64_t count =
      TRY(countCalls(ports_.calls, scope.project, selection, action.maxCalls()));
  TRY(checkCount(action, request.expected_count, count));
  NewBulkJob fresh;
  fresh.project_id = scope.project.id;
  fresh.project_name = scope.project.name;
  fresh.team_id = request.team_id;
  fresh.user_id = scope.user_id;
  fresh.key_id = scope.key_id;
  fresh.action = request.action;
  fresh.selection = request.selection;
  fresh.parameters = std::move(parameters);
  fresh.expected_count = request.expected_count;
  const auto enqueue = [&](storage::Session& session, const std::string& id) -> Result<void> {
    jobs::NewJob job;
    job.kind = kBulkJob;
    job.id = id;
    job.queue_key = request.team_id;
    TRY(ports_.queue.enqueue(session, job));
    return {};
  };
  BulkJob job = TRY(ports_.repository.insert(fresh, kMaxOpenJobs, enqueue));
  ports_.announce(job.project_id);
  ports_.wake();
  return job;
}

Result<BulkJob> BulkJobs::find(std::string_view project_id, std::string_view id) const {
  return ports_.repository.find(project_id, id);
}

Result<identity::Page<BulkJob>> BulkJobs::list(std::string_view project_id,
                                               const identity::PageRequest& page) const {
  return ports_.repository.list(project_id, page);
}

Result<BulkJob> BulkJobs::cancel(std::string_view project_id, std::string_view id) const {
  const auto dequeue = [this](storage::Session& session, const std::string& job) {
    return ports_.queue.end(session, job, jobs::JobState::kCancelled);
  };
  BulkJob job = TRY(ports_.repository.cancel(project_id, id, dequeue));
  ports_.announce(job.project_id);
  if (isFinished(job.state)) return job;
  // The runner also sees the request in the job itself, if this fails.
  TRY(ports_.queue.cancel(job.id));
  ports_.wake();
  return job;
}

}  // namespace spindle::tracing
