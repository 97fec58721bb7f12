#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/server/own_trainer.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/inference_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/registry_stack.h"
#include "app/wiring/run_stack.h"
#include "app/wiring/tracing_stack.h"
#include "http/client/client.h"
#include "jobs/job_queue.h"
#include "training/api/training_api.h"
#include "training/api/trajectory_export_api.h"
#include "training/data/training_file_store.h"
#include "training/jobs/checkpoints.h"
#include "training/jobs/data_fetcher.h"
#include "training/jobs/forks.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/job_service.h"
#include "training/jobs/model_repository.h"
#include "training/jobs/model_service.h"
#include "training/jobs/run_log.h"
#include "training/trainers/lease_waiters.h"
#include "training/trainers/trainer_service.h"

namespace spindle::app {

class LocalUse;

/// Trained models and training jobs. Members are constructed in this order and destroyed in
/// reverse; the stacks passed to the constructor must outlive this object.
class TrainingStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  TrainingStack(const StackContext& context,
                IdentityStack& identity,
                ObjectStack& objects,
                RegistryStack& registry,
                RunStack& runs,
                InferenceStack& inference,
                const LocalUse& local_use);

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
