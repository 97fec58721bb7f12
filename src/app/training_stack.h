#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/identity_stack.h"
#include "app/inference_stack.h"
#include "app/object_stack.h"
#include "app/own_trainer.h"
#include "app/registry_stack.h"
#include "app/run_stack.h"
#include "app/tracing_stack.h"
#include "base/time.h"
#include "config/settings.h"
#include "http/client.h"
#include "jobs/job_queue.h"
#include "training/checkpoints.h"
#include "training/data_fetcher.h"
#include "training/forks.h"
#include "training/job_repository.h"
#include "training/job_service.h"
#include "training/lease_waiters.h"
#include "training/model_repository.h"
#include "training/model_service.h"
#include "training/run_log.h"
#include "training/trainer_service.h"
#include "training/training_api.h"
#include "training/training_file_store.h"
#include "training/trajectory_export_api.h"

namespace spindle::app {

class LocalUse;

/// Trained models and training jobs. Members are constructed in this order and destroyed in
/// reverse; the stacks passed to the constructor must outlive this object.
class TrainingStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  TrainingStack(const config::Settings& settings,
                IdentityStack& identity,
                ObjectStack& objects,
                RegistryStack& registry,
                RunStack& runs,
                InferenceStack& inference,
                const LocalUse& local_use,
                const Clock& clock);

  training::TrainingServices services();
  training::ExportServices exportServices(TracingStack& tracing);

  /// Adds the server's own trainer, which start() starts. @param model_files see OwnTrainer
  void addOwnTrainer(const config::TrainingSettings& settings,
                     const storage::DataFolder& folder,
                     const http::RoutePolicy& policy,
                     std::function<std::vector<std::string>()> model_files);

  /// Starts to accept trainers that wait for jobs.
  void start();
  void stop();

 private:
  void wake();
  bool isTrainerMissing();

  IdentityStack& identity_;
  RegistryStack& registry_;
  const Clock& clock_;
  jobs::JobQueue queue_;
  training::ModelRepository models_;
  training::JobRepository jobs_;
  training::TrainingFileStore files_;
  http::Client client_;
  training::DataFetcher fetcher_;
  training::Checkpoints checkpoints_;
  training::Forks forks_;
  training::RunLog run_log_;
  training::ModelService model_service_;
  training::JobService job_service_;
  training::TrainerService trainers_;
  training::LeaseWaiters lease_waiters_;
  std::unique_ptr<OwnTrainer> own_trainer_;
};

}  // namespace spindle::app
