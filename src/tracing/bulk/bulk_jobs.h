#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "identity/access/access.h"
#include "identity/store/page.h"
#include "objects/values/ref_conversion.h"
#include "tracing/bulk/bulk_action.h"
#include "tracing/metadata/bulk_job.h"
#include "tracing/metadata/bulk_job_repository.h"

namespace spindle::jobs {
class JobQueue;
}

namespace spindle::tracing {

class CallStore;

/// The kind of bulk jobs in the job queue.
inline constexpr std::string_view kBulkJob = "tracing.bulk";

/// The dependencies of bulk jobs. All of them must outlive their user and be thread-safe.
struct BulkPorts {
  identity::Access& access;
  CallStore& calls;
  BulkJobRepository& repository;
  jobs::JobQueue& queue;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  std::map<BulkActionKind, const BulkAction*> actions;  ///< all kinds
  const Clock& clock;
  std::function<void()> wake;  ///< wakes the job runner after a change of the queue
  std::function<void(const std::string& project_id)> announce;  ///< publishes a change of a job
};

/// A request for a bulk job.
struct BulkRequest {
  BulkScope scope;
  std::string team_id;
  BulkActionKind action = BulkActionKind::kDelete;
  std::string selection;  ///< JSON, as bulkSelectionOf() reads it
  std::string parameters = "{}";
  std::optional<std::int64_t> expected_count = {};
};

/// Creates bulk jobs, reports and cancels them. Callers check access to the project. Thread-safe;
/// blocks on the stores and can return their errors.
class BulkJobs {
 public:
  /// Maximum number of unfinished jobs of a team. Jobs of a team run one after the other.
  static constexpr std::int64_t kMaxOpenJobs = 10;

  explicit BulkJobs(BulkPorts ports) : ports_(std::move(ports)) {}

  /// @return kConflict if the selection has not `expected_count` calls, kTooLarge for too many
  /// calls, kRateLimited, and the errors of the selection and of BulkAction::prepare().
  Result<BulkJob> create(const BulkRequest& request) const;
  /// @return kNotFound.
  Result<BulkJob> find(std::string_view project_id, std::string_view id) const;
  Result<identity::Page<BulkJob>> list(std::string_view project_id,
                                       const identity::PageRequest& page) const;
  /// Ends a queued job at once, a running one after its batch. A finished job stays unchanged.
  /// @return the job after the change; kNotFound.
  Result<BulkJob> cancel(std::string_view project_id, std::string_view id) const;

 private:
  const BulkPorts ports_;
};

/// Returns kTooLarge or kConflict if a job of this action cannot have `count` calls.
Result<void> checkCount(const BulkAction& action,
                        std::optional<std::int64_t> expected,
                        std::int64_t count);

}  // namespace spindle::tracing
