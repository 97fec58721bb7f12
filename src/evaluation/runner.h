#pragma once

#include <cstddef>

#include "base/time.h"
#include "evaluation/evaluation_job_json.h"
#include "evaluation/model_port.h"
#include "evaluation/run_recorder.h"
#include "evaluation/runner_objects_json.h"
#include "jobs/job_runner.h"
#include "tracing/call_store.h"

namespace spindle::evaluation {

class RowSource;
struct RowWork;

/// What runs are made of. Everything must outlive the runner and is thread-safe.
struct RunnerPorts {
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  ObjectPorts objects;
  ModelPort& model;
  const Clock& clock;
};

struct RunnerOptions {
  std::size_t concurrency = 4;  ///< rows of one run at a time
};

/// Carries out evaluation jobs. Every step is recorded under an id that follows from the run and
/// the row, so that a job that is taken up again goes on where it stopped and records nothing
/// twice. Rows are read by pages. Thread-safe; a run blocks its thread until it is over and starts
/// `concurrency` more.
class EvaluationRunner {
 public:
  EvaluationRunner(RunnerPorts ports, RunnerOptions options)
      : ports_(std::move(ports)), options_(options) {}

  /// Handles jobs of the kind kRunJob.
  jobs::JobOutcome run(jobs::JobContext& context) const;
  /// Handles jobs of the kind kScoringJob.
  jobs::JobOutcome scoreCalls(jobs::JobContext& context) const;

 private:
  jobs::JobOutcome carryOut(jobs::JobContext& context, const RunJob& job) const;
  /// @return kInvalidArgument and kNotFound when the run cannot be made at all.
  Result<void> makeRows(jobs::JobContext& context, const RunJob& job) const;
  Result<void> workOn(jobs::JobContext& context, const RowWork& work, RowSource& rows) const;
  Result<void> finish(const RunJob& job) const;

  const RunnerPorts ports_;
  const RunnerOptions options_;
};

}  // namespace spindle::evaluation
