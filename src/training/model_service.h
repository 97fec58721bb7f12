#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/permissions.h"
#include "training/model.h"
#include "training/model_repository.h"

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
struct KeptFile;

/// Who asks.
struct Caller {
  std::string user_id;
  std::string username;
};

struct ModelWish {
  std::optional<std::string> entity;  ///< absent: the caller's own team
  std::string project;
  std::string name;  ///< one that a collection of artifacts may have
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

/// What is done to models, for callers who may. What a caller cannot see is kNotFound, what it sees
/// but may not do kPermissionDenied. Thread-safe; blocks, and every call may return kUnavailable.
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

  /// Publishes the adapter that changes nothing, as step 0.
  /// @return kConflict for a name that is taken; kInvalidArgument for a base model that cannot be
  /// trained here.
  Result<Model> create(const Caller& caller, const ModelWish& wish);

  /// @return kNotFound, kPermissionDenied.
  Result<Model> require(const Caller& caller, std::string_view id, identity::Action action);

  /// With its checkpoints, their artifacts and its run; open jobs are cancelled.
  Result<ModelRemoved> remove(const Caller& caller, std::string_view id);
  Result<CheckpointsRemoved> removeCheckpoints(const Caller& caller,
                                               std::string_view id,
                                               const std::vector<std::int64_t>& steps);

  /// Keeps what a client logs of a split at the model's step, and its numbers.
  Result<void> log(const Caller& caller,
                   std::string_view id,
                   const std::string& split,
                   const GroupSummary& summary,
                   const KeptFile& groups);

 private:
  Result<Model> makeModel(const registry::Place& place,
                          const Caller& caller,
                          const ModelWish& wish);

  Parts parts_;
};

}  // namespace spindle::training
