#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"
#include "training/jobs/job.h"
#include "training/jobs/model.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::jobs {
class JobQueue;
}

namespace spindle::training {

/// A page of a list.
struct ListRequest {
  std::string after = {};  ///< id of the last item of the previous page; empty for the first page
  std::int64_t limit = 20;
  bool descending = false;
};
template <class T>
struct ListPart {
  std::vector<T> items;
  bool has_more = false;
};
/// Returns the page of items that were read with the limit `limit + 1`.
template <class T>
ListPart<T> listPart(std::vector<T> items, std::int64_t limit) {
  const bool has_more = static_cast<std::int64_t>(items.size()) > limit;
  if (has_more) items.pop_back();
  return {std::move(items), has_more};
}

/// Trajectory groups that a client has logged.
struct LoggedGroups {
  std::string split;
  std::int64_t step = 0;
  std::string blob;
  std::int64_t size = 0;
  std::string metrics = "{}";
};

/// Selects models; unset members match all.
struct ModelFilter {
  std::optional<std::string> team_id = {};
  std::optional<std::string> project_id = {};
  std::optional<std::string> name = {};
};
/// The place of a model in the order of creation.
struct ModelPosition {
  Timestamp created_at;
  std::string id;
};
/// A model with its newest checkpoint and job.
struct ModelSummary {
  Model model;
  std::int64_t checkpoints = 0;  ///< those whose artifact version still exists
  std::optional<Checkpoint> newest = {};
  std::optional<Job> last_job = {};
};

/// SQL access to models and their checkpoints. Thread-safe; calls block on the database. Every call
/// may return kUnavailable, and kNotFound for an unknown model.
class ModelRepository {
 public:
  /// All arguments must outlive this object.
  ModelRepository(storage::Database& database,
                  events::Outbox& outbox,
                  jobs::JobQueue& queue,
                  const Clock& clock)
      : database_(database), outbox_(outbox), queue_(queue), clock_(clock) {}

  /// Inserts a model with its first checkpoint, step 0. @return kConflict if the name is taken
  Result<void> insert(const Model& model, const Checkpoint& identity);

  Result<Model> find(std::string_view id);
  Result<Model> findByName(std::string_view project_id, std::string_view name);

  /// Lists models, newest first, after a position.
  Result<ListPart<ModelSummary>> list(const ModelFilter& filter,
                                      const std::optional<ModelPosition>& after,
                                      std::int64_t limit);
  Result<ModelSummary> summary(std::string_view id);

  /// Returns some of the models with this base model, as `team/project/name`.
  Result<std::vector<std::string>> trainedFrom(std::string_view base_model);

  /// Deletes a model and its checkpoints and cancels its open jobs. The caller deletes artifacts
  /// and run. @return the number of deleted checkpoints
  Result<std::int64_t> remove(std::string_view id);

  /// Lists checkpoints by step; only those whose artifact version still exists.
  /// @return kNotFound if `after` is not a checkpoint of the model
  Result<ListPart<Checkpoint>> checkpoints(std::string_view model_id, const ListRequest& request);
  /// Returns the checkpoint of a step, or the newest; only if its artifact version still exists.
  Result<std::optional<Checkpoint>> checkpoint(std::string_view model_id,
                                               std::optional<std::int64_t> step);
  Result<void> removeCheckpoint(std::string_view id);
  /// Makes a checkpoint that was not trained here the newest. Does nothing if a job of the model is
  /// running or has reached the step.
  Result<void> adopt(std::string_view model_id, const Checkpoint& checkpoint);

  /// Stores logged groups and sets the metrics of the step's checkpoint to `checkpoint_metrics`.
  Result<void> insertLog(std::string_view model_id,
                         const LoggedGroups& logged,
                         std::string_view checkpoint_metrics);

 private:
  storage::Database& database_;
  events::Outbox& outbox_;
  jobs::JobQueue& queue_;
  const Clock& clock_;
};

}  // namespace spindle::training
