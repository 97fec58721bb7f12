#include "training/trainers/trainer_service.h"

#include "training/trainers/training_for_test.h"

namespace spindle::training {
namespace {

using std::chrono::seconds;
using Words = std::vector<std::string>;

class Trainers : public TrainingContract {
 protected:
  runs::Run runOf(const Model& model) {
    Result<runs::Run> run = run_rows_.find({place_.project_id, *model.run_id});
    EXPECT_TRUE(run);
    return run ? *std::move(run) : runs::Run();
  }
  /// Returns the events for automations since the last call.
  Words automationEvents() {
    Words told;
    for (const std::string& type : raised()) {
      if (type.starts_with("TRAINING_JOB")) told.push_back(type.substr(0, type.find(' ')));
    }
    return told;
  }
};

TEST_P(Trainers, CompleteAJob) {
  const Model model = made();
  const Job job = trained(model);
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kPending);
  EXPECT_FALSE(jobNow(job.id).progress());
  const Offer offer = leased();
  EXPECT_EQ(offer.job.id, job.id);
  EXPECT_EQ(offer.step, 1);
  EXPECT_EQ(offer.base.file, tinyModelFile());
  EXPECT_GT(offer.base.size, 0);
  ASSERT_TRUE(offer.adapter);
  EXPECT_EQ(offer.adapter->step, 0);
  ASSERT_EQ(offer.adapter->files.size(), 2U);
  EXPECT_EQ(offer.adapter->files[1].name, "adapter_model.safetensors");
  EXPECT_FALSE(offer.reference);
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kPending) << "until training has started";

  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(2), step(0.7)}));
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kRunning);
  EXPECT_TRUE(jobNow(job.id).training_start);
  EXPECT_EQ(jobNow(job.id).progress(), 0.5);
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 3, {step(0.6)}));
  uploadAdapter(offer);
  raised();
  const Result<Published> published =
      trainers_.complete(jobLeaseOf(offer), {{{"reward", 0.5}}, false});
  ASSERT_TRUE(published) << published.error().message();
  EXPECT_EQ(published->step, 1);
  EXPECT_EQ(published->version, "v1");
  EXPECT_EQ(eventsOf(job.id),
            (Words{"training_started", "gradient_step", "gradient_step", "training_ended"}));
  const Job ended = jobNow(job.id);
  EXPECT_EQ(ended.status, JobStatus::kCompleted);
  EXPECT_TRUE(ended.training_end);
  EXPECT_EQ(ended.progress(), 1.0);
  EXPECT_EQ(ended.step, 1);
  EXPECT_TRUE(job.data.blob);
  EXPECT_FALSE(ended.data.blob) << "nobody reads again what it learned from";
  const Result<std::optional<Checkpoint>> checkpoint = models_.checkpoint(model.id, 1);
  ASSERT_TRUE(checkpoint && *checkpoint);
  EXPECT_EQ((*checkpoint)->metrics, R"({"loss":0.6,"reward":0.5})");
  const Result<registry::Version> version =
      versions_.find(place_.project_id, "solver", {.index = {}, .id = {}, .alias = "latest"});
  ASSERT_TRUE(version);
  EXPECT_EQ(version->aliases, (Words{"latest", "step1"}));
  EXPECT_EQ(version->metadata.find("identity"), std::string::npos);
  EXPECT_EQ(automationEvents(), Words{"TRAINING_JOB_FINISHED"});
}

TEST_P(Trainers, MayRepeatComplete) {
  const Model model = made();
  ASSERT_TRUE(checkpoints_.publish(model, 0, "", {fileOf("notes.txt", "x")}))
      << "from now on the version number is not the step";
  trained(model);
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(0)}));
  uploadAdapter(offer);
  const Result<Published> first = trainers_.complete(jobLeaseOf(offer), {});
  ASSERT_TRUE(first);
  const Result<Published> again = trainers_.complete(jobLeaseOf(offer), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->step, 1);
  EXPECT_EQ(again->version, first->version);
  EXPECT_EQ(eventsOf(offer.job.id), (Words{"training_started", "training_ended"}));
}

TEST_P(Trainers, GetTheJobsOfAModelOneAtATimeInOrder) {
  const Model one = made("one");
  const Model other = made("other");
  const Job first = trained(one);
  const Job second = trained(one);
  const Job third = trained(other);
  const Offer offer = leased("w1");
  EXPECT_EQ(offer.job.id, first.id);
  EXPECT_EQ(leased("w2").job.id, third.id);
  EXPECT_TRUE(nothingToLease());
  ASSERT_TRUE(trainers_.fail(jobLeaseOf(offer), "enough"));
  EXPECT_EQ(leased("w1").job.id, second.id);
}

TEST_P(Trainers, MayRepeatEvents) {
  trained(made());
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(3), step(0.9)}));
  EXPECT_EQ(*trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(3), step(0.9)}), 2);
  EXPECT_EQ(*trainers_.appendReportedEvents(jobLeaseOf(offer), 2, {step(0.9), step(0.8)}), 3);
  EXPECT_EQ(*trainers_.appendReportedEvents(jobLeaseOf(offer), 4, {}), 3);
  const Result<std::int64_t> gap =
      trainers_.appendReportedEvents(jobLeaseOf(offer), 5, {step(0.7)});
  EXPECT_EQ(reasonOf(gap), "sequence_gap");
  EXPECT_EQ(gap.error().members().front().second, "3");
  EXPECT_EQ(eventsOf(offer.job.id), (Words{"training_started", "gradient_step", "gradient_step"}));
}

TEST_P(Trainers, ResumeFromTheStateOfALostTrainer) {
  const Job job = trained(made());
  const Offer lost = leased("w1");
  ASSERT_TRUE(
      trainers_.appendReportedEvents(jobLeaseOf(lost), 1, {started(3), step(0.9), step(0.8)}));
  const StoredFile state = kept("state after step 1");
  ASSERT_TRUE(trainers_.saveState(jobLeaseOf(lost), {state.blob, 2, state.size}));
  EXPECT_EQ(reasonOf(trainers_.saveState(jobLeaseOf(lost), {state.blob, 4, state.size})),
            "sequence_gap");
  EXPECT_TRUE(nothingToLease());
  clock_.advance(TrainerService::kLease);
  const Offer offer = leased("w2");
  EXPECT_EQ(offer.job.id, job.id);
  EXPECT_EQ(offer.job.last_sequence, 3);
  ASSERT_TRUE(offer.job.state);
  EXPECT_EQ(offer.job.state->sequence, 2);
  Result<registry::BlobContent> content = trainers_.openState(offer.job);
  ASSERT_TRUE(content);
  EXPECT_EQ(*content->read(0, 100), "state after step 1");
  EXPECT_EQ(reasonOf(trainers_.appendReportedEvents(jobLeaseOf(lost), 4, {step(0.1)})),
            "lease_lost");
  EXPECT_EQ(reasonOf(trainers_.heartBeat(jobLeaseOf(lost), {})), "lease_lost");
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 3, {step(0.8), step(0.7)}));
  uploadAdapter(offer);
  ASSERT_TRUE(trainers_.complete(jobLeaseOf(offer), {}));
  EXPECT_EQ(eventsOf(job.id), (Words{"training_started", "gradient_step", "gradient_step",
                                     "gradient_step", "training_ended"}));
}

TEST_P(Trainers, GetTheirJobBackAfterARestart) {
  const Job job = trained(made());
  leased("w1");
  EXPECT_TRUE(nothingToLease());
  ASSERT_TRUE(trainers_.releaseLeasesOf("w1"));
  EXPECT_EQ(leased("w1").job.id, job.id);
}

TEST_P(Trainers, KeepTheirLeaseByHeartBeats) {
  const Job job = trained(made());
  const Offer offer = leased();
  for (int i = 0; i < 3; ++i) {
    clock_.advance(seconds(45));
    const Result<bool> cancelled = trainers_.heartBeat(jobLeaseOf(offer), 30.0);
    ASSERT_TRUE(cancelled);
    EXPECT_FALSE(*cancelled);
    EXPECT_TRUE(nothingToLease());
  }
  EXPECT_EQ(jobNow(job.id).estimated_end, clock_.now() + seconds(30));
}

TEST_P(Trainers, LosingThreeTrainersFailsTheJob) {
  const Job job = trained(made());
  for (std::int64_t i = 0; i < TrainerService::kMostTries; ++i) {
    EXPECT_EQ(leased().job.id, job.id);
    clock_.advance(TrainerService::kLease);
  }
  EXPECT_TRUE(nothingToLease());
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kFailed);
  EXPECT_EQ(eventsOf(job.id), Words{"training_failed"});
}

TEST_P(Trainers, ProgressResetsTheTries) {
  const Job job = trained(made());
  for (std::int64_t i = 0; i < TrainerService::kMostTries * 2; ++i) {
    const Offer offer = leased();
    ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(100)}));
    ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), i + 2, {step(0.5)}));
    const StoredFile state = kept("state " + std::to_string(i));
    ASSERT_TRUE(trainers_.saveState(jobLeaseOf(offer), {state.blob, i + 2, state.size}));
    clock_.advance(TrainerService::kLease);
  }
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kRunning);
}

TEST_P(Trainers, ReleaseCountsNoTry) {
  const Job job = trained(made());
  for (std::int64_t i = 0; i < TrainerService::kMostTries * 2; ++i) {
    const Offer offer = leased();
    EXPECT_EQ(offer.job.id, job.id);
    ASSERT_TRUE(trainers_.release(jobLeaseOf(offer)));
  }
}

TEST_P(Trainers, FailWithAMessage) {
  const Model model = made();
  const Job job = trained(model);
  const Offer offer = leased();
  raised();
  ASSERT_TRUE(trainers_.fail(jobLeaseOf(offer), "The loss is \"not a number\"."));
  const Job failed = jobNow(job.id);
  EXPECT_EQ(failed.status, JobStatus::kFailed);
  EXPECT_EQ(failed.error_message, "The loss is \"not a number\".");
  EXPECT_TRUE(failed.training_end);
  const Result<ListPart<JobEvent>> events = jobs_.events(job.id, {});
  ASSERT_TRUE(events);
  EXPECT_EQ(events->items.back().data, R"({"error_message":"The loss is \"not a number\"."})");
  EXPECT_EQ(automationEvents(), Words{"TRAINING_JOB_FAILED"});
  EXPECT_EQ(stepsOf(model), std::vector<std::int64_t>{0});
  EXPECT_EQ(runOf(model).state, runs::RunState::kFailed);
}

TEST_P(Trainers, StopWhenTheUserIsSuspended) {
  const std::string why = "The user who started this job may no longer change the project.";
  const Model model = made();
  const Job job = trained(model);
  const Job next = trained(model);
  const Offer offer = leased();
  EXPECT_FALSE(*trainers_.heartBeat(jobLeaseOf(offer), std::nullopt));
  uploadAdapter(offer);
  ASSERT_TRUE(users_.update(caller_.user_id, {.suspended = true}));
  EXPECT_TRUE(*trainers_.heartBeat(jobLeaseOf(offer), std::nullopt));
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kFailed);
  EXPECT_EQ(jobNow(job.id).error_message, why);
  EXPECT_FALSE(trainers_.complete(jobLeaseOf(offer), {}));
  EXPECT_FALSE(trainers_.lease({"w"})->has_value()) << "it waits in the queue";
  EXPECT_EQ(jobNow(next.id).error_message, why);
}

TEST_P(Trainers, PublishNothingForASuspendedUser) {
  const Model model = made();
  const Job job = trained(model);
  const Offer offer = leased();
  uploadAdapter(offer);
  ASSERT_TRUE(users_.update(caller_.user_id, {.suspended = true}));
  EXPECT_EQ(reasonOf(trainers_.complete(jobLeaseOf(offer), {})), "job_cancelled");
  EXPECT_EQ(jobNow(job.id).status, JobStatus::kFailed);
}

TEST_P(Trainers, SeeCancellationInHeartbeat) {
  const Model model = made();
  const Job job = trained(model);
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(5)}));
  raised();
  const Result<Job> cancelled = job_service_.cancel(caller_, job.id);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->status, JobStatus::kCancelled);
  EXPECT_EQ(eventsOf(job.id), (Words{"training_started", "training_failed"}));
  const Result<bool> beat = trainers_.heartBeat(jobLeaseOf(offer), {});
  ASSERT_TRUE(beat);
  EXPECT_TRUE(*beat);
  EXPECT_EQ(reasonOf(trainers_.appendReportedEvents(jobLeaseOf(offer), 2, {step(1)})),
            "job_cancelled");
  EXPECT_EQ(reasonOf(trainers_.complete(jobLeaseOf(offer), {})), "job_cancelled");
  EXPECT_EQ(reasonOf(trainers_.fail(jobLeaseOf(offer), "x")), "job_cancelled");
  EXPECT_EQ(automationEvents(), Words{"TRAINING_JOB_CANCELLED"});
  const Result<Job> again = job_service_.cancel(caller_, job.id);
  ASSERT_TRUE(again);
  EXPECT_EQ(eventsOf(job.id).size(), 2U);
}

TEST_P(Trainers, PublishACopyIfNothingWasLearned) {
  const Model model = made();
  trained(model);
  finished("some weights");
  const Job job = trained(model);
  const Offer offer = leased();
  ReportedEvent start = started(0);
  start.note = "The rewards are all the same.";
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {start}));
  EXPECT_EQ(jobNow(job.id).note, start.note);
  const Result<Published> published =
      trainers_.complete(jobLeaseOf(offer), {{{"num_groups_trainable", 0}}, true});
  ASSERT_TRUE(published) << published.error().message();
  EXPECT_EQ(published->step, 2);
  EXPECT_EQ(published->version, "v2");
  EXPECT_EQ(eventsOf(job.id), (Words{"training_started", "training_ended"}));
  const Result<std::optional<Checkpoint>> copy = models_.checkpoint(model.id, 2);
  ASSERT_TRUE(copy && *copy);
  EXPECT_EQ((*copy)->metrics, R"({"num_groups_trainable":0.0})");
  Result<registry::BlobContent> weights =
      checkpoints_.open(place_, (*copy)->version_id, "adapter_model.safetensors");
  ASSERT_TRUE(weights);
  EXPECT_EQ(*weights->read(0, 100), "some weights");
}

TEST_P(Trainers, ExecuteJobsOfAHuggingFaceFolder) {
  NewTrainedModel fresh = newModel("foldered");
  fresh.base_model = "folder";
  const Result<Model> model = model_service_.create(caller_, fresh);
  ASSERT_TRUE(model) << model.error().message();
  const Job job = trained(*model);
  EXPECT_TRUE(nothingToLease()) << "a trainer without capabilities needs a GGUF file";
  TrainerCapabilities folders;
  folders.formats = {BaseFormat::kHuggingFace};
  EXPECT_FALSE(*trainers_.hasJobFor({}));
  EXPECT_TRUE(*trainers_.hasJobFor(folders));
  Result<std::optional<Offer>> leased = trainers_.lease({"w2", folders});
  ASSERT_TRUE(leased && *leased);
  const Offer& offer = **leased;
  EXPECT_FALSE(offer.adapter) << "step 0 has no files";
  ASSERT_TRUE(offer.base.listing);
  EXPECT_FALSE(offer.base.listing->files.empty());
  EXPECT_EQ(*trainers_.baseFolderFile(offer.job, "config.json"),
            tinyModelFolder() + "/config.json");
  for (const char* name : {"../config.json", "model.bin"}) {
    EXPECT_EQ(codeOf(trainers_.baseFolderFile(offer.job, name)), ErrorCode::kNotFound);
  }
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(0)}));
  const Result<Published> unchanged = trainers_.complete(jobLeaseOf(offer), {{}, true});
  ASSERT_TRUE(unchanged) << unchanged.error().message();
  EXPECT_EQ(unchanged->version, "v1");
}

TEST_P(Trainers, LeaseOnlyJobsWhoseResourcesTheyHave) {
  const Model first = made("first");
  const Model second = made("second");
  Result<Job> large = job_service_.createSft(caller_, first.id, {}, {}, false, {.gpus = 8});
  ASSERT_TRUE(large);
  EXPECT_EQ(jobNow(large->id).resources.gpus, 8);
  const Job small = trained(second);
  EXPECT_EQ(leased("w1").job.id, small.id) << "a later job that the trainer can execute";
  EXPECT_TRUE(nothingToLease());
  Result<std::optional<Offer>> offer = trainers_.lease({"w2", {.gpus = 8}});
  ASSERT_TRUE(offer && *offer);
  EXPECT_EQ((*offer)->job.id, large->id);
}

TEST_P(Trainers, ContinueFromAnAdoptedFork) {
  const Model source = made("source");
  trained(source);
  finished("weights of the source");
  const Model fork = made("fork");
  const Result<std::optional<Checkpoint>> newest = models_.checkpoint(source.id, 1);
  ASSERT_TRUE(newest && *newest);
  Result<std::vector<ArtifactFile>> files = checkpoints_.files(place_, (*newest)->version_id);
  ASSERT_TRUE(files);
  Model as_step_7 = fork;  // like a client that uploads the files to the fork's collection
  ASSERT_TRUE(checkpoints_.publish(as_step_7, 7, "", *std::move(files)));

  const Job job = trained(fork);
  const Offer offer = leased();
  EXPECT_EQ(offer.job.id, job.id);
  EXPECT_EQ(offer.step, 8);
  ASSERT_TRUE(offer.adapter);
  EXPECT_EQ(offer.adapter->step, 7);
  const Result<std::optional<Checkpoint>> adopted = models_.checkpoint(fork.id, 7);
  ASSERT_TRUE(adopted && *adopted);
  Result<registry::BlobContent> weights =
      checkpoints_.open(place_, (*adopted)->version_id, "adapter_model.safetensors");
  ASSERT_TRUE(weights);
  EXPECT_EQ(*weights->read(0, 100), "weights of the source");
}

TEST_P(Trainers, ForkIsNotAdoptedDuringAJob) {
  const Model model = made();
  trained(model);
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(0)}));
  ASSERT_TRUE(checkpoints_.publish(
      model, 7, "",
      {fileOf("adapter_config.json", "{}"), fileOf("adapter_model.safetensors", "w")}));
  ASSERT_TRUE(forks_.adopt(*models_.find(model.id)));
  uploadAdapter(offer);
  EXPECT_EQ(trainers_.complete(jobLeaseOf(offer), {})->step, 1);
  const Result<Model> after = forks_.adopt(*models_.find(model.id));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->step, 7);
}

TEST_P(Trainers, OnlyAdaptersAreAdopted) {
  const Model model = made();
  ASSERT_TRUE(checkpoints_.publish(model, 7, "", {fileOf("notes.txt", "hello")}));
  const Result<Model> after = forks_.adopt(*models_.find(model.id));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->step, 0);
}

TEST_P(Trainers, NeedFilesForAResult) {
  trained(made());
  const Offer offer = leased();
  EXPECT_EQ(reasonOf(trainers_.complete(jobLeaseOf(offer), {})), "missing_files");
}

TEST_P(Trainers, GetTheKlReference) {
  const Model model = made();
  for (const std::string weights : {"one", "two"}) {
    trained(model);
    finished(weights);
  }
  RlConfig config;
  config.kl_penalty_reference_step = 1;
  trained(model, config);
  Offer offer = leased();
  ASSERT_TRUE(offer.reference);
  EXPECT_EQ(offer.reference->step, 1);
  Result<registry::BlobContent> content =
      trainers_.openReference(offer.job, "adapter_model.safetensors");
  ASSERT_TRUE(content);
  EXPECT_EQ(*content->read(0, 100), "one");
  ASSERT_TRUE(trainers_.fail(jobLeaseOf(offer), "enough"));

  RlConfig lag;
  lag.kl_penalty_step_lag = 5;
  trained(model, lag);
  offer = leased();
  ASSERT_TRUE(offer.reference);
  EXPECT_EQ(offer.reference->step, 0) << "not before the first";
  ASSERT_TRUE(trainers_.fail(jobLeaseOf(offer), "enough"));

  const Job orphan = trained(model, config);
  ASSERT_TRUE(model_service_.removeCheckpoints(caller_, model.id, {1}));
  EXPECT_TRUE(nothingToLease());
  EXPECT_EQ(jobNow(orphan.id).status, JobStatus::kFailed);
  Result<std::unique_ptr<TrainingFileWriter>> intake = files_.receive();
  ASSERT_TRUE(intake);
  EXPECT_EQ(codeOf(job_service_.createRl(caller_, model.id, config, GroupSummary(), **intake)),
            ErrorCode::kInvalidArgument);
}

TEST_P(Trainers, GetTheRewardHistory) {
  const Model model = made();
  for (const double spread : {0.5, 0.25}) {
    trained(model);
    const Offer offer = leased();
    ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(0)}));
    uploadAdapter(offer);
    ASSERT_TRUE(trainers_.complete(jobLeaseOf(offer), {{{"reward_std_dev", spread}}, false}));
  }
  trained(model);
  const Offer offer = leased();
  ASSERT_EQ(offer.reward_history.size(), 2U);
  EXPECT_EQ(offer.reward_history[0].step, 1);
  EXPECT_EQ(offer.reward_history[0].std_dev, 0.5);
  EXPECT_EQ(offer.reward_history[1].step, 2);
  EXPECT_EQ(offer.reward_history[1].std_dev, 0.25);
}

TEST_P(Trainers, StepsAppearInTheRun) {
  const Model model = made();
  trained(model);
  const Offer offer = leased();
  EXPECT_EQ(runOf(model).state, runs::RunState::kRunning);
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(3), step(0.9)}));
  ASSERT_TRUE(
      trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(3), step(0.9), step(0.8)}));
  EXPECT_EQ(runOf(model).history_line_count, 2);
  EXPECT_NE(runOf(model).summary.find(R"("loss":0.8)"), std::string::npos);
  uploadAdapter(offer);
  ASSERT_TRUE(trainers_.complete(jobLeaseOf(offer), {}));
  EXPECT_EQ(runOf(model).state, runs::RunState::kFinished);
  trained(model);
  finished("other");
  EXPECT_EQ(runOf(model).history_line_count, 3) << "the next job goes on with it";
}

TEST_P(Trainers, SftMetricLoggingUsesItsOwnNames) {
  const Model model = made();
  SftConfig config;
  config.metric_logging = MetricLoggingConfig{true, 7};
  ASSERT_TRUE(job_service_.createSft(caller_, model.id, {.url = "u", .digest = "x"}, config));
  const Offer offer = leased();
  ASSERT_TRUE(
      trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(2), step(0.5), step(0.25)}));
  EXPECT_EQ(runOf(model).history_line_count, 2);
  EXPECT_NE(runOf(model).summary.find(R"("sft/loss":0.25)"), std::string::npos);
  EXPECT_NE(runOf(model).summary.find(R"("sft/gradient_step":2.0)"), std::string::npos);
  EXPECT_EQ(runOf(model).summary.find(R"("loss/train")"), std::string::npos);
  uploadAdapter(offer);
  ASSERT_TRUE(trainers_.complete(jobLeaseOf(offer), {}));
  const runs::Run run = runOf(model);
  EXPECT_EQ(run.history_line_count, 3);
  EXPECT_NE(run.summary.find(R"("loss/train":0.375)"), std::string::npos) << run.summary;
  EXPECT_NE(run.summary.find(R"("training_step":7.0)"), std::string::npos);
  EXPECT_EQ(run.metric_rules, R"({"sft/*":{"step_metric":"sft/gradient_step"}})");
}

TEST_P(Trainers, RepeatedCompleteEndsTheRunOnce) {
  const Model model = made();
  SftConfig config;
  config.metric_logging = MetricLoggingConfig{true};
  ASSERT_TRUE(job_service_.createSft(caller_, model.id, {.url = "u", .digest = "x"}, config));
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(1), step(0.5)}));
  uploadAdapter(offer);
  ASSERT_TRUE(trainers_.complete(jobLeaseOf(offer), {}));
  EXPECT_NE(runOf(model).summary.find(R"("training_step":1.0)"), std::string::npos);
  // Simulates a server that stopped before it had finished the run.
  run_log_.begin(jobNow(offer.job.id));
  EXPECT_EQ(runOf(model).state, runs::RunState::kRunning);
  ASSERT_TRUE(trainers_.complete(jobLeaseOf(offer), {}));
  EXPECT_EQ(runOf(model).state, runs::RunState::kFinished);
  EXPECT_EQ(runOf(model).history_line_count, 2);
}

TEST_P(Trainers, ReadTheData) {
  trained(made());
  const Offer offer = leased();
  Result<registry::BlobContent> data = trainers_.openData(offer.job);
  ASSERT_TRUE(data);
  EXPECT_EQ(*data->read(0, 100), "{\"trajectories\":[]}\n");
  EXPECT_EQ(offer.job.data.count, 1);
}

TEST_P(Trainers, RepeatedSftRequestsAreOneJob) {
  const Model model = made();
  const JobData data{.url = "svc-artifact:///team/project/rows:v0",
                     .team_id = place_.team_id,
                     .digest = "x",
                     .size = 1};
  const Result<Job> one = job_service_.createSft(caller_, model.id, data, {});
  const Result<Job> same = job_service_.createSft(caller_, model.id, data, {});
  ASSERT_TRUE(one && same);
  EXPECT_EQ(one->id, same->id);
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.fail(jobLeaseOf(offer), "no memory"));
  const Result<Job> again = job_service_.createSft(caller_, model.id, data, {});
  ASSERT_TRUE(again);
  EXPECT_NE(again->id, one->id) << "what failed may be tried again";
}

TEST_P(Trainers, ListsOfJobsAndEventsComeInPages) {
  const Model model = made();
  std::vector<std::string> ids;
  ids.reserve(3);
  for (int i = 0; i < 3; ++i) ids.push_back(trained(model).id);
  const Result<identity::Page<Job>> first = jobs_.list({}, {.limit = 2, .after = {}});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].id, ids[2]);
  ASSERT_TRUE(first->next);
  const Result<identity::Page<Job>> rest = jobs_.list({}, {.limit = 2, .after = *first->next});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_EQ(rest->items[0].id, ids[0]);
  EXPECT_FALSE(rest->next);
  const Offer offer = leased();
  ASSERT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(2), step(1), step(2)}));
  const Result<identity::Page<Job>> running =
      jobs_.list({.status = JobStatus::kRunning}, {.limit = 2, .after = {}});
  ASSERT_TRUE(running);
  EXPECT_EQ(running->items.size(), 1U);
  const Result<ListPart<JobEvent>> one = jobs_.events(ids[0], {.after = {}, .limit = 1});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->has_more);
  const Result<ListPart<JobEvent>> two =
      jobs_.events(ids[0], {.after = one->items[0].id, .limit = 2});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->items.size(), 2U);
  EXPECT_FALSE(two->has_more);
  const Result<ListPart<JobEvent>> end =
      jobs_.events(ids[0], {.after = two->items[1].id, .limit = 2});
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->items.empty());
  EXPECT_EQ(codeOf(jobs_.events(ids[1], {.after = one->items[0].id})), ErrorCode::kNotFound)
      << "an event of another job";
  EXPECT_EQ(jobs_.waiting()->count, 2);
}

SPINDLE_ON_BOTH_ENGINES(Trainers);

}  // namespace
}  // namespace spindle::training
