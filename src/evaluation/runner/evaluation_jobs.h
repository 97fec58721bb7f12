#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "evaluation/recording/run_recorder.h"
#include "evaluation/runner/evaluation_objects.h"
#include "evaluation/scoring/model_port.h"

namespace spindle::jobs {
class JobQueue;
}
namespace spindle::tracing {
class CallStore;
}

namespace spindle::evaluation {

struct RunJob;

/// The status of a run (tracing.md §6.7).
struct RunStatus {
  enum class Code { kNotFound, kRunning, kFailed, kComplete };
  Code code = Code::kNotFound;
  std::int64_t completed_rows = 0;
  std::int64_t total_rows = 0;
  std::string output = "{}";  ///< kComplete only: JSON object with internal references
};

/// The dependencies of EvaluationJobs. All of them must outlive it and be thread-safe.
struct EvaluationJobPorts {
  jobs::JobQueue& queue;
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  ObjectPorts objects;
  ModelPort& model;
  const Clock& clock;
  std::function<void()> wake;  ///< wakes the job runner after a change of the queue
};

/// Enqueues evaluations for the server to execute, and reports their status. A job is durable
/// before its run becomes visible. Thread-safe; blocks on the stores and can return their errors.
class EvaluationJobs {
 public:
  explicit EvaluationJobs(EvaluationJobPorts ports) : ports_(std::move(ports)) {}

  /// Enqueues an evaluation of a model. Returns the id of the run. @return kNotFound for missing
  /// objects, kInvalidArgument for objects that the server cannot run.
  Result<std::string> evaluate(const RunScope& scope,
                               std::string_view evaluation_ref,
                               std::string_view model_ref) const;

  /// Enqueues a new run that scores the predictions of a finished run again. @return as above.
  Result<std::string> rescore(const RunScope& scope,
                              std::string_view source_run_id,
                              const std::vector<std::string>& scorer_refs) const;

  /// Enqueues the scoring of existing calls. @return kNotFound and kInvalidArgument for the
  /// scorers.
  Result<void> scoreCalls(const RunScope& scope,
                          const std::vector<std::string>& call_ids,
                          const std::vector<std::string>& scorer_refs) const;

  /// Returns the status of a run for a reader of the project. @return kInvalidArgument for a call
  /// that is not an evaluation.
  Result<RunStatus> status(const tracing::ProjectScope& project,
                           std::string_view user_id,
                           std::string_view call_id) const;

  /// Cancels a run that the server executes. Returns false if the run had ended already.
  /// @return kNotFound; kInvalidArgument for a run that a client executes.
  Result<bool> cancel(const RunScope& scope, std::string_view call_id) const;

 private:
  RunJob newJob(const RunScope& scope,
                const std::string& evaluation,
                const std::string& model) const;
  Result<std::string> submit(const RunJob& job) const;
  Result<std::int64_t> completedRows(const tracing::ProjectScope& project,
                                     std::string_view run_id) const;
  std::optional<std::int64_t> datasetRows(std::string_view user_id,
                                          std::string_view evaluation) const;

  const EvaluationJobPorts ports_;
};

}  // namespace spindle::evaluation
