#pragma once

#include <optional>
#include <string_view>

namespace spindle::runs {

enum class RunState {
  kPending,  ///< will begin, or was put back to begin again
  kRunning,
  kFinished,
  kFailed,
  kCrashed,  ///< was not heard of for too long
  kKilled,
  kPreempted,  ///< its machine was taken away
};

/// `pending` and so on.
std::string_view textOf(RunState state);
/// Of a text that textOf() gave; anything else is kFailed.
RunState runStateOf(std::string_view text);

/// Whether the run still takes rows and signs of life.
bool isActive(RunState state);

/// What moves a run from one state to another.
enum class RunTrigger {
  kBeat,           ///< a sign of life
  kExitWell,       ///< the end, with exit code 0
  kExitBadly,      ///< the end, with another one
  kExitPreempted,  ///< the same, on a machine that was being taken away
  kSilence,        ///< no sign of life for too long
  kKill,
  kSetPending,
  kSetFailed,
  kResume,
};

/// The state that the trigger leads to, which may be the same; empty when it may not happen.
std::optional<RunState> nextState(RunState state, RunTrigger trigger);

/// What RUN_STATE shows when a run enters this state from another: `RUNNING`, `FINISHED`, `FAILED`,
/// `CRASHED`. Empty: entering it raises no event.
std::string_view eventWordOf(RunState entered);

}  // namespace spindle::runs
