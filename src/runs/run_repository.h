#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "registry/artifacts/artifact.h"
#include "runs/run.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::live {
class ChangeLog;
}

namespace spindle::runs {

class MetricObserver;

/// SQL access to runs and their states. Raises RUN_STATE in the transaction that changes the state;
/// the author of the event is the owner of the run. Thread-safe; calls block on the database. Every
/// call can return kUnavailable, and kNotFound if the project has no run with that id.
class RunRepository {
 public:
  /// `observer` and `changes` may be null. All arguments must outlive this object.
  RunRepository(storage::Database& database,
                events::Outbox& outbox,
                MetricObserver* observer,
                Clocks clocks,
                live::ChangeLog* changes = nullptr)
      : database_(database),
        outbox_(outbox),
        observer_(observer),
        schedule_(clocks.schedule),
        clock_(clocks.wall),
        changes_(changes),
        seen_lead_(lead()) {}

  struct Started {
    Run run;
    bool created = false;
  };
  /// Starts a run, or resumes the run with that id. Metadata in `fresh` replaces the old metadata.
  /// @return kConflict `run_exists` for Resume::kNever; kNotFound for Resume::kMust.
  Result<Started> start(const registry::Place& place,
                        const registry::Actor& actor,
                        const NewRun& fresh);

  Result<Run> find(const RunKey& key);

  /// Returns a page of runs, newest first. The page cursor is the number of the last run.
  Result<identity::Page<Run>> list(std::string_view project_id,
                                   const RunFilter& filter,
                                   const identity::PageRequest& page);

  /// @return kPreconditionFailed.
  Result<Run> update(const RunKey& key,
                     const RunChange& change,
                     identity::IfVersion if_version = {});

  /// Deletes a run from SQL. HistoryRepository::deleteOrphanedHistory() deletes its rows in the
  /// columnar store. @return kPreconditionFailed.
  Result<void> remove(const RunKey& key, identity::IfVersion if_version = {});

  /// Records a heartbeat. Returns true if the run was asked to stop. @return kConflict
  /// `run_not_active`.
  Result<bool> beat(const registry::Place& place, std::string_view run_id);

  /// Ends a run. A repeated call with the same exit code has no effect.
  /// @return kConflict: `run_not_active`; `exit_code_differs` if the run ended with another code.
  Result<Run> finish(const registry::Place& place, std::string_view run_id, const RunEnd& end);

  /// Changes the state by kKill, kSetPending or kSetFailed.
  /// @return kConflict: `run_not_active`, `invalid_transition`.
  Result<Run> move(const registry::Place& place, std::string_view run_id, RunTrigger trigger);

  /// Asks a running run to stop. The run learns this from the response to its next heartbeat.
  /// @return kConflict `run_not_active`.
  Result<Run> requestStop(const RunKey& key);

  /// Marks running runs without a heartbeat for `silence` as crashed, a limited number per call.
  /// Heartbeats have wall-clock times: if the wall clock was set since the last call, this first
  /// moves them by the same amount. Returns the number of crashed runs.
  Result<std::int64_t> crashStaleRuns(std::chrono::microseconds silence);

 private:
  /// Returns how far the wall clock is ahead of the schedule clock.
  std::chrono::microseconds lead() const { return clock_.now() - schedule_.now(); }

  /// Publishes a change of a run in the project.
  void announce(std::string_view project_id);
  template <class T>
  Result<T> announced(std::string_view project_id, Result<T> outcome) {
    if (outcome) announce(project_id);
    return outcome;
  }

  storage::Database& database_;
  events::Outbox& outbox_;
  MetricObserver* const observer_;
  const Clock& schedule_;
  const Clock& clock_;
  live::ChangeLog* const changes_;
  std::atomic<std::chrono::microseconds> seen_lead_;  ///< lead() at the last crashStaleRuns()
};

}  // namespace spindle::runs
