#include "tracing/bulk/bulk_runner.h"

#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "identity/store/identity_for_test.h"
#include "jobs/job_queue.h"
#include "jobs/migrations.h"
#include "objects/values/ref_projects_for_test.h"
#include "tracing/metadata/tracing_migrations.h"
#include "tracing/store/call_row.h"
#include "tracing/store/call_time_for_test.h"
#include "tracing/store/columnar_call_store.h"
#include "tracing/store/otel_resource_store.h"
#include "tracing/store/ref_values_for_test.h"

namespace spindle::tracing {
namespace {

using jobs::JobOutcome;
using std::chrono::seconds;

/// Records the calls that it gets. Fails once if told so, after or before it has processed a batch.
class ActionForTest final : public BulkAction {
 public:
  std::int64_t maxCalls() const override { return 50; }
  std::size_t batchSize() const override { return 10; }
  Result<std::string> prepare(const BulkScope& /*scope*/,
                              std::string_view parameters) const override {
    if (parameters != "{}") return Error::invalidArgument("No parameters.");
    return std::string(parameters);
  }
  Result<BulkResult> apply(const BulkWork& /*work*/,
                           const std::vector<std::string>& call_ids) const override {
    ++applied;
    if (applied == fail_at) return *failure;
    for (const std::string& id : call_ids) seen.insert(id);
    batches.push_back(call_ids.size());
    if (on_batch) on_batch();
    return BulkResult{1, call_ids.front()};
  }
  Result<void> finish(const BulkWork& /*work*/, const BulkEnd& end) const override {
    results = end.results;
    note = end.note;
    return end.save("noted");
  }

  mutable int applied = 0;
  mutable std::multiset<std::string> seen;
  mutable std::vector<std::size_t> batches;
  mutable std::vector<std::string> results;
  mutable std::string note;
  int fail_at = 0;
  std::optional<Error> failure;
  std::function<void()> on_batch;
};

class JobForTest final : public jobs::JobContext {
 public:
  explicit JobForTest(std::string id) { job_.id = std::move(id); }
  const jobs::Job& job() const override { return job_; }
  std::stop_token stopToken() const override { return stop.get_token(); }
  bool cancelled() const override { return is_cancelled; }
  Result<void> setProgress(std::string_view /*json*/) override { return {}; }

  std::stop_source stop;
  bool is_cancelled = false;

 private:
  jobs::Job job_;
};

class BulkRunnerTest : public identity::IdentityTest {
 protected:
  std::vector<storage::AreaSchema> schemas() const override {
    return {identity::identitySchema(), tracingSchema(), jobs::jobsSchema()};
  }
  void SetUp() override {
    IdentityTest::SetUp();
    const identity::User boss = person("boss");
    ada_ = person("ada");
    team_ = team("research", boss);
    join(team_, ada_, identity::TeamRole::kMember);
    project_ = project(team_, "first", boss).id;
    for (int i = 0; i < 35; ++i) addCall("call" + std::to_string(100 + i));
  }

  void addCall(const std::string& id) {
    CallComplete call;
    call.start = {.id = id, .trace_id = "t", .op_name = "op", .started_at = at(seconds(1))};
    call.start.attributes = "{}";
    call.start.inputs = "{}";
    call.end = {.id = id, .ended_at = at(seconds(2)), .summary = "{}"};
    ASSERT_TRUE(calls_.write(project_, {call}));
  }

  BulkPorts ports() {
    return {.access = access_,
            .calls = calls_,
            .repository = repository_,
            .queue = queue_,
            .ref_projects =
                [](std::string_view) {
                  return std::make_unique<objects::OneProjectForTest>("research/first", "p");
                },
            .actions = {{BulkActionKind::kDelete, &action_}},
            .clock = clock_,
            .wake = [] {},
            .announce = [this](const std::string&) { ++announced_; }};
  }
  Result<BulkJob> create(const std::string& selection = R"({"filter":{}})",
                         std::optional<std::int64_t> expected = {}) {
    BulkRequest request;
    request.scope = {{project_, "research/first"}, ada_.id, "key_1"};
    request.team_id = team_.id;
    request.selection = selection;
    request.expected_count = expected;
    return BulkJobs(ports()).create(request);
  }
  JobOutcome::Kind run(JobForTest& job) { return BulkRunner(ports()).run(job).kind; }
  JobOutcome::Kind run(const BulkJob& made) {
    JobForTest job(made.id);
    return run(job);
  }
  BulkJob now(const BulkJob& job) {
    Result<BulkJob> found = repository_.find(project_, job.id);
    EXPECT_TRUE(found);
    return *std::move(found);
  }

  identity::User ada_;
  identity::Team team_;
  std::string project_;
  identity::Access access_{access_facts_, projects_};
  jobs::JobQueue queue_{*database_, clock_};
  BulkJobRepository repository_{*database_, clock_};
  columnar::StoreForTest columnar_{{callFamily(), otelResourceFamily()}};
  NoRefValuesForTest values_;
  ColumnarCallStore calls_{*columnar_, 0, 1, CallJoins{values_}};
  ActionForTest action_;
  int announced_ = 0;
};

TEST_P(BulkRunnerTest, ProcessesAllCallsInBatches) {
  const Result<BulkJob> job = create(R"({"filter":{}})", 35);
  ASSERT_TRUE(job) << job.error().message();
  EXPECT_EQ(job->state, BulkState::kQueued);
  EXPECT_EQ(job->total, std::nullopt);
  EXPECT_TRUE(queue_.find(job->id));
  addCall("later");
  action_.on_batch = [this] { addCall("even later"); };
  ASSERT_EQ(create(R"({"filter":{}})", 35).error().code(), ErrorCode::kConflict);
  const Result<BulkJob> all = create();
  EXPECT_EQ(run(*all), JobOutcome::Kind::kDone);
  EXPECT_EQ(action_.batches, (std::vector<std::size_t>{10, 10, 10, 6}));
  EXPECT_EQ(announced_, 8) << "two jobs made, one started, four batches and its end";
  EXPECT_EQ(action_.seen.size(), 36U);
  EXPECT_EQ(action_.seen.count("even later"), 0U);
  EXPECT_EQ(action_.results.size(), 4U);
  EXPECT_EQ(now(*all).state, BulkState::kSucceeded);
  EXPECT_EQ(now(*all).total, 36);
  EXPECT_EQ(now(*all).done, 36);
  EXPECT_EQ(now(*all).failed, 4);
  EXPECT_TRUE(repository_.results(all->id)->empty());
  EXPECT_EQ(run(*all), JobOutcome::Kind::kDone) << "a finished job does nothing";
  EXPECT_EQ(action_.batches.size(), 4U);
  // The first job does nothing: it expects 35 calls.
  EXPECT_EQ(run(*job), JobOutcome::Kind::kFailed);
  EXPECT_EQ(now(*job).state, BulkState::kFailed);
  EXPECT_EQ(action_.batches.size(), 4U);
}

TEST_P(BulkRunnerTest, ContinuesWithTheBatchThatFailed) {
  const Result<BulkJob> job = create();
  action_.fail_at = 3;
  action_.failure = Error::unavailable("later");
  EXPECT_EQ(run(*job), JobOutcome::Kind::kRetry);
  EXPECT_EQ(now(*job).state, BulkState::kRunning);
  EXPECT_EQ(now(*job).done, 20);
  addCall("later");
  EXPECT_EQ(run(*job), JobOutcome::Kind::kDone);
  EXPECT_EQ(now(*job).done, 35);
  EXPECT_EQ(action_.seen.size(), 35U) << "no call is processed twice";
  EXPECT_EQ(action_.seen.count("later"), 0U);
}

TEST_P(BulkRunnerTest, RepeatsTheEndWithItsNote) {
  const Result<BulkJob> job = create();
  ASSERT_EQ(run(*job), JobOutcome::Kind::kDone);
  EXPECT_EQ(action_.note, "");
  EXPECT_EQ(now(*job).note, "noted");
}

TEST_P(BulkRunnerTest, FailsForErrorsOfTheAction) {
  const Result<BulkJob> job = create();
  action_.fail_at = 2;
  action_.failure = Error::notFound("The queue is gone.");
  EXPECT_EQ(run(*job), JobOutcome::Kind::kFailed);
  EXPECT_EQ(now(*job).error, "The queue is gone.");
  EXPECT_EQ(now(*job).done, 10);
}

TEST_P(BulkRunnerTest, StopsWhenTheUserLosesAccess) {
  const Result<BulkJob> before = create();
  const Result<BulkJob> during = create();
  action_.on_batch = [this] { ASSERT_TRUE(teams_.removeMember(team_.id, ada_.id)); };
  EXPECT_EQ(run(*during), JobOutcome::Kind::kFailed);
  EXPECT_EQ(action_.batches.size(), 1U);
  EXPECT_EQ(now(*during).done, 10);
  EXPECT_EQ(run(*before), JobOutcome::Kind::kFailed);
  EXPECT_EQ(now(*before).error, "The user who started this job may no longer change the project.");
  EXPECT_EQ(now(*before).total, std::nullopt);
  EXPECT_EQ(action_.batches.size(), 1U);
}

TEST_P(BulkRunnerTest, StopsWhenTheUserIsSuspended) {
  const Result<BulkJob> job = create();
  identity::UserChange suspension;
  suspension.suspended = true;
  action_.on_batch = [&] { ASSERT_TRUE(users_.update(ada_.id, suspension)); };
  EXPECT_EQ(run(*job), JobOutcome::Kind::kFailed);
  EXPECT_EQ(action_.batches.size(), 1U);
  EXPECT_EQ(now(*job).state, BulkState::kFailed);
  EXPECT_EQ(now(*job).error, "The user who started this job may no longer change the project.");
}

TEST_P(BulkRunnerTest, CancelsQueuedAndRunningJobs) {
  const BulkJobs jobs(ports());
  const Result<BulkJob> queued = create();
  EXPECT_EQ(jobs.cancel(project_, queued->id)->state, BulkState::kCancelled);
  EXPECT_EQ(queue_.find(queued->id)->state, jobs::JobState::kCancelled);
  EXPECT_EQ(run(*queued), JobOutcome::Kind::kCancelled);

  const Result<BulkJob> running = create();
  JobForTest job(running->id);
  action_.on_batch = [&] {
    EXPECT_TRUE(jobs.cancel(project_, running->id)->cancel_requested);
    job.is_cancelled = true;
    job.stop.request_stop();
  };
  EXPECT_EQ(run(job), JobOutcome::Kind::kCancelled);
  EXPECT_EQ(now(*running).state, BulkState::kCancelled);
  EXPECT_EQ(now(*running).done, 10);

  // A crash before the runner heard of the request.
  action_.on_batch = nullptr;
  action_.fail_at = action_.applied + 1;
  action_.failure = Error::unavailable("crash");
  const Result<BulkJob> crashed = create();
  EXPECT_EQ(run(*crashed), JobOutcome::Kind::kRetry);
  ASSERT_TRUE(jobs.cancel(project_, crashed->id));
  EXPECT_EQ(run(*crashed), JobOutcome::Kind::kCancelled);
  EXPECT_EQ(jobs.cancel(project_, "bulk_none").error().code(), ErrorCode::kNotFound);
}

TEST_P(BulkRunnerTest, ReleasesAJobWhenTheServerStops) {
  const Result<BulkJob> made = create();
  JobForTest job(made->id);
  action_.on_batch = [&job] { job.stop.request_stop(); };
  EXPECT_EQ(run(job), JobOutcome::Kind::kReleased);
  action_.on_batch = nullptr;
  EXPECT_EQ(run(*made), JobOutcome::Kind::kDone);
  EXPECT_EQ(action_.seen.size(), 35U);
}

TEST_P(BulkRunnerTest, SelectsExistingIdsOnce) {
  const Result<BulkJob> job = create(R"({"call_ids":["call101","none","call102","call101"]})", 2);
  ASSERT_TRUE(job) << job.error().message();
  EXPECT_EQ(run(*job), JobOutcome::Kind::kDone);
  EXPECT_EQ(action_.seen, (std::multiset<std::string>{"call101", "call102"}));
}

TEST_P(BulkRunnerTest, RefusesTooManyCallsAndTooManyJobs) {
  for (int i = 0; i < 20; ++i) addCall("more" + std::to_string(i));
  EXPECT_EQ(create().error().code(), ErrorCode::kTooLarge);
  for (std::int64_t i = 0; i < BulkJobs::kMaxOpenJobs; ++i)
    ASSERT_TRUE(create(R"({"call_ids":["call101"]})"));
  const Result<BulkJob> refused = create(R"({"call_ids":["call101"]})");
  EXPECT_EQ(refused.error().code(), ErrorCode::kRateLimited);
  const Result<identity::Page<BulkJob>> listed = repository_.list(project_, {});
  ASSERT_EQ(listed->items.size(), 10U);
  EXPECT_GT(listed->items[0].id, listed->items[1].id);
  ASSERT_TRUE(BulkJobs(ports()).cancel(project_, listed->items[0].id));
  EXPECT_TRUE(create(R"({"call_ids":["call101"]})"));
  EXPECT_EQ(*repository_.removeFinished(clock_.now() + seconds(1)), 1);
}

SPINDLE_ON_BOTH_ENGINES(BulkRunnerTest);

}  // namespace
}  // namespace spindle::tracing
