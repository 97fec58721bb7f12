#include "evaluation/runner/evaluation_runner.h"

#include <map>
#include <set>

#include "base/core/log.h"
#include "evaluation/recording/recorder_for_test.h"
#include "evaluation/recording/run_calls.h"
#include "evaluation/recording/run_payload_json.h"
#include "evaluation/runner/evaluation_jobs.h"
#include "evaluation/scoring/model_for_test.h"
#include "identity/access/access.h"
#include "identity/store/migrations.h"
#include "identity/store/user_repository.h"
#include "jobs/migrations.h"
#include "objects/store/migrations.h"
#include "objects/store/object_repository.h"
#include "objects/store/table_repository.h"
#include "objects/values/digest.h"
#include "objects/values/object_value.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::evaluation {
namespace {

using jobs::JobOutcome, jobs::JobState;
using tracing::Call, tracing::CallColumn;

/// A JobContext that the test controls.
class ContextForTest final : public jobs::JobContext {
 public:
  explicit ContextForTest(jobs::Job job) : job_(std::move(job)) {}
  const jobs::Job& job() const override { return job_; }
  std::stop_token stopToken() const override { return stop_.get_token(); }
  bool cancelled() const override { return cancelled_; }
  Result<void> setProgress(std::string_view json) override {
    const MutexLock lock(mutex_);
    progress_ = json;
    return {};
  }

  void stop() { stop_.request_stop(); }
  void cancel() {
    cancelled_ = true;
    stop();
  }
  std::string progress() {
    const MutexLock lock(mutex_);
    return progress_;
  }

 private:
  const jobs::Job job_;
  std::stop_source stop_;
  bool cancelled_ = false;
  Mutex mutex_;
  std::string progress_ SPINDLE_GUARDED_BY(mutex_);
};

class Runner : public RecorderTest {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    database_->migrate({identity::identitySchema(), objects::objectsSchema(), jobs::jobsSchema()},
                       clock_.now());
    const auto made = database_->write([](storage::Session& session) -> Result<void> {
      for (const SqlView sql :
           {SqlView("INSERT INTO teams (id, name, ttl_permission, version, created_at, updated_at) "
                    "VALUES ('t1', 'acme', 'x', 1, 0, 0)"),
            SqlView("INSERT INTO projects (id, team_id, name, description, visibility, version, "
                    "created_at, updated_at) VALUES ('p1', 't1', 'lab', '', 'TEAM', 1, 0, 0)"),
            SqlView("INSERT INTO users (id, username, username_key, name, kind, "
                    "organization_admin, description, version, created_at, updated_at) "
                    "VALUES ('u1', 'ada', 'ada', '', 'user', 0, '', 1, 0, 0)"),
            SqlView("INSERT INTO memberships (id, team_id, user_id, role, pending, version, "
                    "created_at, updated_at) VALUES ('m1', 't1', 'u1', 'MEMBER', 0, 1, 0, 0)")}) {
        if (const auto done = session.execute(sql); !done) return done.error();
      }
      return {};
    });
    ASSERT_TRUE(made) << made.error().message();
  }

  /// Publishes an object. Returns its reference.
  std::string publish(const std::string& name, const std::string& value) {
    const objects::ValueDigest digest = objects::valueDigest(value);
    objects::NewObject object;
    object.project_id = "p1";
    object.object_id = name;
    object.value = value;
    object.digest = digest.digest;
    object.classes = objects::classesOf(value);
    object.user_id = "u1";
    EXPECT_TRUE(objects_.publish(object)) << value;
    return "svc-trace-internal:///p1/object/" + name + ":" + digest.digest;
  }
  std::string dataset(const std::vector<std::string>& values) {
    std::vector<objects::NewRow> rows;
    std::vector<std::string> digests;
    for (const std::string& value : values) {
      rows.push_back({objects::valueDigest(value).digest, value, 1});
      digests.push_back(rows.back().digest);
    }
    const std::string digest = objects::tableDigest(digests);
    EXPECT_TRUE(tables_.create("p1", digest, digests, rows));
    return publish("data", R"({"rows":"svc-trace-internal:///p1/table/)" + digest + R"("})");
  }
  std::string evaluation(const std::vector<std::string>& rows,
                         const std::string& scorers,
                         const std::string& more = "") {
    return publish("eval",
                   R"({"dataset":")" + dataset(rows) + R"(","scorers":)" + scorers + more + "}");
  }
  std::string exact() { return publish("exact", R"({"kind":"exact_match"})"); }
  std::string chat() {
    return publish("bot", R"({"kind":"chat_completion","model":"m","prompt":"{question}"})");
  }
  static std::string list(const std::string& ref) { return "[\"" + ref + "\"]"; }

  /// Leases the next job and runs it to its end. Returns the outcome.
  JobOutcome work(ModelPort& model, std::string_view kind = kRunJob) {
    Result<std::optional<jobs::LeasedJob>> leased =
        queue_.lease(kind, "w", std::chrono::seconds(30));
    EXPECT_TRUE(leased && *leased);
    ContextForTest context((*leased)->job);
    return workOn(context, model, kind);
  }
  JobOutcome workOn(ContextForTest& context,
                    ModelPort& model,
                    std::string_view kind = kRunJob,
                    std::size_t concurrency = 3) {
    const EvaluationRunner runner({access_, recorder_, calls_, ports_, model, clock_},
                                  {concurrency});
    return kind == kRunJob ? runner.run(context) : runner.scoreCalls(context);
  }
  std::string submit(const std::string& evaluation_ref, const std::string& model_ref) {
    const Result<std::string> run = service_.evaluate(scope_, evaluation_ref, model_ref);
    EXPECT_TRUE(run) << (run ? "" : run.error().message());
    return run ? *run : "";
  }
  std::vector<Call> rowsOf(const std::string& run_id) {
    std::vector<Call> rows;
    EXPECT_TRUE(forChildren(calls_, scope_.project, run_id,
                            {CallColumn::kId, CallColumn::kOpName, CallColumn::kEndedAt,
                             CallColumn::kInputs, CallColumn::kOutput},
                            [&](const Call& child) {
                              if (child.op_name == "Evaluation.predict_and_score")
                                rows.push_back(child);
                            }));
    return rows;
  }
  Result<ModelAnswer> suspendUser(const ModelRequest& request) {
    identity::UserChange suspension;
    suspension.suspended = true;
    EXPECT_TRUE(users_.update(request.user_id, suspension));
    return ModelForTest::saying("4");
  }
  RunStatus status(const std::string& run_id) {
    const Result<RunStatus> status = service_.status(scope_.project, "u1", run_id);
    EXPECT_TRUE(status);
    return status ? *status : RunStatus();
  }

  storage::DatabaseForTest database_{storage::Engine::kSqlite};
  identity::AccessFactsRepository access_facts_{*database_};
  identity::ProjectRepository projects_{*database_, clock_};
  identity::UserRepository users_{*database_, clock_};
  identity::Access access_{access_facts_, projects_};
  objects::ObjectRepository objects_{*database_, clock_};
  objects::TableRepository tables_{*database_, clock_};
  jobs::JobQueue queue_{*database_, clock_};
  ObjectPorts ports_{objects_, tables_,
                     [](std::string_view) { return std::make_unique<SingleProjectForTest>(); }};
  ModelForTest idle_{"never asked"};
  int wakes_ = 0;
  EvaluationJobs service_{{.queue = queue_,
                           .recorder = recorder_,
                           .calls = calls_,
                           .objects = ports_,
                           .model = idle_,
                           .clock = clock_,
                           .wake = [this] { ++wakes_; }}};
};

/// A model that answers `4` to `2+2` and repeats any other prompt.
Result<ModelAnswer> calculator(const ModelRequest& request) {
  const bool sum = request.messages.find("2+2") != std::string::npos;
  return ModelForTest::saying(sum ? "4" : "no idea");
}

const std::vector<std::string> sum_rows = {R"({"question":"2+2","target":"4"})",
                                           R"({"question":"3+3","target":"6"})",
                                           R"({"question":"1+2+2","target":"4"})"};

TEST_F(Runner, EvaluatesEveryRow) {
  const std::string run_id = submit(evaluation(sum_rows, list(exact())), chat());
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kRunning);
  EXPECT_EQ(status(run_id).total_rows, 3);
  ModelForTest model(calculator);
  EXPECT_EQ(work(model).kind, JobOutcome::Kind::kDone);
  const RunStatus done = status(run_id);
  EXPECT_EQ(done.code, RunStatus::Code::kComplete);
  EXPECT_TRUE(done.output.starts_with(
      R"({"exact":{"passed":{"true_count":2,"true_fraction":0.6666666666666666}})"))
      << done.output;
  EXPECT_EQ(model.asked().size(), 3U);
  const std::vector<Call> rows = rowsOf(run_id);
  ASSERT_EQ(rows.size(), 3U);
  for (const Call& row : rows) {
    EXPECT_NE(row.inputs->find("/attr/rows/id/"), std::string::npos) << *row.inputs;
    EXPECT_NE(row.output->find(R"("exact":{"passed":)"), std::string::npos) << *row.output;
  }
  const std::vector<Call> inside = childrenOf(rows[0].id);
  std::set<std::string> names;
  for (const Call& child : inside) names.insert(child.op_name);
  EXPECT_EQ(names, (std::set<std::string>{"bot.predict", "exact.score"}));
  for (const Call& child : inside) {
    if (child.op_name != "bot.predict") continue;
    EXPECT_NE(call(child.id).summary->find(R"("usage":{"model-1":{"requests":1)"),
              std::string::npos);
  }
}

TEST_F(Runner, RunsEveryTrial) {
  const std::string run_id = submit(evaluation(sum_rows, list(exact()), R"(,"trials":3)"), chat());
  ModelForTest model(calculator);
  EXPECT_EQ(work(model).kind, JobOutcome::Kind::kDone);
  EXPECT_EQ(rowsOf(run_id).size(), 9U);
  EXPECT_EQ(model.asked().size(), 9U);
}

TEST_F(Runner, DistinguishesEqualRows) {
  const std::string run_id = submit(evaluation({sum_rows[0], sum_rows[0]}, "[]"), chat());
  ModelForTest model(calculator);
  EXPECT_EQ(work(model).kind, JobOutcome::Kind::kDone);
  EXPECT_EQ(rowsOf(run_id).size(), 2U);
}

TEST_F(Runner, RecordsAFailedRowAndContinues) {
  const std::string run_id = submit(evaluation(sum_rows, list(exact())), chat());
  ModelForTest model([](const ModelRequest& request) -> Result<ModelAnswer> {
    if (request.messages.find("3+3") != std::string::npos)
      return Error(ErrorCode::kUpstream, "The upstream failed with status 500.");
    return calculator(request);
  });
  Result<std::optional<jobs::LeasedJob>> leased =
      queue_.lease(kRunJob, "w", std::chrono::seconds(30));
  ContextForTest context((*leased)->job);
  EXPECT_EQ(workOn(context, model).kind, JobOutcome::Kind::kDone);
  EXPECT_EQ(context.progress(), R"({"completed_rows":3,"failed_rows":1})");
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kComplete);
  int failed = 0;
  for (const Call& row : rowsOf(run_id)) {
    EXPECT_TRUE(row.ended_at);
    for (const Call& child : childrenOf(row.id)) {
      if (call(child.id).exception == "The upstream failed with status 500.") ++failed;
    }
  }
  EXPECT_EQ(failed, 1);
}

TEST_F(Runner, FailsARunWhoseUserIsSuspended) {
  const std::string run_id = submit(evaluation(sum_rows, list(exact())), chat());
  ModelForTest model([this](const ModelRequest& request) { return suspendUser(request); });
  Result<std::optional<jobs::LeasedJob>> leased =
      queue_.lease(kRunJob, "w", std::chrono::seconds(30));
  ContextForTest context((*leased)->job);
  const JobOutcome outcome = workOn(context, model, kRunJob, 1);
  EXPECT_EQ(outcome.kind, JobOutcome::Kind::kFailed);
  EXPECT_EQ(outcome.error, "The user who started this job may no longer change the project.");
  EXPECT_EQ(model.asked().size(), 1U);
  EXPECT_EQ(call(run_id).exception, outcome.error);
}

TEST_F(Runner, ContinuesAfterARestart) {
  std::vector<std::string> many;
  many.reserve(40);
  for (int i = 0; i < 40; ++i) {
    many.push_back(R"({"question":"q)" + std::to_string(i) + R"(","target":"4"})");
  }
  const std::string run_id = submit(evaluation(many, list(exact())), chat());
  std::map<std::string, int> asked;
  for (int round = 0;; ++round) {
    ASSERT_LT(round, 40);
    Result<std::optional<jobs::LeasedJob>> leased =
        queue_.lease(kRunJob, "w", std::chrono::seconds(30));
    ASSERT_TRUE(leased && *leased);
    ContextForTest context((*leased)->job);
    int left = 5;
    Mutex mutex;
    ModelForTest model([&](const ModelRequest& request) -> Result<ModelAnswer> {
      const MutexLock lock(mutex);
      if (left-- <= 0) {
        context.stop();
        return Error::unavailable("Stopped.");
      }
      ++asked[request.messages];
      return ModelForTest::saying("4");
    });
    const JobOutcome outcome = workOn(context, model);
    if (outcome.kind == JobOutcome::Kind::kDone) break;
    ASSERT_EQ(outcome.kind, JobOutcome::Kind::kReleased);
    ASSERT_TRUE(queue_.release((*leased)->job.id, (*leased)->token));
  }
  EXPECT_EQ(asked.size(), 40U);
  EXPECT_EQ(rowsOf(run_id).size(), 40U);
  for (const Call& row : rowsOf(run_id)) EXPECT_EQ(childrenOf(row.id).size(), 2U);
  EXPECT_TRUE(status(run_id).output.starts_with(
      R"({"exact":{"passed":{"true_count":40,"true_fraction":1.0}})"));
}

TEST_F(Runner, DoesNotRepeatRecordedRequestsAfterACrash) {
  const std::string judge = publish("judge", R"({"kind":"llm_judge","model":"j","rubric":"r"})");
  const std::string run_id = submit(evaluation({sum_rows[0]}, list(judge)), chat());
  Result<std::optional<jobs::LeasedJob>> leased =
      queue_.lease(kRunJob, "w", std::chrono::seconds(30));
  ContextForTest first((*leased)->job);
  ModelForTest stopping([&](const ModelRequest& request) -> Result<ModelAnswer> {
    if (request.model == "m") return ModelForTest::saying("4");
    first.stop();
    return Error::unavailable("Stopped.");
  });
  EXPECT_EQ(workOn(first, stopping).kind, JobOutcome::Kind::kReleased);
  ModelForTest judging([](const ModelRequest& request) -> Result<ModelAnswer> {
    EXPECT_EQ(request.model, "j") << "the answer was there";
    return ModelForTest::saying(R"({"score":1})");
  });
  ContextForTest second((*leased)->job);
  EXPECT_EQ(workOn(second, judging).kind, JobOutcome::Kind::kDone);
  EXPECT_EQ(judging.asked().size(), 1U);
  ContextForTest third((*leased)->job);
  EXPECT_EQ(workOn(third, idle_).kind, JobOutcome::Kind::kDone) << "a run that had ended";
  EXPECT_TRUE(idle_.asked().empty());
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kComplete);
}

TEST_F(Runner, ReportsAFinishedRunThatCouldNotBeReportedBefore) {
  const std::string run_id = submit(evaluation({sum_rows[0]}, list(exact())), chat());
  Result<std::optional<jobs::LeasedJob>> leased =
      queue_.lease(kRunJob, "w", std::chrono::seconds(30));
  ASSERT_TRUE(leased && *leased);
  ModelForTest model(
      [](const ModelRequest&) -> Result<ModelAnswer> { return ModelForTest::saying("4"); });
  events_fail_ = true;
  ContextForTest first((*leased)->job);
  EXPECT_EQ(workOn(first, model).kind, JobOutcome::Kind::kRetry);
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kComplete) << "its end is durable";
  EXPECT_TRUE(finished_events_.empty());

  events_fail_ = false;
  ContextForTest second((*leased)->job);
  EXPECT_EQ(workOn(second, idle_).kind, JobOutcome::Kind::kDone);
  ASSERT_EQ(finished_events_.size(), 1U);
  EXPECT_NE(finished_events_[0].find(R"("exact.passed":1.0)"), std::string::npos)
      << finished_events_[0];
}

TEST_F(Runner, FailsARunThatIsCancelled) {
  const std::string run_id = submit(evaluation(sum_rows, "[]"), chat());
  Result<std::optional<jobs::LeasedJob>> leased =
      queue_.lease(kRunJob, "w", std::chrono::seconds(30));
  ContextForTest context((*leased)->job);
  ModelForTest model([&](const ModelRequest&) -> Result<ModelAnswer> {
    context.cancel();
    return Error::unavailable("Stopped.");
  });
  EXPECT_EQ(workOn(context, model, kRunJob, 1).kind, JobOutcome::Kind::kCancelled);
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kFailed);
  EXPECT_EQ(call(run_id).exception, "The evaluation was cancelled.");
}

TEST_F(Runner, FailsAQueuedRunThatIsCancelled) {
  const std::string run_id = submit(evaluation(sum_rows, "[]"), chat());
  const Result<bool> cancelled = service_.cancel(scope_, run_id);
  ASSERT_TRUE(cancelled);
  EXPECT_TRUE(*cancelled);
  EXPECT_EQ(call(run_id).exception, "The evaluation was cancelled.");
  EXPECT_EQ(queue_.find(run_id)->state, JobState::kCancelled);
  EXPECT_FALSE(*service_.cancel(scope_, run_id)) << "it has ended";
  EXPECT_EQ(service_.cancel(scope_, id(7)).error().message(),
            "Evaluation run " + id(7) + " not found");
  EXPECT_EQ(service_.cancel(scope_, run(8)).error().message(),
            "The server does not execute this evaluation");
}

TEST_F(Runner, FailsARunWithMissingObjects) {
  const std::string run_id = submit(evaluation(sum_rows, list(exact())), chat());
  ASSERT_TRUE(objects_.remove("p1", "exact", std::nullopt));
  const JobOutcome outcome = work(idle_);
  EXPECT_EQ(outcome.kind, JobOutcome::Kind::kFailed);
  EXPECT_TRUE(outcome.error.starts_with("Object not found: exact:")) << outcome.error;
  EXPECT_EQ(call(run_id).exception, outcome.error);
}

TEST_F(Runner, ScoresStoredPredictionsAgain) {
  const std::string source = submit(evaluation(sum_rows, list(exact())), chat());
  ModelForTest model(calculator);
  ASSERT_EQ(work(model).kind, JobOutcome::Kind::kDone);
  const std::string distance = publish("near", R"({"kind":"string_distance"})");
  const Result<std::string> run_id = service_.rescore(scope_, source, {distance});
  ASSERT_TRUE(run_id) << run_id.error().message();
  EXPECT_EQ(work(idle_).kind, JobOutcome::Kind::kDone);
  EXPECT_TRUE(idle_.asked().empty());
  EXPECT_EQ(rowsOf(*run_id).size(), 3U);
  EXPECT_EQ(runOf(call(*run_id)).source_run_id, source);
  const std::string output = status(*run_id).output;
  EXPECT_NE(output.find(R"("near":{"distance":{"mean":)"), std::string::npos) << output;
  EXPECT_EQ(output.find("exact"), std::string::npos);
}

TEST_F(Runner, RefusesToRescoreMissingOrUnfinishedRuns) {
  const std::string scorer = exact();
  EXPECT_EQ(service_.rescore(scope_, id(1), {scorer}).error().message(),
            "Evaluation run " + id(1) + " not found");
  const std::string open = run(2);
  EXPECT_EQ(service_.rescore(scope_, open, {scorer}).error().message(),
            "Evaluation run " + open + " is still running");
  const PredictionIds ids = row(open, "{}", "1", std::nullopt);
  EXPECT_EQ(service_.rescore(scope_, ids.prediction_id, {scorer}).error().message(),
            "Call is not an evaluation");
}

TEST_F(Runner, ScoresExistingCalls) {
  const PredictionIds ids = row(run(1), R"({"target":"1"})", R"("1")", std::nullopt);
  ASSERT_TRUE(service_.scoreCalls(scope_, {ids.prediction_id, id(99)}, {exact()}));
  EXPECT_EQ(work(idle_, kScoringJob).kind, JobOutcome::Kind::kDone);
  const auto said = feedback_.ofTargets("p1", feedback::kCallTarget, {ids.prediction_id});
  ASSERT_TRUE(said);
  ASSERT_EQ(said->at(ids.prediction_id).size(), 1U);
  EXPECT_EQ(said->at(ids.prediction_id)[0].feedback_type, "svc.runnable.exact");
  EXPECT_EQ(said->at(ids.prediction_id)[0].payload, R"({"output":{"passed":true}})");
}

TEST_F(Runner, FailsAScoringWhoseUserIsSuspended) {
  const std::string run_id = run(1);
  const PredictionIds first = row(run_id, R"({"target":"1"})", R"("1")", std::nullopt);
  const PredictionIds second = row(run_id, R"({"target":"2"})", R"("2")", std::nullopt);
  const std::string judge = publish("judge", R"({"kind":"llm_judge","model":"m","rubric":"?"})");
  ASSERT_TRUE(service_.scoreCalls(scope_, {first.prediction_id, second.prediction_id}, {judge}));
  ModelForTest model([this](const ModelRequest& request) { return suspendUser(request); });
  const JobOutcome outcome = work(model, kScoringJob);
  EXPECT_EQ(outcome.kind, JobOutcome::Kind::kFailed);
  EXPECT_EQ(outcome.error, "The user who started this job may no longer change the project.");
  EXPECT_EQ(model.asked().size(), 1U);
}

TEST_F(Runner, RefusesUnusableObjectsImmediately) {
  const std::string good = evaluation(sum_rows, list(exact()));
  const auto problem = [&](const std::string& evaluation_ref, const std::string& model_ref) {
    const Result<std::string> run = service_.evaluate(scope_, evaluation_ref, model_ref);
    EXPECT_FALSE(run);
    return run ? "" : run.error().message();
  };
  EXPECT_EQ(problem("nonsense", chat()), "Not a reference to an object: nonsense");
  EXPECT_EQ(problem("svc:///acme/lab/call/" + id(1), chat()),
            "Not a reference to an object: svc:///acme/lab/call/" + id(1));
  EXPECT_EQ(problem("svc:///acme/lab/object/none:latest", chat()),
            "Object not found: svc:///acme/lab/object/none:latest");
  EXPECT_EQ(problem("svc:///other/team/object/eval:latest", chat()),
            "Object not found: svc:///other/team/object/eval:latest");
  EXPECT_EQ(problem("svc-trace-internal:///p9/object/eval:latest", chat()),
            "Object not found: eval:latest");
  EXPECT_EQ(problem(good, publish("odd", R"({"kind":"http"})")),
            "Model 'odd': 'http' is no kind of model");
  EXPECT_EQ(problem(chat(), chat()), "Evaluation 'bot': it has no 'dataset' that is a reference");
  EXPECT_EQ(problem(evaluation(sum_rows, "[1]"), chat()),
            "Evaluation 'eval': its 'scorers' must be references");
  EXPECT_EQ(problem(evaluation(sum_rows, "[]", R"(,"trials":0)"), chat()),
            "Evaluation 'eval': its 'trials' must be from 1 to 1000");
  EXPECT_EQ(problem(evaluation(sum_rows, list(publish("python", R"({"score":"x"})"))), chat()),
            "Scorer 'python': it is not a built-in scorer: the server runs objects that have a "
            "'kind'");
  const std::string twice = "[\"" + exact() + "\",\"" + exact() + "\"]";
  EXPECT_EQ(problem(evaluation(sum_rows, twice), chat()), "Two scorers have the name 'exact'.");
  EXPECT_EQ(problem(publish("eval", R"({"dataset":")" + exact() + R"("})"), chat()),
            "Dataset 'exact': its 'rows' are not a table");
  EXPECT_TRUE(queue_.list({})->empty());
}

TEST_F(Runner, PinsTheVersionsItWasGiven) {
  evaluation(sum_rows, "[]");
  chat();
  const std::string run_id =
      submit("svc:///acme/lab/object/eval:latest", "svc:///acme/lab/object/bot:v0");
  EXPECT_EQ(runOf(call(run_id)).model, chat());
}

TEST_F(Runner, ReportsTheStatusOfARun) {
  EXPECT_EQ(status(id(1)).code, RunStatus::Code::kNotFound);
  const std::string run_id = run(2);
  row(run_id, "{}", "1", std::nullopt);
  good(recorder_.recordPrediction(
      scope_, {.model = kModel, .inputs = "{}", .output = "1", .run_id = run_id}));
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kRunning);
  EXPECT_EQ(status(run_id).completed_rows, 1);
  EXPECT_EQ(status(run_id).total_rows, 1) << "the dataset cannot be read";
  const std::vector<Call> rows = rowsOf(run_id);
  EXPECT_EQ(service_.status(scope_.project, "u1", rows[0].id).error().message(),
            "Call is not an evaluation");
  ASSERT_TRUE(recorder_.finishRun(scope_, {.run_id = run_id}));
  EXPECT_EQ(status(run_id).code, RunStatus::Code::kComplete);
  EXPECT_EQ(service_.status({"", "acme/new"}, "u1", run_id)->code, RunStatus::Code::kNotFound);
}

}  // namespace
}  // namespace spindle::evaluation
