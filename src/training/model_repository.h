#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "training/job.h"
#include "training/model.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::jobs {
class JobQueue;
}
namespace spindle::storage {
class Database;
}

namespace spindle::training {

/// Which part of a list is wanted.
struct ListRequest {
  std::string after = {};  ///< the id of the last item that was seen; empty for the first page
  std::int64_t limit = 20;
  bool descending = false;
};
template <class T>
struct ListPart {
  std::vector<T> items;
  bool has_more = false;
};

/// Trajectories that a client has logged.
struct LoggedGroups {
  std::string split;
  std::int64_t step = 0;
  std::string blob;
  std::int64_t size = 0;
  std::string metrics = "{}";
};

/// Models and their checkpoints. Thread-safe; calls block on the database, and every one may return
/// kUnavailable. A model that is not there is kNotFound.
class ModelRepository {
 public:
  /// Everything given must outlive this.
  ModelRepository(storage::Database& database,
                  events::Outbox& outbox,
                  jobs::JobQueue& queue,
                  const Clock& clock)
      : database_(database), outbox_(outbox), queue_(queue), clock_(clock) {}

  /// With its first checkpoint, step 0. @return kConflict when the name is taken.
  Result<void> insert(const Model& model, const Checkpoint& identity);

  Result<Model> find(std::string_view id);
  Result<Model> findByName(std::string_view project_id, std::string_view name);

  /// Some of the models with this base, as `team/project/name`.
  Result<std::vector<std::string>> trainedFrom(std::string_view base_model);

  /// Its open jobs are cancelled and its checkpoints go with it. What they own elsewhere is the
  /// caller's business. @return how many checkpoints there were.
  Result<std::int64_t> remove(std::string_view id);

  /// By step, of those whose artifact is still there. @return kNotFound for an `after` that is not
  /// one of them.
  Result<ListPart<Checkpoint>> checkpoints(std::string_view model_id, const ListRequest& request);
  /// The one of a step, or the newest; of those whose artifact is still there.
  Result<std::optional<Checkpoint>> checkpoint(std::string_view model_id,
                                               std::optional<std::int64_t> step);
  Result<void> removeCheckpoint(std::string_view id);
  /// Makes one that was not trained here the newest, unless a job of the model is running or has
  /// got as far meanwhile.
  Result<void> adopt(std::string_view model_id, const Checkpoint& checkpoint);

  /// Keeps what was logged; the metrics of its step's checkpoint become `checkpoint_metrics`.
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
