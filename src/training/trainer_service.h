#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "registry/blob_repository.h"
#include "training/artifact_writer.h"
#include "training/job.h"
#include "training/job_repository.h"
#include "training/metrics_json.h"
#include "training/model.h"

namespace spindle::jobs {
class JobQueue;
}

namespace spindle::training {

class Checkpoints;
class Forks;
class RunLog;
class TrainingFileStore;

/// An adapter that a trainer may fetch.
struct OfferedAdapter {
  std::int64_t step = 0;
  std::int64_t version_id = 0;
  registry::Place place;
  std::vector<ArtifactFile> files;
};

/// How far rewards were apart in the groups of an earlier step.
struct RewardSpread {
  std::int64_t step = 0;
  double std_dev = 0;
};

/// A job in the hands of a trainer, with all that it needs to know.
struct Offer {
  Job job;
  std::string token;
  std::int64_t step = 0;  ///< that the result will be
  BaseModel base;
  std::int64_t base_size = 0;
  std::int64_t base_revision = 0;  ///< changes with the file
  std::optional<OfferedAdapter> adapter;
  std::optional<OfferedAdapter> reference;
  std::vector<RewardSpread> reward_history;  ///< by step
};

/// What a trainer says about its result.
struct TrainingResult {
  Metrics metrics = {};
  bool unchanged = false;  ///< there was nothing to learn: the adapter stays as it is
};
struct Published {
  std::int64_t step = 0;
  std::string version;  ///< `v4`
};

/// What trainers do (docs/trainer_protocol.md). Calls about a job return kConflict `lease_lost` or
/// `job_cancelled` when it is no longer theirs. Thread-safe; blocks, and every call may return
/// kUnavailable.
class TrainerService {
 public:
  static constexpr std::chrono::seconds kLease{60};
  /// A job that was leased so often without getting further would take down every trainer.
  static constexpr std::int64_t kMostTries = 3;

  struct Parts {
    ModelRepository& models;
    JobRepository& jobs;
    jobs::JobQueue& queue;
    Checkpoints& checkpoints;
    Forks& forks;
    TrainingFileStore& files;
    registry::BlobRepository& blobs;
    RunLog& run_log;
    BaseModels base_models;
    const Clock& clock;
    std::function<void()> wake;  ///< tells trainers that wait
  };
  explicit TrainerService(Parts parts) : parts_(std::move(parts)) {}

  /// Gives back what an earlier life of the worker held.
  Result<void> greet(const std::string& worker);
  /// The job that has waited longest, if there is one.
  Result<std::optional<Offer>> lease(const std::string& worker);

  /// Keeps the lease. @return whether the job was cancelled.
  Result<bool> heartBeat(const JobHold& hold, std::optional<double> seconds_left);
  /// @return the last number; kConflict `sequence_gap`.
  Result<std::int64_t> takeEvents(const JobHold& hold,
                                  std::int64_t first,
                                  const std::vector<ToldEvent>& told);
  Result<void> keepState(const JobHold& hold, const SavedState& state);
  Result<void> keepFile(const JobHold& hold, const BroughtFile& file);
  /// kConflict unless the job is in those hands.
  Result<Job> require(const JobHold& hold);

  /// Makes a checkpoint of what was brought. @return kConflict `missing_files`.
  Result<Published> complete(const JobHold& hold, const TrainingResult& result);
  Result<void> fail(const JobHold& hold, const std::string& message);
  /// Hands it back unharmed.
  Result<void> release(const JobHold& hold);

  // What a job needs. @return kNotFound.
  Result<registry::BlobContent> openData(const Job& job);
  Result<registry::BlobContent> openState(const Job& job);
  Result<registry::BlobContent> openAdapter(const Job& job, std::string_view name);
  Result<registry::BlobContent> openReference(const Job& job, std::string_view name);
  Result<BaseModel> baseOf(const Job& job);

  /// Returns how long ago this server last heard of a trainer; nothing when it never did.
  std::optional<std::chrono::steady_clock::duration> silence() const;

 private:
  Result<Offer> offerOf(const Job& job, std::string token);
  /// Nothing where the job has ended instead, because no trainer can do it.
  Result<std::optional<Offer>> offerOrEnd(const Job& job, const std::string& token);
  /// What a job that has learned nothing publishes again.
  Result<std::vector<ArtifactFile>> filesBefore(const Job& job);
  /// @return kConflict `missing_files`.
  Result<std::vector<ArtifactFile>> filesBrought(const std::vector<BroughtFile>& brought);
  Result<std::optional<OfferedAdapter>> adapterOf(const Job& job, std::optional<std::int64_t> step);
  Result<std::optional<OfferedAdapter>> referenceOf(const Job& job);
  Result<std::vector<RewardSpread>> rewardHistoryOf(const Job& job);
  void noteSeen();

  Parts parts_;
  mutable Mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> last_seen_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::training
