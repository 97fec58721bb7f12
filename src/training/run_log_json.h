#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runs/run.h"
#include "training/job.h"
#include "training/metrics_json.h"
#include "training/model.h"

namespace spindle::runs {
class HistoryRepository;
class RunRepository;
}  // namespace spindle::runs

namespace spindle::training {

class JobRepository;

/// What models' runs show: a row for every gradient step, in order, each once. The run itself says
/// how far it has come (its summary), so that a restart between an event and its row leaves no
/// gap. Whatever goes wrong with a run never keeps a job: it is logged. Thread-safe; blocks.
class RunLog {
 public:
  /// Everything given must outlive this.
  RunLog(runs::RunRepository& runs, runs::HistoryRepository& history, JobRepository& jobs)
      : runs_(runs), history_(history), jobs_(jobs) {}

  /// A run for a model, pending until its first job. @return its id.
  Result<std::string> create(const Model& model);
  /// @return whether there was one.
  Result<bool> remove(const registry::Place& place, const std::string& run_id);

  /// A trainer has taken the job.
  void begin(const Job& job);
  /// It is alive.
  void beat(const Job& job);
  /// Writes the steps that are not there yet.
  void follow(const Job& job);
  /// Writes the rest and ends the run; the next job goes on with it.
  void end(const Job& job);
  /// The same of a job that had ended before, should that have been cut short.
  void endAgain(const Job& job);
  /// One row of a client's log.
  void add(const Model& model, const Metrics& metrics);

 private:
  Result<void> append(const registry::Place& place,
                      const std::string& run_id,
                      std::vector<runs::NewRow> rows);
  /// The same in a run that may have ended.
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
