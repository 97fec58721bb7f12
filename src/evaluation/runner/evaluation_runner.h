#pragma once

#include <cstddef>

#include "base/core/time.h"
#include "evaluation/recording/run_recorder.h"
#include "evaluation/runner/evaluation_job_payload.h"
#include "evaluation/runner/evaluation_objects.h"
#include "evaluation/scoring/model_port.h"
#include "identity/access/access.h"
#include "jobs/job_runner.h"
#include "tracing/store/call_store.h"

namespace spindle::evaluation {

class RowSource;
struct RowContext;

/// The dependencies of EvaluationRunner. All of them must outlive it and be thread-safe.
struct RunnerPorts {
  identity::Access& access;
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  ObjectPorts objects;
  ModelPort& model;
  const Clock& clock;
};

struct RunnerOptions {
  std::size_t concurrency = 4;  ///< number of rows of one run processed in parallel
};

/// Executes evaluation jobs. The id of every recorded step is derived from the run and the row, so
/// that a restarted job continues where it stopped and records nothing twice. Reads rows in pages.
/// Checks the access of the user before each row: a job whose user may no longer change the project
/// fails.
/// Thread-safe; a run blocks its thread until it ends, and starts `concurrency` more threads.
class EvaluationRunner {
 public:
  EvaluationRunner(RunnerPorts ports, RunnerOptions options)
      : ports_(std::move(ports)), options_(options) {}

  /// Handles jobs of the kind kRunJob.
  jobs::JobOutcome run(jobs::JobContext& context) const;
  /// Handles jobs of the kind kScoringJob.
  jobs::JobOutcome scoreCalls(jobs::JobContext& context) const;

 private:
  /// Returns kPermissionDenied if the user may no longer change the project.
  Result<void> requireAccess(const RunScope& scope) const;
  jobs::JobOutcome executeRun(jobs::JobContext& context, const RunJob& job) const;
  /// Processes all rows. @return kInvalidArgument and kNotFound if the run cannot be executed.
  Result<void> processRows(jobs::JobContext& context, const RunJob& job) const;
  Result<void> processTasks(jobs::JobContext& context,
                            const RowContext& work,
                            RowSource& rows) const;
  Result<void> finish(const RunJob& job) const;

  const RunnerPorts ports_;
  const RunnerOptions options_;
};

}  // namespace spindle::evaluation
