#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "evaluation/model_port.h"
#include "evaluation/run_recorder.h"
#include "evaluation/runner_objects_json.h"

namespace spindle::jobs {
class JobQueue;
}
namespace spindle::tracing {
class CallStore;
}

namespace spindle::evaluation {

struct RunJob;

/// How far a run is (tracing.md §6.7).
struct RunStatus {
  enum class Code { kNotFound, kRunning, kFailed, kComplete };
  Code code = Code::kNotFound;
  std::int64_t completed_rows = 0;
  std::int64_t total_rows = 0;
  std::string output = "{}";  ///< of kComplete: JSON object with internal references
};

/// What the service works with. Everything must outlive it and is thread-safe.
struct EvaluationJobPorts {
  jobs::JobQueue& queue;
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  ObjectPorts objects;
  ModelPort& model;
  const Clock& clock;
  std::function<void()> wake;  ///< there is something new in the queue
};

/// Takes in evaluations that the server is to carry out, and says how far they are. A job is on
/// disk before its run is shown to anyone. Thread-safe; blocks on the stores and may return their
/// errors.
class EvaluationJobs {
 public:
  explicit EvaluationJobs(EvaluationJobPorts ports) : ports_(std::move(ports)) {}

  /// @return the id of the run; kNotFound and kInvalidArgument for objects that are not there, or
  /// that the server cannot run.
  Result<std::string> evaluate(const RunScope& scope,
                               std::string_view evaluation_ref,
                               std::string_view model_ref) const;

  /// Scores the predictions of a finished run again. @return as above.
  Result<std::string> rescore(const RunScope& scope,
                              std::string_view source_run_id,
                              const std::vector<std::string>& scorer_refs) const;

  /// Scores calls as they are. @return kNotFound and kInvalidArgument for the scorers.
  Result<void> scoreCalls(const RunScope& scope,
                          const std::vector<std::string>& call_ids,
                          const std::vector<std::string>& scorer_refs) const;

  /// As a reader sees it. @return kInvalidArgument for a call that is no evaluation.
  Result<RunStatus> status(const tracing::ProjectScope& project,
                           std::string_view user_id,
                           std::string_view call_id) const;

  /// Ends a run that the server carries out. @return false when it had ended; kNotFound,
  /// kInvalidArgument for a run that somebody else carries out.
  Result<bool> cancel(const RunScope& scope, std::string_view call_id) const;

 private:
  Result<std::string> submit(RunJob job) const;
  Result<std::int64_t> completedRows(const tracing::ProjectScope& project,
                                     std::string_view run_id) const;
  std::optional<std::int64_t> datasetRows(std::string_view user_id,
                                          std::string_view evaluation) const;

  const EvaluationJobPorts ports_;
};

}  // namespace spindle::evaluation
