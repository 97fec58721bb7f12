#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/types/permissions.h"
#include "training/jobs/base_model.h"
#include "training/jobs/model.h"
#include "training/jobs/model_repository.h"

namespace spindle::identity {
class Access;
class TeamRepository;
}  // namespace spindle::identity
namespace spindle::registry {
class CollectionRepository;
}

namespace spindle::training {

class Checkpoints;
class GroupSummary;
class RunLog;
struct StoredFile;

/// The user who makes a request.
struct Caller {
  std::string user_id;
  std::string username;
};

struct NewTrainedModel {
  std::optional<std::string> entity;  ///< absent: the caller's default team
  std::string project;
  std::string name;  ///< must be a valid collection name
  std::string base_model;
  bool return_existing = false;
};

struct ModelRemoved {
  std::string model_id;
  std::int64_t deleted_checkpoints = 0;
  bool deleted_run = false;
};

struct CheckpointsRemoved {
  std::int64_t deleted_count = 0;
  std::vector<std::int64_t> not_found_steps;
};

/// Implements the model operations of clients. Returns kNotFound for a model that the caller cannot
/// see, kPermissionDenied for one that the caller may only read. Thread-safe; blocks. Every call
/// may return kUnavailable.
class ModelService {
 public:
  struct Parts {
    ModelRepository& models;
    Checkpoints& checkpoints;
    registry::CollectionRepository& collections;
    RunLog& run_log;
    identity::Access& access;
    identity::TeamRepository& teams;
    BaseModels base_models;
    const Clock& clock;
  };
  explicit ModelService(Parts parts) : parts_(std::move(parts)) {}

  /// Creates a model and publishes step 0, an adapter that changes nothing.
  /// @return kConflict if the name is taken; kInvalidArgument if the base model cannot be trained
  ///     here
  Result<Model> create(const Caller& caller, const NewTrainedModel& new_model);

  /// Returns a model that the caller may access. @return kNotFound, kPermissionDenied
  Result<Model> require(const Caller& caller, std::string_view id, identity::Action action);

  /// Deletes a model with its checkpoints, their artifacts and its run; cancels open jobs.
  Result<ModelRemoved> remove(const Caller& caller, std::string_view id);
  Result<CheckpointsRemoved> removeCheckpoints(const Caller& caller,
                                               std::string_view id,
                                               const std::vector<std::int64_t>& steps);

  /// Stores groups that a client logs for a split at the model's current step, and their metrics.
  Result<void> log(const Caller& caller,
                   std::string_view id,
                   const std::string& split,
                   const GroupSummary& summary,
                   const StoredFile& groups);

 private:
  Result<Model> makeModel(const registry::Place& place,
                          const Caller& caller,
                          const NewTrainedModel& new_model);

  Parts parts_;
};

}  // namespace spindle::training
