#include "app/wiring/training_stack.h"

#include <algorithm>
#include <utility>

#include "app/server/target_options.h"
#include "app/wiring/agent_traces.h"
#include "storage/database/database.h"

namespace spindle::app {
namespace {

/// Returns the lookup of base models in the catalogue, restricted to the models of a team.
training::BaseModels baseModels(InferenceStack& inference) {
  return [&directory = inference.services().directory, &files = inference.modelFileStore()](
             std::string_view team_id,
             std::string_view name) -> std::optional<training::BaseModel> {
    const std::shared_ptr<const inference::Model> model = directory.currentFor(name)->find(name);
    if (!model) return std::nullopt;
    const bool open = model->teams.empty() || std::find(model->teams.begin(), model->teams.end(),
                                                        team_id) != model->teams.end();
    if (!open) return std::nullopt;
    training::BaseModel base{model->name, model->file, model->folder};
    if (model->isStored()) {
      base.blob = model->stored.blob;
      base.blob_bytes = model->stored.bytes;
      base.header = [&files, model] { return files.headerOf(*model); };
    }
    return base;
  };
}

}  // namespace

TrainingStack::TrainingStack(const StackContext& context,
                             IdentityStack& identity,
                             ObjectStack& objects,
                             RegistryStack& registry,
                             RunStack& runs,
                             InferenceStack& inference,
                             const LocalUse& local_use)
    : identity_(identity),
      registry_(registry),
      clock_(context.clock),
      queue_(*identity.database, {clock_, identity.schedule}),
      models_(*identity.database, registry.outbox, queue_, clock_),
      jobs_(*identity.database, registry.outbox, queue_, clock_, &identity.changes),
      files_(objects.blobs),
      client_({.ca_file = context.settings.webhooks.ca_file.string()}),
      fetcher_(client_,
               http::EgressPolicy(targetOptions(context.settings, local_use)),
               files_,
               {context.settings.training.fetch_limit, context.settings.training.data_folder}),
      checkpoints_(registry.versions, registry.blobs, clock_),
      forks_(models_, registry.collections, registry.versions, clock_),
      run_log_(runs.services().runs, runs.services().history, jobs_),
      model_service_({models_, checkpoints_, registry.collections, run_log_, identity.access,
                      identity.teams, baseModels(inference), clock_}),
      job_service_({model_service_, models_, jobs_, run_log_, identity.access, [this] { wake(); }}),
      trainers_({models_, jobs_, queue_, checkpoints_, forks_, files_, registry.blobs, run_log_,
                 identity.access, baseModels(inference), clock_, [this] { wake(); }}),
      lease_waiters_(
          {[this](const training::TrainerRequest& trainer) { return trainers_.lease(trainer); },
           [this](const training::Offer& offer) {
             // On failure the lease expires.
             static_cast<void>(trainers_.release({offer.job.id, offer.token}));
           }}) {
  identity.database->subscribe(storage::Database::kInsertedTopic, [this](std::string_view table) {
    if (table.empty() || table == "jobs") wake();
  });
}

training::TrainingServices TrainingStack::services() {
  return {model_service_,
          models_,
          forks_,
          job_service_,
          jobs_,
          trainers_,
          lease_waiters_,
          files_,
          fetcher_,
          registry_.services(),
          identity_.access,
          identity_.users,
          [this] {
            return identity_.database->read([](storage::Session& session) -> Result<void> {
              TRY(session.queryOne("SELECT 1 AS one"));
              return {};
            });
          },
          clock_};
}

training::ExportServices TrainingStack::exportServices(TracingStack& tracing) {
  return {tracing.services(), registry_.services(), files_, agentTraces(tracing)};
}

void TrainingStack::addOwnTrainer(const config::TrainingSettings& settings,
                                  const storage::DataFolder& folder,
                                  const http::RoutePolicy& policy,
                                  std::function<std::vector<std::string>()> model_files) {
  own_trainer_ = std::make_unique<OwnTrainer>(
      settings, identity_.membership.id(), folder, services(), policy,
      [this] { return isTrainerMissing(); }, std::move(model_files));
}

void TrainingStack::wake() {
  lease_waiters_.wake();
  if (own_trainer_) own_trainer_->wake();
}

bool TrainingStack::isTrainerMissing() {
  if (lease_waiters_.hasGgufWaiters()) return false;
  // The server's own trainer is one that reports no capabilities.
  const Result<bool> ready = trainers_.hasJobFor({});
  return ready && *ready;
}

void TrainingStack::start() {
  lease_waiters_.start();
  if (!own_trainer_) return;
  // Leases from before the restart are void. On failure they expire.
  static_cast<void>(queue_.releaseWorker(training::kQueueKind, own_trainer_->name()));
  own_trainer_->start();
}

void TrainingStack::stop() {
  if (own_trainer_) own_trainer_->stop();
  lease_waiters_.stop();
}

}  // namespace spindle::app
