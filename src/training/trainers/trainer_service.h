#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "jobs/job_queue.h"
#include "registry/repositories/blob_repository.h"
#include "training/data/artifact_writer.h"
#include "training/data/metrics.h"
#include "training/jobs/base_model.h"
#include "training/jobs/job.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/model.h"
#include "training/trainers/base_folder.h"
#include "training/trainers/trainer_capabilities.h"
#include "training/trainers/trainer_contacts.h"

namespace spindle::identity {
class Access;
}

namespace spindle::training {

class Checkpoints;
class Forks;
class RunLog;
class TrainingFileStore;

/// An adapter that a trainer may download.
struct OfferedAdapter {
  std::int64_t step = 0;
  std::int64_t version_id = 0;
  registry::Place place;
  std::vector<ArtifactFile> files;
};

/// The standard deviation of rewards inside the groups of an earlier step.
struct RewardSpread {
  std::int64_t step = 0;
  double std_dev = 0;
};

/// The base model of a job and its file.
struct OfferedBase : BaseModel {
  std::int64_t size = 0;                      ///< bytes of the file; 0 without a file
  std::int64_t revision = 0;                  ///< changes with the file
  std::optional<FolderListing> listing = {};  ///< only for a trainer that reads the folder
};

/// A leased job with everything that the trainer needs.
struct Offer {
  Job job;
  std::string token;
  std::int64_t step = 0;  ///< step of the result
  OfferedBase base;
  std::optional<OfferedAdapter> adapter;
  std::optional<OfferedAdapter> reference;
  std::vector<RewardSpread> reward_history;  ///< by step
};

/// A trainer's report about its result.
struct TrainingResult {
  Metrics metrics = {};
  bool unchanged = false;  ///< nothing was learned: publish the previous adapter again
};
struct Published {
  std::int64_t step = 0;
  std::string version;  ///< `v4`
};

/// Implements the trainer protocol (docs/trainer_protocol.md). Calls about a job return kConflict
/// `lease_lost` or `job_cancelled` if the trainer has lost the job. A job whose user may no longer
/// change the project fails: before its lease, at a heartbeat, or before its result. Thread-safe;
/// blocks. Every call may return kUnavailable.
class TrainerService {
 public:
  static constexpr std::chrono::seconds kLease{60};
  /// The maximum number of leases without progress. A job beyond it probably crashes its trainers
  /// and fails.
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
    identity::Access& access;
    BaseModels base_models;
    const Clock& clock;
    std::function<void()> wake;  ///< wakes waiting trainers
  };
  explicit TrainerService(Parts parts) : parts_(std::move(parts)) {}

  /// Records a trainer that asks for a job.
  void greet(const std::string& worker, const std::optional<std::string>& device);
  /// Returns the trainers that asked for a job since the start of the server.
  std::vector<TrainerContact> contacts() const { return contacts_.all(); }

  /// Releases all jobs that an earlier process of the same worker has leased.
  Result<void> releaseLeasesOf(const std::string& worker);
  /// Leases the job that has waited longest and that the trainer can execute; empty if there is
  /// none.
  Result<std::optional<Offer>> lease(const TrainerRequest& trainer);
  /// Returns true if a job waits that a trainer with these capabilities could lease.
  Result<bool> hasJobFor(const TrainerCapabilities& capabilities);

  /// Extends the lease. @return true if the job was cancelled, or has failed because of its user
  Result<bool> heartBeat(const JobLease& lease, std::optional<double> seconds_left);
  /// Appends events. @return the last sequence number; kConflict `sequence_gap`
  Result<std::int64_t> appendReportedEvents(const JobLease& lease,
                                            std::int64_t first,
                                            const std::vector<ReportedEvent>& reported);
  Result<void> saveState(const JobLease& lease, const SavedState& state);
  Result<void> saveFile(const JobLease& lease, const UploadedFile& file);
  /// Returns the job. @return kConflict if the trainer has lost the lease
  Result<Job> require(const JobLease& lease);

  /// Publishes a checkpoint from the uploaded files. @return kConflict `missing_files`
  Result<Published> complete(const JobLease& lease, const TrainingResult& result);
  Result<void> fail(const JobLease& lease, const std::string& message);
  /// Returns the job to the queue without counting a try.
  Result<void> release(const JobLease& lease);

  // Open the inputs of a job. @return kNotFound
  Result<registry::BlobContent> openData(const Job& job);
  Result<registry::BlobContent> openState(const Job& job);
  Result<registry::BlobContent> openAdapter(const Job& job, std::string_view name);
  Result<registry::BlobContent> openReference(const Job& job, std::string_view name);
  Result<BaseModel> baseOf(const Job& job);
  /// Returns the path of a file of the base model's Hugging Face folder. @return kNotFound
  Result<std::string> baseFolderFile(const Job& job, std::string_view name);

  /// Returns the time since the last request of a trainer to this server; empty if there was none.
  std::optional<std::chrono::steady_clock::duration> timeSinceContact() const;

 private:
  /// Returns kPermissionDenied if the user may no longer change the project.
  Result<void> requireAccess(const Job& job);
  /// Fails the job if its user may no longer change the project. @return true if it has failed
  Result<bool> failWithoutAccess(const Job& job, const JobLease& lease);
  Result<Offer> offerOf(const Job& job, std::string token, const TrainerCapabilities& capabilities);
  Result<void> addBase(const BaseModel& base,
                       const TrainerCapabilities& capabilities,
                       Offer& offer);
  jobs::JobQueue::Accepts acceptedBy(const TrainerCapabilities& capabilities);
  /// Returns nothing if the job was failed because no trainer can execute it.
  Result<std::optional<Offer>> offerOrEnd(const Job& job,
                                          const std::string& token,
                                          const TrainerCapabilities& capabilities);
  /// Returns the files of the previous adapter, for a job that learned nothing.
  Result<std::vector<ArtifactFile>> previousFiles(const Job& job);
  /// Returns the uploaded adapter files. @return kConflict `missing_files`
  Result<std::vector<ArtifactFile>> uploadedFiles(const std::vector<UploadedFile>& uploaded);
  /// Returns what complete() returned for a job that is completed. @return kNotFound if the
  /// checkpoint was deleted
  Result<Published> published(const Job& job);
  Result<std::optional<OfferedAdapter>> adapterOf(const Job& job, std::optional<std::int64_t> step);
  Result<std::optional<OfferedAdapter>> referenceOf(const Job& job);
  Result<std::vector<RewardSpread>> rewardHistoryOf(const Job& job);
  void recordContact();

  Parts parts_;
  TrainerContacts contacts_;
  BaseModelFamilies families_;
  mutable Mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> last_seen_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::training
