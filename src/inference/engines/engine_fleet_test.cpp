#include "inference/engines/engine_fleet.h"

#include <gtest/gtest.h>

#include "inference/engines/fleet_for_test.h"

namespace spindle::inference {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Fleet, StartsAnEngineAtTheFirstRequest) {
  acquire(1, a_);
  EXPECT_EQ(stateOf("a"), "inspecting");
  inspected(kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "start a"}));
  fleet_->started(actions_.runs["a"], 4711);
  EXPECT_EQ(stateOf("a"), "starting");
  EXPECT_EQ(statusOf("a").pid, 4711);
  EXPECT_EQ(statusOf("a").waiting, 1U);
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"1 gets a"}));
  EXPECT_EQ(stateOf("a"), "ready");
  EXPECT_EQ(statusOf("a").leases, 1U);
}

TEST_F(Fleet, SharesOneStartAmongWaitingRequests) {
  acquire(1, a_);
  acquire(2, a_);
  inspected(kGiB);
  acquire(3, a_);
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "start a", "1 gets a", "2 gets a", "3 gets a"}));
}

TEST_F(Fleet, GrantsARunningEngineImmediately) {
  bringUp(1, a_);
  acquire(2, a_);
  EXPECT_EQ(actions_.take(), (Lines{"2 gets a"}));
}

TEST_F(Fleet, ReportsTheLoadingProgress) {
  acquire(1, a_);
  inspected(kGiB);
  actions_.take();
  after(milliseconds(50));
  EXPECT_EQ(actions_.take(), (Lines{"probe a"}));
  after(milliseconds(50));
  EXPECT_EQ(actions_.take(), Lines{}) << "one health check at a time";
  fleet_->probed(actions_.runs["a"], EngineHealth{false, 0.25, 0}, now_);
  EXPECT_EQ(statusOf("a").progress, 0.25);
  EXPECT_EQ(stateOf("a"), "starting");
  silent("a");
  EXPECT_EQ(stateOf("a"), "starting") << "the engine may not listen yet";
}

TEST_F(Fleet, KillsAnEngineThatDoesNotStartInTime) {
  use({.start_timeout = seconds(30)});
  acquire(1, a_);
  inspected(kGiB);
  actions_.take();
  after(seconds(30));
  EXPECT_EQ(actions_.take(), (Lines{"kill a"}));
  exits("a", 0, 9);
  EXPECT_EQ(actions_.take(), (Lines{"1 is refused"}));
  EXPECT_EQ(actions_.errors.at(1).code(), ErrorCode::kUnavailable);
  EXPECT_EQ(actions_.errors.at(1).message(),
            "The engine of the model a did not start within 30 s.");
  EXPECT_EQ(stateOf("a"), "backing_off");
}

TEST_F(Fleet, RestartsImmediatelyAfterTheFirstCrash) {
  bringUp(1, a_);
  exits("a", 0, 9, "ggml abort");
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
  EXPECT_EQ(statusOf("a").last_error, "was terminated by signal 9: ggml abort");
  acquire(2, a_);
  inspected(kGiB);
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"start a", "2 gets a"}));
  EXPECT_EQ(statusOf("a").restarts, 1);
}

TEST_F(Fleet, DoublesTheBackoffAfterEveryCrash) {
  bringUp(1, a_);
  const std::vector<milliseconds> delays = {seconds(2),  seconds(4),  seconds(8), seconds(16),
                                            seconds(32), seconds(60), seconds(60)};
  exits("a", 1);
  for (const milliseconds delay : delays) {
    inspected(kGiB);
    healthy("a");
    exits("a", 1);
    actions_.take();
    EXPECT_EQ(stateOf("a"), "backing_off");
    EXPECT_EQ(fleet_->nextDue(), now_ + delay);
    after(delay - milliseconds(1));
    EXPECT_EQ(actions_.take(), Lines{});
    after(milliseconds(1));
    EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
  }
}

TEST_F(Fleet, AddsJitterToTheBackoff) {
  for (const auto& [random, delay] :
       {std::pair(0.0, milliseconds(800)), std::pair(0.5, milliseconds(1000)),
        std::pair(0.75, milliseconds(1100))}) {
    fleet_ = std::make_unique<EngineFleet>(FleetLimits{.memory = 10 * kGiB}, actions_,
                                           [share = random] { return share; });
    acquire(1, a_);
    inspected(kGiB);
    exits("a", 1);
    acquire(2, a_);
    EXPECT_EQ(actions_.errors.at(2).code(), ErrorCode::kUnavailable);
    EXPECT_EQ(retryAfterOf(actions_.errors.at(2)), delay > seconds(1) ? "2" : "1");
    now_ += delay;
    acquire(3, a_);
    EXPECT_EQ(actions_.take().back(), "inspect a");
  }
}

TEST_F(Fleet, ResetsTheCrashCountAfterAStableRun) {
  bringUp(1, a_);
  exits("a", 1);
  inspected(kGiB);
  healthy("a");
  now_ += seconds(60);
  actions_.take();
  exits("a", 1);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
}

TEST_F(Fleet, RejectsWithRetryAfterDuringTheBackoff) {
  acquire(1, a_);
  inspected(kGiB);
  exits("a", 1, 0, "out of memory");
  EXPECT_EQ(stateOf("a"), "backing_off");
  EXPECT_EQ(retryAfterOf(actions_.errors.at(1)), "1");
  acquire(2, a_);
  EXPECT_EQ(actions_.errors.at(2).message(), "The engine of the model a exited with code 1.");
  EXPECT_EQ(actions_.errors.at(2).reason(), "engine_down");
  EXPECT_EQ(statusOf("a").last_error, "exited with code 1: out of memory");
}

TEST_F(Fleet, RestartsAnEngineThatNeverStartedOnlyOnRequest) {
  acquire(1, a_);
  inspected(kGiB);
  exits("a", 1);
  actions_.take();
  after(seconds(120));
  EXPECT_EQ(actions_.take(), Lines{});
  acquire(2, a_);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
}

TEST_F(Fleet, RetriesAnUnloadableFileOnlyWhenItChanged) {
  acquire(1, a_);
  inspected(kGiB, "first");
  exits("a", kUnloadableExit, 0, "unknown architecture");
  EXPECT_EQ(stateOf("a"), "failed");
  EXPECT_EQ(actions_.errors.at(1).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(actions_.errors.at(1).message(), "unknown architecture");
  actions_.take();
  acquire(2, a_);
  inspected(kGiB, "first");
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "2 is refused"}));
  EXPECT_EQ(actions_.errors.at(2).message(), "unknown architecture");
  acquire(3, a_);
  inspected(kGiB, "second");
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "start a"}));
}

TEST_F(Fleet, RejectsAnInvalidFileWithoutStarting) {
  acquire(1, a_);
  fleet_->inspected(actions_.last_engine, Error::invalidArgument("no GGUF"), now_);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "1 is refused"}));
  EXPECT_EQ(stateOf("a"), "failed");
  acquire(2, a_);
  inspected(kGiB);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "start a"}));
}

TEST_F(Fleet, TreatsExitCodeThreeAfterLoadingAsACrash) {
  bringUp(1, a_);
  exits("a", kUnloadableExit);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
}

TEST_F(Fleet, ChecksTheHealthOfARunningEngine) {
  bringUp(1, a_);
  after(seconds(3));
  EXPECT_EQ(actions_.take(), (Lines{"probe a"}));
  healthy("a");
  EXPECT_EQ(fleet_->nextDue(), now_ + seconds(3));
}

TEST_F(Fleet, KillsAndRestartsAHungEngine) {
  bringUp(1, a_);
  for (int i = 0; i < 2; ++i) {
    after(seconds(3));
    silent("a");
  }
  EXPECT_EQ(actions_.take(), (Lines{"probe a", "probe a"}));
  EXPECT_EQ(stateOf("a"), "ready");
  after(seconds(3));
  silent("a");
  EXPECT_EQ(actions_.take(), (Lines{"probe a", "kill a"}));
  acquire(2, a_);
  exits("a", 0, 9);
  EXPECT_EQ(actions_.take(), (Lines{"2 is refused", "inspect a"}));
  EXPECT_EQ(statusOf("a").last_error, "stopped responding");
}

TEST_F(Fleet, ResetsMissedProbesAfterASuccess) {
  bringUp(1, a_);
  silent("a");
  silent("a");
  healthy("a");
  silent("a");
  silent("a");
  EXPECT_EQ(stateOf("a"), "ready");
}

TEST_F(Fleet, RestartsAnEngineRequestedWhileItStops) {
  bringUp(1, a_);
  release(1);
  ASSERT_TRUE(fleet_->unload("a", now_));
  EXPECT_EQ(actions_.take(), (Lines{"stop a"}));
  acquire(2, a_);
  exits("a", 0);
  inspected(kGiB);
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "start a", "2 gets a"}));
  EXPECT_EQ(statusOf("a").restarts, 0) << "the engine has not crashed";
}

TEST_F(Fleet, KillsAnEngineThatDoesNotStop) {
  bringUp(1, a_);
  release(1);
  ASSERT_TRUE(fleet_->unload("a", now_));
  actions_.take();
  after(milliseconds(4999));
  EXPECT_EQ(actions_.take(), Lines{});
  after(milliseconds(1));
  EXPECT_EQ(actions_.take(), (Lines{"kill a"}));
  after(seconds(60));
  EXPECT_EQ(actions_.take(), Lines{}) << "once";
  exits("a", 0, 9);
  EXPECT_EQ(stateOf("a"), "stopped") << "the stop was requested";
}

TEST_F(Fleet, UnloadsWhenTheLastRequestEnds) {
  bringUp(1, a_);
  ASSERT_TRUE(fleet_->unload("a", now_));
  EXPECT_EQ(stateOf("a"), "draining");
  acquire(2, a_);
  EXPECT_EQ(actions_.take(), Lines{});
  release(1);
  EXPECT_EQ(actions_.take(), (Lines{"stop a"}));
  exits("a", 0);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"})) << "for the second request";
}

TEST_F(Fleet, ChecksTheHealthOfADrainingEngine) {
  bringUp(1, a_);
  ASSERT_TRUE(fleet_->unload("a", now_));
  after(seconds(3));
  EXPECT_EQ(actions_.take(), (Lines{"probe a"}));
}

TEST_F(Fleet, UnloadsOnlyLoadedModels) {
  EXPECT_EQ(fleet_->unload("a", now_).error().code(), ErrorCode::kNotFound);
  bringUp(1, a_);
  release(1);
  ASSERT_TRUE(fleet_->unload("a", now_));
  ASSERT_TRUE(fleet_->unload("a", now_)) << "the unload is in progress";
  exits("a", 0);
  EXPECT_EQ(fleet_->unload("a", now_).error().code(), ErrorCode::kNotFound);
}

TEST_F(Fleet, DoesNotUnloadAModelWithWaitingRequests) {
  acquire(1, a_);
  EXPECT_EQ(fleet_->unload("a", now_).error().reason(), "engine_starting");
  inspected(kGiB);
  EXPECT_EQ(fleet_->unload("a", now_).error().reason(), "engine_starting");
}

TEST_F(Fleet, ClearsAFailureWhenUnloaded) {
  acquire(1, a_);
  inspected(kGiB);
  exits("a", 1);
  ASSERT_TRUE(fleet_->unload("a", now_));
  actions_.take();
  acquire(2, a_);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
}

TEST_F(Fleet, UnloadsIdleModels) {
  use({.idle_unload = seconds(60)});
  bringUp(1, a_);
  after(seconds(120));
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"probe a"})) << "a request uses it";
  release(1);
  after(seconds(59));
  healthy("a");
  actions_.take();
  EXPECT_EQ(fleet_->nextDue(), now_ + seconds(1));
  after(seconds(1));
  EXPECT_EQ(actions_.take(), (Lines{"stop a"}));
}

TEST_F(Fleet, KeepsIdleModelsByDefault) {
  bringUp(1, a_);
  release(1);
  after(std::chrono::hours(24));
  EXPECT_EQ(actions_.take(), (Lines{"probe a"}));
}

TEST_F(Fleet, StartsModelsWithStartAtBootOnce) {
  auto model = std::make_shared<Model>(*a_);
  model->start_at_boot = true;
  fleet_->applyCatalogue({model, b_}, now_);
  inspected(kGiB);
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"inspect a", "start a"}));
  ASSERT_TRUE(fleet_->unload("a", now_));
  exits("a", 0);
  fleet_->applyCatalogue({model, b_}, now_);
  EXPECT_EQ(actions_.take(), (Lines{"stop a"})) << "it was unloaded on purpose";
}

TEST_F(Fleet, RestartsModelsWithStartAtBoot) {
  auto model = std::make_shared<Model>(*a_);
  model->start_at_boot = true;
  fleet_->applyCatalogue({model}, now_);
  inspected(kGiB);
  exits("a", 1);
  actions_.take();
  after(seconds(1));
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
}

TEST_F(Fleet, UnloadsModelsRemovedFromTheCatalogue) {
  bringUp(1, a_);
  bringUp(2, b_);
  release(2);
  fleet_->applyCatalogue({}, now_);
  EXPECT_EQ(actions_.take(), (Lines{"stop b"}));
  release(1);
  EXPECT_EQ(actions_.take(), (Lines{"stop a"}));
  exits("a", 0);
  exits("b", 0);
  fleet_->applyCatalogue({}, now_);
  EXPECT_TRUE(fleet_->engines(now_).empty());
}

TEST_F(Fleet, RestartsAModelWhenItsFileChanges) {
  bringUp(1, a_);
  auto changed = std::make_shared<Model>(*a_);
  changed->file = "/models/better.gguf";
  fleet_->applyCatalogue({changed}, now_);
  acquire(2, changed);
  EXPECT_EQ(actions_.take(), (Lines{"inspect a"}));
  release(1);
  EXPECT_EQ(actions_.take(), (Lines{"stop a"}));
}

TEST_F(Fleet, KeepsAModelWhenOtherMembersChange) {
  bringUp(1, a_);
  auto changed = std::make_shared<Model>(*a_);
  changed->teams = {"tea_1"};
  changed->version = 2;
  fleet_->applyCatalogue({changed}, now_);
  acquire(2, changed);
  EXPECT_EQ(actions_.take(), (Lines{"2 gets a"}));
}

TEST_F(Fleet, RequestsWaitUntilTheFileIsFetched) {
  acquire(1, a_);
  const std::uint64_t engine = actions_.last_engine;
  fleet_->fetching(engine, 0.25, now_);
  EXPECT_EQ(stateOf("a"), "fetching");
  EXPECT_EQ(statusOf("a").progress, 0.25);
  acquire(2, a_);
  EXPECT_EQ(actions_.take(), Lines{"inspect a"});
  inspected(kGiB);
  healthy("a");
  EXPECT_EQ(actions_.take(), (Lines{"start a", "1 gets a", "2 gets a"}));
}

TEST_F(Fleet, RequestsWaitForAFileAsLongAsForAStart) {
  use({.start_timeout = std::chrono::seconds(60)});
  acquire(1, a_);
  const std::uint64_t engine = actions_.last_engine;
  fleet_->fetching(engine, 0, now_);
  after(std::chrono::seconds(59));
  fleet_->fetching(engine, 0.5, now_);
  EXPECT_EQ(actions_.take(), Lines{"inspect a"});
  EXPECT_EQ(fleet_->nextDue(), now_ + std::chrono::seconds(1));
  after(std::chrono::seconds(1));
  EXPECT_EQ(actions_.take(), Lines{"1 is refused"});
  EXPECT_EQ(actions_.errors.at(1).reason(), "model_being_fetched");
  EXPECT_EQ(retryAfterOf(actions_.errors.at(1)), "10");
  EXPECT_EQ(fleet_->nextDue(), EngineFleet::Time::max()) << "nobody waits";
  acquire(2, a_);
  EXPECT_EQ(actions_.take(), Lines{"2 is refused"});
  inspected(kGiB);
  EXPECT_EQ(actions_.take(), Lines{"start a"});
}

TEST_F(Fleet, ForgetsAFetchThatNobodyNeeds) {
  acquire(1, a_);
  const std::uint64_t engine = actions_.last_engine;
  fleet_->fetching(engine, 0, now_);
  EXPECT_EQ(fleet_->unload("a", now_).error().reason(), "engine_starting");
  inspected(kGiB);
  healthy("a");
  release(1);
  ASSERT_TRUE(fleet_->unload("a", now_));
  exits("a", 0);
  actions_.take();
  fleet_->fetching(engine, 0.5, now_);
  EXPECT_EQ(stateOf("a"), "stopped");
}

TEST_F(Fleet, StartsAnotherEngineForAnotherStoredFile) {
  auto first = std::make_shared<Model>(*a_);
  first->file.clear();
  first->stored = {.blob = "first", .bytes = 1, .header_bytes = 1};
  bringUp(1, first);
  auto second = std::make_shared<Model>(*first);
  second->stored.blob = "second";
  fleet_->applyCatalogue({second}, now_);
  acquire(2, second);
  EXPECT_EQ(actions_.take(), Lines{"inspect a"});
  release(1);
  EXPECT_EQ(actions_.take(), Lines{"stop a"});
}

TEST_F(Fleet, StopsAllEnginesWithTheServer) {
  bringUp(1, a_);
  acquire(2, b_);
  inspected(kGiB);
  acquire(3, c_);
  actions_.take();
  fleet_->stop(now_);
  EXPECT_EQ(actions_.take(), (Lines{"stop a", "2 is refused", "stop b", "3 is refused"}));
  acquire(4, a_);
  EXPECT_EQ(actions_.take(), (Lines{"4 is refused"}));
  EXPECT_FALSE(fleet_->hasNoProcess());
  exits("a", 0);
  exits("b", 0, 15);
  EXPECT_TRUE(fleet_->hasNoProcess());
  inspected(kGiB);
  after(std::chrono::hours(1));
  EXPECT_EQ(actions_.take(), Lines{});
}

TEST_F(Fleet, IgnoresReportsOfEndedProcesses) {
  bringUp(1, a_);
  const EngineRun gone = actions_.runs["a"];
  exits("a", 0, 9);
  inspected(kGiB);
  actions_.take();
  fleet_->probed(gone, EngineHealth{true, 1, 0}, now_);
  fleet_->exited(gone, {0, 9, {}}, now_);
  fleet_->adapterLoaded(gone, "x", {}, now_);
  fleet_->adapterDropped(gone, "x", now_);
  fleet_->release(gone, {}, false, now_);
  EXPECT_EQ(stateOf("a"), "starting");
  EXPECT_EQ(actions_.take(), Lines{});
}

TEST(EngineStateText, NamesEveryState) {
  EXPECT_EQ(textOf(EngineState::kBackingOff), "backing_off");
  EXPECT_EQ(textOf(EngineState::kFailed), "failed");
}

}  // namespace
}  // namespace spindle::inference
