#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "identity/access/access.h"
#include "jobs/job_queue.h"
#include "jobs/migrations.h"
#include "registry/repositories/registry_for_test.h"
#include "runs/history_repository.h"
#include "runs/migrations.h"
#include "runs/run_repository.h"
#include "runs/store/columnar_history_store.h"
#include "runs/store/history_row.h"
#include "training/data/group_summary.h"
#include "training/data/training_file_store.h"
#include "training/jobs/checkpoints.h"
#include "training/jobs/forks.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/job_service.h"
#include "training/jobs/migrations.h"
#include "training/jobs/model_repository.h"
#include "training/jobs/model_service.h"
#include "training/jobs/run_log.h"
#include "training/trainers/trainer_service.h"
#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::training {

/// Returns the GGUF file of a tiny model, created once for all tests.
inline const std::string& tinyModelFile() {
  static const weights::HfFolderForTest folder({});
  static const std::string file = [] {
    weights::HfImport import;
    import.folder = folder.path();
    import.file = folder.file("tiny.gguf");
    EXPECT_TRUE(weights::importHfFolder(import));
    return import.file;
  }();
  return file;
}

/// Returns the Hugging Face folder of a tiny model.
inline const std::string& tinyModelFolder() {
  static const weights::HfFolderForTest folder({});
  static const std::string path = folder.path();
  return path;
}

/// A fixture with all services of this area over an empty database of the engine under test, with a
/// team, a member, a project and the base model `tiny`.
class TrainingContract : public registry::RegistryContract {
 protected:
  void SetUp() override {
    registry::RegistryContract::SetUp();
    caller_ = {user_.id, user_.username};
  }
  std::vector<storage::AreaSchema> schemas() const override {
    return {jobs::jobsSchema(),         identity::identitySchema(), events::eventsSchema(),
            registry::registrySchema(), runs::runsSchema(),         trainingSchema()};
  }

  static std::optional<BaseModel> baseModel(std::string_view name) {
    if (name == "tiny") return BaseModel{"tiny", tinyModelFile()};
    if (name == "folder") return BaseModel{"folder", "", tinyModelFolder()};
    if (name == "elsewhere") return BaseModel{"elsewhere", ""};
    if (name == "broken") return BaseModel{"broken", "/no/such/file"};
    return std::nullopt;
  }

  NewTrainedModel newModel(const std::string& name = "solver") const {
    return {"team", "project", name, "tiny", false};
  }
  Model made(const std::string& name = "solver") {
    Result<Model> model = model_service_.create(caller_, newModel(name));
    EXPECT_TRUE(model) << (model ? "" : model.error().message());
    return model ? *std::move(model) : Model();
  }
  /// Creates an RL job with one empty group.
  Job trained(const Model& model, const RlConfig& config = {}) {
    Result<std::unique_ptr<TrainingFileWriter>> intake = files_.receive();
    EXPECT_TRUE(intake);
    EXPECT_TRUE((*intake)->add("{\"trajectories\":[]}\n"));
    GroupSummary summary;
    summary.add(GroupStats());
    Result<Job> job = job_service_.createRl(caller_, model.id, config, summary, **intake);
    EXPECT_TRUE(job) << (job ? "" : job.error().message());
    return job ? *std::move(job) : Job();
  }
  Offer leased(const std::string& worker = "w1") {
    Result<std::optional<Offer>> offer = trainers_.lease({worker});
    EXPECT_TRUE(offer) << (offer ? "" : offer.error().message());
    EXPECT_TRUE(offer && *offer);
    return offer && *offer ? **std::move(offer) : Offer();
  }
  bool nothingToLease() {
    const Result<std::optional<Offer>> offer = trainers_.lease({"w1"});
    return offer && !*offer;
  }
  static JobLease jobLeaseOf(const Offer& offer) { return {offer.job.id, offer.token}; }

  static ReportedEvent started(std::int64_t count) {
    return {EventType::kTrainingStarted, R"({"num_sequences":)" + std::to_string(count) + "}",
            count};
  }
  static ReportedEvent step(double loss) {
    return {EventType::kGradientStep, metricsJson({{"loss", loss}}), 0};
  }
  StoredFile kept(const std::string& bytes) {
    Result<std::unique_ptr<TrainingFileWriter>> intake = files_.receive();
    EXPECT_TRUE(intake && (*intake)->add(bytes));
    Result<StoredFile> file = (*intake)->finish();
    EXPECT_TRUE(file);
    return file ? *std::move(file) : StoredFile();
  }
  void uploadAdapter(const Offer& offer, const std::string& weights = "weights") {
    for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
             {"adapter_config.json", "{}"}, {"adapter_model.safetensors", weights}}) {
      const StoredFile file = kept(bytes);
      EXPECT_TRUE(trainers_.saveFile(jobLeaseOf(offer), {name, file.blob, file.md5, file.size}));
    }
  }
  /// Leases the next job and completes it with one gradient step.
  Published finished(const std::string& weights = "weights") {
    const Offer offer = leased();
    EXPECT_TRUE(trainers_.appendReportedEvents(jobLeaseOf(offer), 1, {started(1), step(0.5)}));
    uploadAdapter(offer, weights);
    Result<Published> published = trainers_.complete(jobLeaseOf(offer), {});
    EXPECT_TRUE(published) << (published ? "" : published.error().message());
    return published ? *std::move(published) : Published();
  }
  Job jobNow(const std::string& id) {
    Result<Job> job = jobs_.find(id);
    EXPECT_TRUE(job);
    return job ? *std::move(job) : Job();
  }
  /// Returns the types of a job's events and checks that they are numbered without gaps.
  std::vector<std::string> eventsOf(const std::string& id) {
    const Result<ListPart<JobEvent>> part = jobs_.events(id, {.after = {}, .limit = 100});
    EXPECT_TRUE(part);
    std::vector<std::string> types;
    for (const JobEvent& event : part->items) {
      types.emplace_back(textOf(event.type));
      EXPECT_EQ(event.sequence, static_cast<std::int64_t>(types.size()));
    }
    return types;
  }
  std::vector<std::int64_t> stepsOf(const Model& model) {
    const Result<ListPart<Checkpoint>> part =
        models_.checkpoints(model.id, {.after = {}, .limit = 100});
    EXPECT_TRUE(part);
    std::vector<std::int64_t> steps;
    for (const Checkpoint& checkpoint : part->items) steps.push_back(checkpoint.step);
    return steps;
  }

  columnar::StoreForTest columns_{{runs::historyFamily()}};
  runs::ColumnarHistoryStore history_store_{*columns_, 0};
  runs::RunRepository run_rows_{*database_, outbox_, nullptr, clock_};
  runs::HistoryRepository history_{*database_, history_store_, outbox_, nullptr, clock_};
  identity::Access access_{access_facts_, projects_};
  jobs::JobQueue queue_{*database_, clock_};
  ModelRepository models_{*database_, outbox_, queue_, clock_};
  JobRepository jobs_{*database_, outbox_, queue_, clock_};
  TrainingFileStore files_{store_};
  Checkpoints checkpoints_{versions_, blobs_, clock_};
  Forks forks_{models_, collections_, versions_, clock_};
  RunLog run_log_{run_rows_, history_, jobs_};
  ModelService model_service_{
      {models_, checkpoints_, collections_, run_log_, access_, teams_,
       [](std::string_view, std::string_view name) { return baseModel(name); }, clock_}};
  int wakes_ = 0;
  JobService job_service_{
      {model_service_, models_, jobs_, run_log_, access_, [this] { ++wakes_; }}};
  TrainerService trainers_{{models_, jobs_, queue_, checkpoints_, forks_, files_, blobs_, run_log_,
                            access_,
                            [](std::string_view, std::string_view name) { return baseModel(name); },
                            clock_, [this] { ++wakes_; }}};
  Caller caller_;
};

}  // namespace spindle::training
