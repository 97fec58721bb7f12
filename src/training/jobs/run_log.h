#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "runs/run.h"
#include "training/data/metrics.h"
#include "training/jobs/job.h"
#include "training/jobs/model.h"

namespace spindle::runs {
class HistoryRepository;
class RunRepository;
}  // namespace spindle::runs

namespace spindle::training {

class JobRepository;

/// Writes training metrics to the runs of models: one row per gradient step, in order, exactly
/// once. The run's summary records the last written event, so a restart between an event and its
/// row leaves no gap. Errors of a run are logged and never stop a job. Thread-safe; blocks.
class RunLog {
 public:
  /// All arguments must outlive this object.
  RunLog(runs::RunRepository& runs, runs::HistoryRepository& history, JobRepository& jobs)
      : runs_(runs), history_(history), jobs_(jobs) {}

  /// Creates a run for a model, pending until its first job. @return the run id
  Result<std::string> create(const Model& model);
  /// Deletes a run. @return true if it existed
  Result<bool> remove(const registry::Place& place, const std::string& run_id);

  /// Marks the run as running: a trainer has leased the job.
  void begin(const Job& job);
  /// Sends a heartbeat of the run.
  void beat(const Job& job);
  /// Writes the gradient steps that the run does not contain yet.
  void follow(const Job& job);
  /// Writes the remaining steps and finishes the run; the next job resumes it.
  void end(const Job& job);
  /// Repeats end() for a finished job, in case the server stopped before it was done.
  void repeatEnd(const Job& job);
  /// Appends one row of a client's log.
  void add(const Model& model, const Metrics& metrics);

 private:
  Result<void> append(const registry::Place& place,
                      const std::string& run_id,
                      std::vector<runs::NewRow> rows);
  /// Appends rows; resumes the run first if it has finished.
  Result<void> appendOf(const Job& job, const std::vector<runs::NewRow>& rows);
  Result<void> summarize(const Job& job);
  Result<void> resume(const registry::Place& place,
                      const registry::Actor& actor,
                      const std::string& run_id);

  runs::RunRepository& runs_;
  runs::HistoryRepository& history_;
  JobRepository& jobs_;
};

}  // namespace spindle::training
