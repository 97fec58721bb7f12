#include "runs/run_repository.h"

#include <chrono>

#include <gtest/gtest.h>

#include "runs/runs_for_test.h"

namespace spindle::runs {
namespace {

class RunRepositoryTest : public RunsContract {
 protected:
  Result<RunRepository::Started> start(const std::string& run_id, Resume resume) {
    NewRun fresh;
    fresh.run_id = run_id;
    fresh.resume = resume;
    return runs_.start(place_, actor_, fresh);
  }
  Result<runs::Run> finish(const std::string& run_id, std::int64_t code, bool preempting = false) {
    return runs_.finish(place_, run_id, {code, std::nullopt, preempting});
  }
  /// Creates a run in that state and discards its events.
  void startInState(const std::string& run_id, RunState state) {
    NewRun fresh;
    fresh.run_id = run_id;
    fresh.pending = state == RunState::kPending;
    started(fresh);
    switch (state) {
      case RunState::kPending:
      case RunState::kRunning:
        break;
      case RunState::kFinished:
        ASSERT_TRUE(finish(run_id, 0));
        break;
      case RunState::kFailed:
        ASSERT_TRUE(finish(run_id, 1));
        break;
      case RunState::kPreempted:
        ASSERT_TRUE(finish(run_id, 1, true));
        break;
      case RunState::kKilled:
        ASSERT_TRUE(runs_.move(place_, run_id, RunTrigger::kKill));
        break;
      case RunState::kCrashed:
        clock_.advance(std::chrono::minutes(6));
        ASSERT_TRUE(runs_.crashStaleRuns(std::chrono::minutes(5)));
        break;
    }
    ASSERT_EQ(found(run_id).state, state);
    raisedStates();
  }
};

TEST_P(RunRepositoryTest, StoresTheMetadataOfANewRun) {
  NewRun fresh;
  fresh.run_id = "r1";
  fresh.name = "first";
  fresh.config = R"({"lr":1e-4})";
  fresh.metric_rules = R"({"loss":{"summary":"min"}})";
  fresh.tags = {"b", "a", "b"};
  fresh.notes = "notes";
  fresh.group = "sweep";
  fresh.job_type = "train";
  const runs::Run run = started(fresh);
  EXPECT_EQ(run.run_id, "r1");
  EXPECT_EQ(run.name, "first");
  EXPECT_EQ(run.owner, "anna");
  EXPECT_EQ(run.state, RunState::kRunning);
  EXPECT_EQ(run.config, R"({"lr":1e-4})");
  EXPECT_EQ(run.metric_rules, R"({"loss":{"summary":"min"}})");
  EXPECT_EQ(run.summary, "{}");
  EXPECT_EQ(run.tags, (Words{"b", "a"}));
  EXPECT_EQ(run.notes, "notes");
  EXPECT_EQ(run.group, "sweep");
  EXPECT_EQ(run.job_type, "train");
  EXPECT_EQ(run.history_line_count, 0);
  EXPECT_EQ(run.last_step, std::nullopt);
  EXPECT_EQ(run.nextStep(), 0);
  EXPECT_EQ(run.exit_code, std::nullopt);
  EXPECT_EQ(run.finished_at, std::nullopt);
  EXPECT_FALSE(run.stop_requested);
}

TEST_P(RunRepositoryTest, GeneratesIdAndNameByDefault) {
  const runs::Run first = started(NewRun());
  const runs::Run second = started(NewRun());
  EXPECT_EQ(first.run_id.size(), 8U);
  EXPECT_NE(first.run_id, second.run_id);
  EXPECT_TRUE(first.name.ends_with("-1")) << first.name;
  EXPECT_TRUE(second.name.ends_with("-2")) << second.name;
}

TEST_P(RunRepositoryTest, NewRunRaisesRunning) {
  started("r1");
  EXPECT_EQ(raisedStates(), (Words{"r1 RUNNING"}));
  EXPECT_EQ(last_.author, "anna");
  EXPECT_EQ(last_.author_id, actor_.user_id);
  EXPECT_EQ(last_.subject.project_id, place_.project_id);
  EXPECT_EQ(last_.subject.team_id, place_.team_id);
  EXPECT_NE(last_.data.find(R"("entity_name":"team","project_name":"project")"), std::string::npos);
}

TEST_P(RunRepositoryTest, PendingRunRaisesNoEventUntilItsFirstHeartbeat) {
  NewRun fresh;
  fresh.run_id = "r1";
  fresh.pending = true;
  EXPECT_EQ(started(fresh).state, RunState::kPending);
  EXPECT_EQ(raisedStates(), Words());
  ASSERT_TRUE(runs_.beat(place_, "r1"));
  EXPECT_EQ(found("r1").state, RunState::kRunning);
  EXPECT_EQ(raisedStates(), (Words{"r1 RUNNING"}));
}

TEST_P(RunRepositoryTest, ResumeStartsAPendingRun) {
  startInState("r1", RunState::kPending);
  ASSERT_TRUE(start("r1", Resume::kMust));
  EXPECT_EQ(raisedStates(), (Words{"r1 RUNNING"}));
}

TEST_P(RunRepositoryTest, ExitCodeDeterminesTheFinalState) {
  startInState("good", RunState::kRunning);
  startInState("bad", RunState::kRunning);
  const Result<runs::Run> good = finish("good", 0);
  ASSERT_TRUE(good);
  EXPECT_EQ(good->state, RunState::kFinished);
  EXPECT_EQ(good->exit_code, 0);
  EXPECT_EQ(good->finished_at, clock_.now());
  EXPECT_EQ(raisedStates(), (Words{"good FINISHED"}));
  const Result<runs::Run> bad = finish("bad", 3);
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->state, RunState::kFailed);
  EXPECT_EQ(bad->exit_code, 3);
  EXPECT_EQ(raisedStates(), (Words{"bad FAILED"}));
}

TEST_P(RunRepositoryTest, FailedExitOnAPreemptedMachineIsPreempted) {
  startInState("r1", RunState::kRunning);
  ASSERT_TRUE(finish("r1", 1, true));
  EXPECT_EQ(found("r1").state, RunState::kPreempted);
  EXPECT_EQ(raisedStates(), Words());
}

TEST_P(RunRepositoryTest, SuccessfulExitOnAPreemptedMachineIsFinished) {
  startInState("r1", RunState::kRunning);
  ASSERT_TRUE(finish("r1", 0, true));
  EXPECT_EQ(raisedStates(), (Words{"r1 FINISHED"}));
}

TEST_P(RunRepositoryTest, RepeatedFinishWithTheSameCodeHasNoEffect) {
  startInState("r1", RunState::kFailed);
  const runs::Run before = found("r1");
  ASSERT_TRUE(finish("r1", 1));
  EXPECT_EQ(found("r1").revision, before.revision);
  EXPECT_EQ(raisedStates(), Words());
  EXPECT_EQ(reasonOf(finish("r1", 2)), "exit_code_differs");
}

TEST_P(RunRepositoryTest, OnlyRunningRunsFinish) {
  for (const RunState state : {RunState::kPending, RunState::kCrashed, RunState::kKilled}) {
    const std::string id(textOf(state));
    startInState(id, state);
    EXPECT_EQ(reasonOf(finish(id, 0)), "run_not_active") << id;
  }
}

TEST_P(RunRepositoryTest, RunWithoutHeartbeatForFiveMinutesCrashes) {
  started("silent");
  started("lively");
  startInState("waiting", RunState::kPending);
  clock_.advance(std::chrono::minutes(4));
  ASSERT_TRUE(runs_.beat(place_, "lively"));
  clock_.advance(std::chrono::minutes(1));
  raisedStates();
  EXPECT_EQ(*runs_.crashStaleRuns(std::chrono::minutes(5)), 0);
  clock_.advance(std::chrono::microseconds(1));
  EXPECT_EQ(*runs_.crashStaleRuns(std::chrono::minutes(5)), 1);
  EXPECT_EQ(found("silent").state, RunState::kCrashed);
  EXPECT_EQ(found("lively").state, RunState::kRunning);
  EXPECT_EQ(found("waiting").state, RunState::kPending);
  EXPECT_EQ(raisedStates(), (Words{"silent CRASHED"}));
  EXPECT_NE(last_.data.find(R"("entity_name":"team","project_name":"project")"), std::string::npos);
  EXPECT_EQ(*runs_.crashStaleRuns(std::chrono::minutes(5)), 0);
}

TEST_P(RunRepositoryTest, HeartbeatTimeoutSurvivesWallClockChanges) {
  constexpr std::chrono::minutes kSilence(5);
  for (const std::chrono::hours set_by : {std::chrono::hours(24), std::chrono::hours(-24)}) {
    ManualClock schedule(clock_.now());
    RunRepository runs(*database_, outbox_, nullptr, {clock_, schedule});
    const auto pass = [&](std::chrono::microseconds by) {
      clock_.advance(by);
      schedule.advance(by);
    };
    const std::string silent = "silent" + std::to_string(set_by.count());
    const std::string lively = "lively" + std::to_string(set_by.count());
    started(silent);
    started(lively);
    EXPECT_EQ(*runs.crashStaleRuns(kSilence), 0);
    clock_.advance(set_by);
    EXPECT_EQ(*runs.crashStaleRuns(kSilence), 0);
    pass(kSilence);
    ASSERT_TRUE(runs.beat(place_, lively));
    pass(std::chrono::seconds(2));
    EXPECT_EQ(*runs.crashStaleRuns(kSilence), 1);
    EXPECT_EQ(found(silent).state, RunState::kCrashed);
    EXPECT_EQ(found(lively).state, RunState::kRunning);
    ASSERT_TRUE(runs.move(place_, lively, RunTrigger::kKill));
  }
}

TEST_P(RunRepositoryTest, KilledRunRaisesNoEvent) {
  for (const RunState state : {RunState::kRunning, RunState::kPending}) {
    const std::string id(textOf(state));
    startInState(id, state);
    const Result<runs::Run> killed = runs_.move(place_, id, RunTrigger::kKill);
    ASSERT_TRUE(killed);
    EXPECT_EQ(killed->state, RunState::kKilled);
    EXPECT_EQ(raisedStates(), Words());
    EXPECT_EQ(reasonOf(runs_.move(place_, id, RunTrigger::kKill)), "run_not_active");
  }
}

TEST_P(RunRepositoryTest, SetPendingRaisesNoEvent) {
  for (const RunState state :
       {RunState::kRunning, RunState::kFailed, RunState::kCrashed, RunState::kPreempted}) {
    const std::string id(textOf(state));
    startInState(id, state);
    const Result<runs::Run> pending = runs_.move(place_, id, RunTrigger::kSetPending);
    ASSERT_TRUE(pending) << id;
    EXPECT_EQ(pending->state, RunState::kPending);
    EXPECT_EQ(pending->exit_code, std::nullopt);
    EXPECT_EQ(pending->finished_at, std::nullopt);
    EXPECT_EQ(raisedStates(), Words()) << id;
  }
  for (const RunState state : {RunState::kFinished, RunState::kKilled}) {
    const std::string id(textOf(state));
    startInState(id, state);
    EXPECT_EQ(reasonOf(runs_.move(place_, id, RunTrigger::kSetPending)), "invalid_transition");
  }
}

TEST_P(RunRepositoryTest, SetFailedRaisesAnEvent) {
  for (const RunState state : {RunState::kPending, RunState::kRunning}) {
    const std::string id(textOf(state));
    startInState(id, state);
    ASSERT_TRUE(runs_.move(place_, id, RunTrigger::kSetFailed));
    EXPECT_EQ(raisedStates(), (Words{id + " FAILED"}));
    EXPECT_EQ(reasonOf(runs_.move(place_, id, RunTrigger::kSetFailed)), "invalid_transition");
  }
}

TEST_P(RunRepositoryTest, ResumedRunRaisesRunning) {
  for (const RunState state : {RunState::kCrashed, RunState::kFailed, RunState::kFinished,
                               RunState::kPreempted, RunState::kKilled}) {
    const std::string id(textOf(state));
    for (const Resume resume : {Resume::kMust, Resume::kAllow}) {
      const std::string run_id = id + (resume == Resume::kMust ? "-must" : "-allow");
      startInState(run_id, state);
      const Result<RunRepository::Started> resumed = start(run_id, resume);
      ASSERT_TRUE(resumed) << run_id;
      EXPECT_FALSE(resumed->created);
      EXPECT_EQ(resumed->run.state, RunState::kRunning);
      EXPECT_EQ(resumed->run.exit_code, std::nullopt);
      EXPECT_EQ(resumed->run.finished_at, std::nullopt);
      EXPECT_EQ(raisedStates(), (Words{run_id + " RUNNING"}));
    }
  }
}

TEST_P(RunRepositoryTest, ResumingARunningRunRaisesNoEvent) {
  startInState("r1", RunState::kRunning);
  ASSERT_TRUE(start("r1", Resume::kMust));
  EXPECT_EQ(raisedStates(), Words());
}

TEST_P(RunRepositoryTest, ResumeMustRequiresAnExistingRun) {
  EXPECT_EQ(codeOf(start("r1", Resume::kMust)), ErrorCode::kNotFound);
  NewRun nameless;
  nameless.resume = Resume::kMust;
  EXPECT_EQ(codeOf(runs_.start(place_, actor_, nameless)), ErrorCode::kNotFound);
}

TEST_P(RunRepositoryTest, ResumeNeverRefusesAnExistingRun) {
  EXPECT_TRUE(start("r1", Resume::kNever));
  EXPECT_EQ(reasonOf(start("r1", Resume::kNever)), "run_exists");
}

TEST_P(RunRepositoryTest, ResumeAllowCreatesAMissingRun) {
  const Result<RunRepository::Started> made = start("r1", Resume::kAllow);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->created);
}

TEST_P(RunRepositoryTest, StartingAnExistingRunReplacesMetadataAndResumes) {
  NewRun fresh;
  fresh.run_id = "r1";
  fresh.name = "old";
  fresh.config = R"({"a":1})";
  fresh.tags = {"x"};
  fresh.notes = "kept";
  started(fresh);
  ASSERT_TRUE(finish("r1", 0));
  NewRun again;
  again.run_id = "r1";
  again.name = "new";
  again.config = R"({"b":2})";
  const Result<RunRepository::Started> went_on = runs_.start(place_, actor_, again);
  ASSERT_TRUE(went_on);
  EXPECT_FALSE(went_on->created);
  EXPECT_EQ(went_on->run.name, "new");
  EXPECT_EQ(went_on->run.config, R"({"b":2})");
  EXPECT_EQ(went_on->run.tags, (Words{"x"}));
  EXPECT_EQ(went_on->run.notes, "kept");
  EXPECT_EQ(went_on->run.state, RunState::kRunning);
}

TEST_P(RunRepositoryTest, HeartbeatReturnsStopRequest) {
  startInState("r1", RunState::kRunning);
  EXPECT_FALSE(*runs_.beat(place_, "r1"));
  const Result<runs::Run> asked = runs_.requestStop({place_.project_id, "r1"});
  ASSERT_TRUE(asked);
  EXPECT_TRUE(asked->stop_requested);
  EXPECT_EQ(asked->state, RunState::kRunning);
  EXPECT_EQ(raisedStates(), Words());
  EXPECT_TRUE(*runs_.beat(place_, "r1"));
  ASSERT_TRUE(finish("r1", 0));
  EXPECT_EQ(reasonOf(runs_.requestStop({place_.project_id, "r1"})), "run_not_active");
  ASSERT_TRUE(start("r1", Resume::kMust));
  EXPECT_FALSE(*runs_.beat(place_, "r1"));
}

TEST_P(RunRepositoryTest, OnlyActiveRunsAcceptHeartbeats) {
  startInState("r1", RunState::kFinished);
  EXPECT_EQ(reasonOf(runs_.beat(place_, "r1")), "run_not_active");
  EXPECT_EQ(codeOf(runs_.beat(place_, "nobody")), ErrorCode::kNotFound);
}

TEST_P(RunRepositoryTest, FinishMergesTheSummary) {
  started("r1");
  RunChange change;
  change.summary = R"({"loss":0.5,"acc":1})";
  ASSERT_TRUE(runs_.update({place_.project_id, "r1"}, change));
  ASSERT_TRUE(runs_.finish(place_, "r1", {0, R"({"acc":2,"best":3})", false}));
  EXPECT_EQ(found("r1").summary, R"({"loss":0.5,"acc":2,"best":3})");
}

TEST_P(RunRepositoryTest, UpdatesMetadata) {
  started("r1");
  RunChange change;
  change.name = "renamed";
  change.config = R"({"x":1})";
  change.summary = R"({"s":1})";
  change.metric_rules = R"({"s":{"summary":"max"}})";
  change.tags = {"t"};
  change.notes = std::optional<std::string>("n");
  change.group = std::optional<std::string>("g");
  change.job_type = std::optional<std::string>("j");
  const Result<runs::Run> changed = runs_.update({place_.project_id, "r1"}, change, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->name, "renamed");
  EXPECT_EQ(changed->summary, R"({"s":1})");
  EXPECT_EQ(changed->group, "g");
  EXPECT_EQ(changed->revision, 2);
  RunChange cleared;
  cleared.notes = std::optional<std::string>();
  EXPECT_EQ(runs_.update({place_.project_id, "r1"}, cleared)->notes, std::nullopt);
  EXPECT_EQ(found("r1").tags, (Words{"t"}));
  EXPECT_EQ(codeOf(runs_.update({place_.project_id, "r1"}, change, 1)),
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(runs_.update({place_.project_id, "r2"}, change)), ErrorCode::kNotFound);
}

TEST_P(RunRepositoryTest, RemovedRunFreesItsId) {
  started("r1");
  EXPECT_EQ(codeOf(runs_.remove({place_.project_id, "r1"}, 7)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(runs_.remove({place_.project_id, "r1"}));
  EXPECT_EQ(codeOf(runs_.find({place_.project_id, "r1"})), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(runs_.remove({place_.project_id, "r1"})), ErrorCode::kNotFound);
  EXPECT_EQ(observer_.forgotten, (Words{"r1"}));
  EXPECT_TRUE(start("r1", Resume::kNever));
}

TEST_P(RunRepositoryTest, ListsPagesNewestFirst) {
  for (const char* id : {"a", "b", "c"}) started(id);
  const Result<identity::Page<runs::Run>> first = runs_.list(place_.project_id, {}, {2, ""});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].run_id, "c");
  EXPECT_EQ(first->items[1].run_id, "b");
  ASSERT_TRUE(first->next);
  const Result<identity::Page<runs::Run>> second =
      runs_.list(place_.project_id, {}, {2, *first->next});
  ASSERT_TRUE(second);
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].run_id, "a");
  EXPECT_FALSE(second->next);
}

TEST_P(RunRepositoryTest, ListsMatchingRuns) {
  NewRun one;
  one.run_id = "one";
  one.group = "g";
  one.job_type = "train";
  one.tags = {"t", "u"};
  started(one);
  startInState("two", RunState::kFinished);
  const auto listed = [this](const RunFilter& filter) {
    Words ids;
    const Result<identity::Page<runs::Run>> page = runs_.list(place_.project_id, filter, {50, ""});
    EXPECT_TRUE(page);
    for (const runs::Run& run : page->items) ids.push_back(run.run_id);
    return ids;
  };
  EXPECT_EQ(listed({.state = "finished", .group = {}, .job_type = {}, .tag = {}, .user = {}}),
            (Words{"two"}));
  EXPECT_EQ(listed({.state = {}, .group = "g", .job_type = "train", .tag = "u", .user = "anna"}),
            (Words{"one"}));
  EXPECT_EQ(listed({.state = {}, .group = {}, .job_type = {}, .tag = "x", .user = {}}), Words());
  EXPECT_EQ(listed({.state = {}, .group = {}, .job_type = {}, .tag = {}, .user = "bob"}), Words());
}

SPINDLE_ON_BOTH_ENGINES(RunRepositoryTest);

}  // namespace
}  // namespace spindle::runs
