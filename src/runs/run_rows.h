#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "registry/artifacts/artifact.h"
#include "runs/run.h"
#include "storage/database/columns.h"
#include "storage/database/session.h"

// Internal helpers of the repositories of this area: they read runs and change their state inside
// an open transaction.
namespace spindle::events {
class Outbox;
}

namespace spindle::runs {

std::string_view textOf(Stream stream);

/// Returns the columns of the table of runs, `runs r`, that a RunHeader holds.
const storage::Columns<RunHeader>& runHeaderColumns();

Result<std::optional<RunHeader>> findRunHeader(storage::Session& session, const RunKey& key);
/// Returns kNotFound if the run does not exist.
Result<RunHeader> requireRunHeader(storage::Session& session, const RunKey& key);

/// Returns the complete runs that match `tail`, the end of the SQL query (`WHERE …` over `r`).
Result<std::vector<Run>> selectRuns(storage::Session& session,
                                    SqlView tail,
                                    const storage::Params& params);
/// Returns kNotFound if the run does not exist.
Result<Run> requireRun(storage::Session& session, const RunKey& key);

/// The last lines of a stream, which are not in a block yet.
struct Tail {
  std::int64_t first_line = 0;
  std::string lines;  ///< each line ends with a line feed
};
Result<Tail> readTail(storage::Session& session, std::int64_t run_number, Stream stream);

/// Returns the error for an operation that requires an active run: kConflict `run_not_active`.
Error notActive(RunState state);

/// The outbox for events of runs, and the project that the events name.
struct RunEventContext {
  const events::Outbox& outbox;
  const registry::Place& place;
};

/// Raises RUN_STATE if the state of `run` has an event. Returns true if it did.
Result<bool> raiseRunStateEvent(storage::Session& session,
                                const RunEventContext& event_context,
                                const RunHeader& run);

/// Applies the trigger to the run, in the database and in `run`, and raises the event. Updates the
/// heartbeat time even if the state stays the same. Returns true if an event was raised.
/// @return kConflict: `run_not_active`, or `invalid_transition` for kSetPending and kSetFailed.
Result<bool> transitionRun(storage::Session& session,
                           const RunEventContext& event_context,
                           RunHeader& run,
                           RunTrigger trigger,
                           Timestamp now,
                           std::optional<std::int64_t> exit_code = {});

}  // namespace spindle::runs
