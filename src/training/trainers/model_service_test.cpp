#include "training/jobs/model_service.h"

#include "training/trainers/training_for_test.h"

namespace spindle::training {
namespace {

using Steps = std::vector<std::int64_t>;

class Models : public TrainingContract {
 protected:
  bool hasCollection(const std::string& name) {
    return collections_.find(place_.project_id, name).has_value();
  }
};

TEST_P(Models, AreFoundByBaseModel) {
  made("one");
  made("two");
  EXPECT_EQ(*models_.trainedFrom("tiny"),
            (std::vector<std::string>{"team/project/one", "team/project/two"}));
  EXPECT_TRUE(models_.trainedFrom("elsewhere")->empty());
}

TEST_P(Models, StartWithIdentityAdapter) {
  const Model model = made();
  EXPECT_EQ(model.place.entity, "team");
  EXPECT_EQ(model.place.project, "project");
  EXPECT_EQ(model.base_model, "tiny");
  EXPECT_EQ(stepsOf(model), Steps{0});
  const Result<registry::Version> version =
      versions_.find(place_.project_id, "solver", {.index = {}, .id = {}, .alias = "step0"});
  ASSERT_TRUE(version);
  EXPECT_EQ(version->type, "lora");
  EXPECT_EQ(version->index, 0);
  EXPECT_EQ(version->aliases, (std::vector<std::string>{"latest", "step0"}));
  EXPECT_NE(version->metadata.find(R"("base_model":"tiny")"), std::string::npos);
  EXPECT_NE(version->metadata.find(R"("identity":true)"), std::string::npos);
  const Result<std::vector<registry::ManifestEntry>> entries =
      versions_.entries(version->id, "", "", 10);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].path, "adapter_config.json");
  EXPECT_EQ((*entries)[1].path, "adapter_model.safetensors");
  EXPECT_EQ((*entries)[2].path, "checkpoint.json");
}

TEST_P(Models, HaveAPendingRun) {
  const Model model = made();
  ASSERT_TRUE(model.run_id);
  const Result<runs::Run> run = run_rows_.find({place_.project_id, *model.run_id});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->name, "solver");
  EXPECT_EQ(run->state, runs::RunState::kPending);
}

TEST_P(Models, AreReturnedIfTheyExist) {
  const Model model = made();
  EXPECT_EQ(codeOf(model_service_.create(caller_, newModel())), ErrorCode::kConflict);
  NewTrainedModel again = newModel();
  again.return_existing = true;
  again.base_model = "whatever";
  const Result<Model> same = model_service_.create(caller_, again);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->id, model.id);
  EXPECT_EQ(same->base_model, "tiny");
  EXPECT_EQ(same->run_id, model.run_id);
}

TEST_P(Models, NeedATrainableBaseModel) {
  for (const std::string base : {"unheard-of", "elsewhere", "broken"}) {
    NewTrainedModel other = newModel();
    other.base_model = base;
    EXPECT_EQ(codeOf(model_service_.create(caller_, other)), ErrorCode::kInvalidArgument) << base;
  }
  EXPECT_FALSE(hasCollection("solver"));
}

TEST_P(Models, DefaultToTheCallersTeam) {
  NewTrainedModel own = newModel();
  own.entity = std::nullopt;
  const Result<Model> model = model_service_.create(caller_, own);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->place.entity, "team");
}

TEST_P(Models, AreVisibleToProjectReaders) {
  const Model model = made();
  const identity::User stranger = person("stranger");
  const Caller outside{stranger.id, stranger.username};
  EXPECT_EQ(codeOf(model_service_.require(outside, model.id, identity::Action::kReadProject)),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(model_service_.create(outside, newModel("other"))), ErrorCode::kNotFound);
  const identity::User viewer = person("viewer");
  join(team_, viewer, identity::TeamRole::kViewer);
  const Caller reader{viewer.id, viewer.username};
  EXPECT_TRUE(model_service_.require(reader, model.id, identity::Action::kReadProject));
  EXPECT_EQ(codeOf(model_service_.remove(reader, model.id)), ErrorCode::kPermissionDenied);
  EXPECT_EQ(codeOf(model_service_.require(caller_, "no-id", identity::Action::kReadProject)),
            ErrorCode::kNotFound);
}

TEST_P(Models, ListTheirCheckpointsInPages) {
  const Model model = made();
  for (int i = 0; i < 3; ++i) {
    trained(model);
    finished("weights " + std::to_string(i));
  }
  const Result<ListPart<Checkpoint>> first =
      models_.checkpoints(model.id, {.after = {}, .limit = 3});
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->has_more);
  const Result<ListPart<Checkpoint>> rest =
      models_.checkpoints(model.id, {.after = first->items[2].id, .limit = 3});
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->items.size(), 1U);
  EXPECT_EQ(rest->items[0].step, 3);
  EXPECT_FALSE(rest->has_more);
  const Result<ListPart<Checkpoint>> end =
      models_.checkpoints(model.id, {.after = rest->items[0].id, .limit = 3});
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->items.empty());
  EXPECT_FALSE(end->has_more);
  const Result<ListPart<Checkpoint>> newest =
      models_.checkpoints(model.id, {.after = {}, .limit = 1, .descending = true});
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->items[0].step, 3);
  EXPECT_TRUE(newest->has_more);
  const Result<ListPart<Checkpoint>> before = models_.checkpoints(
      model.id, {.after = newest->items[0].id, .limit = 100, .descending = true});
  ASSERT_TRUE(before);
  ASSERT_EQ(before->items.size(), 3U);
  EXPECT_EQ(before->items[0].step, 2);
  EXPECT_EQ(codeOf(models_.checkpoints(model.id, {.after = "other"})), ErrorCode::kNotFound);
}

TEST_P(Models, NeverReuseStepNumbers) {
  const Model model = made();
  trained(model);
  finished("one");
  const Result<CheckpointsRemoved> removed =
      model_service_.removeCheckpoints(caller_, model.id, {1, 7, 1});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->deleted_count, 1);
  EXPECT_EQ(removed->not_found_steps, Steps{7});
  EXPECT_EQ(stepsOf(model), Steps{0});
  EXPECT_FALSE(
      versions_.find(place_.project_id, "solver", {.index = {}, .id = {}, .alias = "step1"}));
  trained(model);
  EXPECT_EQ(finished("two").step, 2);
  EXPECT_EQ(stepsOf(model), (Steps{0, 2}));
}

TEST_P(Models, DeleteEverythingTheyOwn) {
  const Model model = made();
  const Job done = trained(model);
  finished();
  const Job open = trained(model);
  const Offer offer = leased();
  const Job waiting = trained(model);
  const Result<ModelRemoved> removed = model_service_.remove(caller_, model.id);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->model_id, model.id);
  EXPECT_EQ(removed->deleted_checkpoints, 2);
  EXPECT_TRUE(removed->deleted_run);
  EXPECT_FALSE(hasCollection("solver"));
  EXPECT_FALSE(run_rows_.find({place_.project_id, *model.run_id}));
  EXPECT_EQ(codeOf(models_.find(model.id)), ErrorCode::kNotFound);
  EXPECT_EQ(jobNow(done.id).status, JobStatus::kCompleted);
  for (const Job& job : {open, waiting}) {
    EXPECT_EQ(jobNow(job.id).status, JobStatus::kCancelled);
    EXPECT_EQ(eventsOf(job.id), std::vector<std::string>{"training_failed"});
  }
  const Result<bool> cancelled = trainers_.heartBeat(jobLeaseOf(offer), {});
  ASSERT_TRUE(cancelled);
  EXPECT_TRUE(*cancelled);
  EXPECT_TRUE(nothingToLease());
  EXPECT_EQ(codeOf(model_service_.remove(caller_, model.id)), ErrorCode::kNotFound);
  EXPECT_NE(made().id, model.id) << "the name is free again";
}

TEST_P(Models, AreDeletedWithTheirProject) {
  const Model model = made();
  trained(model);
  ASSERT_TRUE(projects_.remove(place_.project_id));
  EXPECT_EQ(codeOf(models_.find(model.id)), ErrorCode::kNotFound);
  EXPECT_TRUE(nothingToLease());
}

TEST_P(Models, StoreLoggedGroups) {
  const Model model = made();
  GroupSummary summary;
  GroupStats group;
  group.trajectories = {{1, {}, {}}, {0, {}, {}}};
  summary.add(group);
  ASSERT_TRUE(model_service_.log(caller_, model.id, "val", summary, kept("{}\n")));
  const Result<std::optional<Checkpoint>> checkpoint = models_.checkpoint(model.id, 0);
  ASSERT_TRUE(checkpoint && *checkpoint);
  EXPECT_EQ((*checkpoint)->metrics,
            R"({"val/reward":0.5,"val/reward_std_dev":0.5,"val/exception_rate":0.0,)"
            R"("training_step":0.0})");
  const Result<runs::Run> run = run_rows_.find({place_.project_id, *model.run_id});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->history_line_count, 1);
  EXPECT_EQ(run->state, runs::RunState::kFinished) << "nobody gives signs of life";
}

SPINDLE_ON_BOTH_ENGINES(Models);

}  // namespace
}  // namespace spindle::training
