#include "runs/run_state.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/core/lookup.h"

namespace spindle::runs {
namespace {

using enum RunState;

constexpr auto kNames = std::to_array<LookupEntry<RunState>>({
    {kPending, "pending"},
    {kRunning, "running"},
    {kFinished, "finished"},
    {kFailed, "failed"},
    {kCrashed, "crashed"},
    {kKilled, "killed"},
    {kPreempted, "preempted"},
});

bool isOneOf(RunState state, std::initializer_list<RunState> states) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

std::optional<RunState> leadsTo(bool allowed, RunState next) {
  return allowed ? std::optional(next) : std::nullopt;
}

}  // namespace

std::string_view textOf(RunState state) { return lookUp(kNames, state, ""); }

RunState runStateOf(std::string_view text) { return keyOf(kNames, text).value_or(kFailed); }

bool isActive(RunState state) { return state == kPending || state == kRunning; }

std::optional<RunState> nextState(RunState state, RunTrigger trigger) {
  switch (trigger) {
    case RunTrigger::kHeartbeat:
      return leadsTo(isActive(state), kRunning);
    case RunTrigger::kExitSuccess:
      return leadsTo(state == kRunning, kFinished);
    case RunTrigger::kExitFailure:
      return leadsTo(state == kRunning, kFailed);
    case RunTrigger::kExitPreempted:
      return leadsTo(state == kRunning, kPreempted);
    case RunTrigger::kHeartbeatTimeout:
      return leadsTo(state == kRunning, kCrashed);
    case RunTrigger::kKill:
      return leadsTo(isActive(state), kKilled);
    case RunTrigger::kSetPending:
      return leadsTo(isOneOf(state, {kRunning, kFailed, kCrashed, kPreempted}), kPending);
    case RunTrigger::kSetFailed:
      return leadsTo(isActive(state), kFailed);
    case RunTrigger::kResume:
      return kRunning;
  }
  return std::nullopt;
}

std::string_view eventStateOf(RunState entered) {
  switch (entered) {
    case kRunning:
      return "RUNNING";
    case kFinished:
      return "FINISHED";
    case kFailed:
      return "FAILED";
    case kCrashed:
      return "CRASHED";
    case kPending:
    case kKilled:
    case kPreempted:
      return {};
  }
  return {};
}

}  // namespace spindle::runs
