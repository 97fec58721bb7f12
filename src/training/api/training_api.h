#pragma once

#include <functional>
#include <string>

#include "base/core/result.h"
#include "base/core/time.h"
#include "http/router/forward.h"
#include "http/router/route.h"
#include "registry/routes/registry_api.h"
#include "training/jobs/model_service.h"

namespace spindle::identity {
class Access;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::training {

class DataFetcher;
class Forks;
class JobRepository;
class JobService;
class LeaseWaiters;
class ModelRepository;
class TrainerService;
class TrainingFileStore;

/// The dependencies of the routes. All must outlive the router and its streams.
struct TrainingServices {
  ModelService& models;
  ModelRepository& checkpoints;
  Forks& forks;
  JobService& jobs;
  JobRepository& job_rows;
  TrainerService& trainers;
  LeaseWaiters& lease_waiters;
  TrainingFileStore& files;
  const DataFetcher& fetcher;
  registry::RegistryServices registry;
  identity::Access& access;
  identity::UserRepository& users;
  std::function<Result<void>()> check_database;  ///< kUnavailable if the database cannot be used
  const Clock& clock;
  /// User id that counts as a trainer without further checks, for routes that only the local
  /// trainer can reach. Empty: none.
  std::string own_trainer = {};
};

inline constexpr std::size_t kLargestGroups = 256UL * 1024 * 1024;  ///< maximum body size

Caller callerOf(const http::Context& context);

using TrainingRoutes = http::RouteGroup<TrainingServices>;

/// Adds /v1/preview/models, /v1/preview/training-jobs, /v1/preview/sft-training-jobs, /v1/health
/// and /v1/system-check.
void addTrainingRoutes(TrainingRoutes routes);
/// Adds /api/v1/training-jobs, /api/v1/trained-models, /api/v1/trainers and /api/v1/trainer.
void addTrainingManagementRoutes(TrainingRoutes routes);

// The groups of routes, one file each:
void addModelRoutes(const TrainingRoutes& routes);
void addJobRoutes(const TrainingRoutes& routes);
void addSystemCheckRoutes(const TrainingRoutes& routes);
void addJobListRoutes(const TrainingRoutes& routes);
void addJobStartRoutes(const TrainingRoutes& routes);
void addModelListRoutes(const TrainingRoutes& routes);
void addTrainerListRoutes(const TrainingRoutes& routes);
void addTrainerRoutes(const TrainingRoutes& management);
void addTrainerContentRoutes(TrainingRoutes routes);

}  // namespace spindle::training
