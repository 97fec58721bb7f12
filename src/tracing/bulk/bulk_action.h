#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// The project and the user of a bulk job.
struct BulkScope {
  ProjectScope project;
  std::string user_id;
  std::string key_id = {};  ///< id of the API key that created the job
};

/// A part of a job that an action processes.
struct BulkWork {
  const BulkScope& scope;
  const std::string& job_id;
  const std::string& parameters;  ///< as prepare() returned them
  const std::stop_token& stop;
};

/// The result of a batch.
struct BulkResult {
  std::int64_t failed = 0;  ///< calls that could not be processed
  std::string result = {};  ///< for finish()
};

/// The end of a job, after all batches.
struct BulkEnd {
  const std::vector<std::string>& results;  ///< BulkResult::result of all batches, in order
  std::string note = {};                    ///< the last text that was saved
  /// Saves a note for a repetition after a crash.
  std::function<Result<void>(std::string_view note)> save;
};

/// The action of a bulk job. A job repeats a batch, or its end, after a crash or a temporary error:
/// a repetition must not change the result. Thread-safe; blocks.
///
/// kUnavailable, kTimeout, kRateLimited and kStorageFull are temporary; other errors fail the job.
class BulkAction {
 public:
  virtual ~BulkAction() = default;

  /// Maximum number of calls of a job.
  virtual std::int64_t maxCalls() const = 0;
  /// Number of calls that are processed together.
  virtual std::size_t batchSize() const = 0;

  /// Checks the parameters with the permissions of the user, before the job is stored.
  /// @return the parameters to store; kInvalidArgument, kNotFound, kUnprocessable.
  virtual Result<std::string> prepare(const BulkScope& scope,
                                      std::string_view parameters) const = 0;

  /// Processes some calls. @return also kUnavailable if it was stopped.
  virtual Result<BulkResult> apply(const BulkWork& work,
                                   const std::vector<std::string>& call_ids) const = 0;

  /// Completes the job.
  virtual Result<void> finish(const BulkWork& work, const BulkEnd& end) const {
    static_cast<void>(work);
    static_cast<void>(end);
    return {};
  }
};

}  // namespace spindle::tracing
