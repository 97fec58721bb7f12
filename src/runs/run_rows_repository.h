#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/artifact.h"
#include "runs/run.h"
#include "storage/session.h"

// What the repositories of this area share: reading runs and moving them from state to state,
// within a transaction in progress. Internal.
namespace spindle::events {
class Outbox;
}

namespace spindle::runs {

std::string_view textOf(Stream stream);

/// The columns of a RunHead, of a table called `r`.
inline constexpr SqlView kHeadColumns =
    "r.number, r.project_id, r.run_id, r.name, r.owner_id, r.owner, r.state, r.exit_code, "
    "r.stop_requested, r.revision, r.created_at, r.updated_at, r.heartbeat_at, r.finished_at";
RunHead headAt(const storage::Row& row);

Result<std::optional<RunHead>> findHead(storage::Session& session,
                                        std::string_view project_id,
                                        std::string_view run_id);
/// @return kNotFound.
Result<RunHead> requireHead(storage::Session& session,
                            std::string_view project_id,
                            std::string_view run_id);

/// The runs that a query ends in (`WHERE …` over `r`), whole.
Result<std::vector<Run>> selectRuns(storage::Session& session,
                                    SqlView tail,
                                    const storage::Params& params);
/// @return kNotFound.
Result<Run> requireRun(storage::Session& session,
                       std::string_view project_id,
                       std::string_view run_id);

/// The lines of a run that are in no block yet.
struct Tail {
  std::int64_t first_line = 0;
  std::string lines;  ///< each ended by a line feed
};
Result<Tail> readTail(storage::Session& session, std::int64_t run_number, Stream stream);

/// The answer to one who wants a run to be active that is not: kConflict `run_not_active`.
Error notActive(RunState state);

/// Where events of runs go, and what they tell of the place.
struct RunScene {
  const events::Outbox& outbox;
  const registry::Place& place;
};

/// Raises RUN_STATE when entering this state tells something. @return whether it did.
Result<bool> raiseState(storage::Session& session, const RunScene& scene, const RunHead& run);

/// Moves a run to where the trigger leads, in the database and in `run`, and raises the event.
/// A sign of life is noted also when the state stays. @return whether an event was raised;
/// kConflict: `run_not_active`, or `invalid_transition` where a state was asked for by name.
Result<bool> moveRun(storage::Session& session,
                     const RunScene& scene,
                     RunHead& run,
                     RunTrigger trigger,
                     Timestamp now,
                     std::optional<std::int64_t> exit_code = {});

}  // namespace spindle::runs
