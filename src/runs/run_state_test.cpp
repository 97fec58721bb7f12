#include "runs/run_state.h"

#include <array>
#include <map>
#include <optional>

#include <gtest/gtest.h>

namespace spindle::runs {
namespace {

using enum RunState;

constexpr std::array kAll = {kPending, kRunning, kFinished, kFailed, kCrashed, kKilled, kPreempted};

/// Expects exactly the transitions of `allowed` (from, to) and refusals in all other states.
void expectOnly(RunTrigger trigger, const std::map<RunState, RunState>& allowed) {
  for (const RunState state : kAll) {
    const auto found = allowed.find(state);
    const std::optional<RunState> expected =
        found == allowed.end() ? std::nullopt : std::optional(found->second);
    EXPECT_EQ(nextState(state, trigger), expected) << textOf(state);
  }
}

TEST(RunState, HeartbeatStartsARun) {
  expectOnly(RunTrigger::kHeartbeat, {{kPending, kRunning}, {kRunning, kRunning}});
}

TEST(RunState, ExitCodeDeterminesTheFinalState) {
  expectOnly(RunTrigger::kExitSuccess, {{kRunning, kFinished}});
  expectOnly(RunTrigger::kExitFailure, {{kRunning, kFailed}});
}

TEST(RunState, PreemptedExitIsPreempted) {
  expectOnly(RunTrigger::kExitPreempted, {{kRunning, kPreempted}});
}

TEST(RunState, CrashesWithoutHeartbeats) {
  expectOnly(RunTrigger::kHeartbeatTimeout, {{kRunning, kCrashed}});
}

TEST(RunState, IsKilledWhileItIsActive) {
  expectOnly(RunTrigger::kKill, {{kPending, kKilled}, {kRunning, kKilled}});
}

TEST(RunState, CanBePutBackToPending) {
  expectOnly(
      RunTrigger::kSetPending,
      {{kRunning, kPending}, {kFailed, kPending}, {kCrashed, kPending}, {kPreempted, kPending}});
}

TEST(RunState, CanBeSetFailedWhileItIsActive) {
  expectOnly(RunTrigger::kSetFailed, {{kPending, kFailed}, {kRunning, kFailed}});
}

TEST(RunState, RunsAgainWhenItIsResumed) {
  std::map<RunState, RunState> every;
  for (const RunState state : kAll) every[state] = kRunning;
  expectOnly(RunTrigger::kResume, every);
}

TEST(RunState, HasEventsExceptForPendingKilledAndPreempted) {
  EXPECT_EQ(eventStateOf(kRunning), "RUNNING");
  EXPECT_EQ(eventStateOf(kFinished), "FINISHED");
  EXPECT_EQ(eventStateOf(kFailed), "FAILED");
  EXPECT_EQ(eventStateOf(kCrashed), "CRASHED");
  for (const RunState silent : {kPending, kKilled, kPreempted}) EXPECT_EQ(eventStateOf(silent), "");
}

TEST(RunState, ParsesItsOwnNames) {
  for (const RunState state : kAll) EXPECT_EQ(runStateOf(textOf(state)), state);
}

}  // namespace
}  // namespace spindle::runs
