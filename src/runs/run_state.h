#pragma once

#include <optional>
#include <string_view>

namespace spindle::runs {

enum class RunState {
  kPending,  ///< not started yet, or set back to start again
  kRunning,
  kFinished,
  kFailed,
  kCrashed,  ///< sent no heartbeat for too long
  kKilled,
  kPreempted,  ///< ended because its machine was preempted
};

/// Returns the name of the state, such as `pending`.
std::string_view textOf(RunState state);
/// Parses a name from textOf(). Returns kFailed for any other text.
RunState runStateOf(std::string_view text);

/// Returns true if the run accepts rows and heartbeats: pending or running.
bool isActive(RunState state);

/// A cause of a state transition.
enum class RunTrigger {
  kHeartbeat,         ///< a heartbeat
  kExitSuccess,       ///< the run ended with exit code 0
  kExitFailure,       ///< the run ended with another exit code
  kExitPreempted,     ///< the run ended with another exit code on a machine being preempted
  kHeartbeatTimeout,  ///< no heartbeat for too long
  kKill,
  kSetPending,
  kSetFailed,
  kResume,
};

/// Returns the next state, which may be the same state. Returns nothing if the trigger is not
/// allowed in this state.
std::optional<RunState> nextState(RunState state, RunTrigger trigger);

/// Returns the `run_state` of the RUN_STATE event for a run that enters this state: `RUNNING`,
/// `FINISHED`, `FAILED` or `CRASHED`. Returns an empty text for states that raise no event.
std::string_view eventStateOf(RunState entered);

}  // namespace spindle::runs
