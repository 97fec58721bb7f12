#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/schedule_clock.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/row_version.h"
#include "registry/artifact.h"
#include "runs/run.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::runs {

class MetricWatch;

/// Runs and their states. Thread-safe; calls block on the database, and every one may return
/// kUnavailable. RUN_STATE is raised in the transaction that moves a run; its author is the run's
/// owner. A run is named within its project; one that is not there is kNotFound.
class RunRepository {
 public:
  /// `watch` is null when nobody watches. Everything given must outlive this.
  RunRepository(storage::Database& database,
                events::Outbox& outbox,
                MetricWatch* watch,
                Clocks clocks)
      : database_(database),
        outbox_(outbox),
        watch_(watch),
        schedule_(clocks.schedule),
        clock_(clocks.wall),
        seen_lead_(lead()) {}

  struct Started {
    Run run;
    bool created = false;
  };
  /// Begins a run, or goes on with the one of that id: metadata that is given replaces the old.
  /// @return kConflict `run_exists` for Resume::kNever; kNotFound for Resume::kMust.
  Result<Started> start(const registry::Place& place,
                        const registry::Actor& actor,
                        const NewRun& fresh);

  Result<Run> find(std::string_view project_id, std::string_view run_id);

  /// Newest first. A page ends with a number.
  Result<identity::Page<Run>> list(std::string_view project_id,
                                   const RunFilter& filter,
                                   const identity::PageRequest& page);

  /// @return kPreconditionFailed.
  Result<Run> update(std::string_view project_id,
                     std::string_view run_id,
                     const RunChange& change,
                     identity::IfVersion if_version = {});

  /// What it left in the columnar store goes by HistoryRepository::clearRemains().
  /// @return kPreconditionFailed.
  Result<void> remove(std::string_view project_id,
                      std::string_view run_id,
                      identity::IfVersion if_version = {});

  /// A sign of life. @return whether the run is asked to stop; kConflict `run_not_active`.
  Result<bool> beat(const registry::Place& place, std::string_view run_id);

  /// Ends a run. Again with the same code changes nothing.
  /// @return kConflict: `run_not_active`; `exit_code_differs` when it ended with another one.
  Result<Run> finish(const registry::Place& place, std::string_view run_id, const RunEnd& end);

  /// For kKill, kSetPending and kSetFailed.
  /// @return kConflict: `run_not_active`, `invalid_transition`.
  Result<Run> move(const registry::Place& place, std::string_view run_id, RunTrigger trigger);

  /// Asks a running run to stop; it hears of it with its next sign of life.
  /// @return kConflict `run_not_active`.
  Result<Run> requestStop(std::string_view project_id, std::string_view run_id);

  /// Marks running runs as crashed that were not heard of for so long; a moderate number at a time.
  /// Heartbeats carry the wall time: when that was set since the last call, they are moved with it.
  /// @return how many.
  Result<std::int64_t> crashSilent(std::chrono::microseconds silence);

 private:
  /// Returns how far the wall clock is ahead of the schedule.
  std::chrono::microseconds lead() const { return clock_.now() - schedule_.now(); }

  storage::Database& database_;
  events::Outbox& outbox_;
  MetricWatch* const watch_;
  const Clock& schedule_;
  const Clock& clock_;
  std::atomic<std::chrono::microseconds> seen_lead_;  ///< at the last crashSilent()
};

}  // namespace spindle::runs
