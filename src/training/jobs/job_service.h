#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "identity/types/permissions.h"
#include "training/jobs/job.h"
#include "training/jobs/job_config.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/model_service.h"

namespace spindle::training {

class TrainingFileWriter;
class GroupSummary;

/// Implements the job operations of clients. Returns kNotFound for a job that the caller cannot
/// see, kPermissionDenied for one that the caller may only read. Thread-safe; blocks. Every call
/// may return kUnavailable.
class JobService {
 public:
  struct Parts {
    ModelService& models;
    ModelRepository& checkpoints;
    JobRepository& jobs;
    RunLog& run_log;
    identity::Access& access;
    std::function<void()> wake;  ///< wakes waiting trainers
  };
  explicit JobService(Parts parts) : parts_(std::move(parts)) {}

  /// Creates an RL job. Keeps the groups only if all other input is valid. `data_url`: their
  /// source, if they come from an artifact.
  /// @return kInvalidArgument for an unknown reference step
  Result<Job> createRl(const Caller& caller,
                       const std::string& model_id,
                       const RlConfig& config,
                       const GroupSummary& summary,
                       TrainingFileWriter& groups,
                       const std::string& data_url = {},
                       const JobResources& resources = {});
  /// Creates an SFT job. With `deduplicate`, returns the existing job for the same model and data
  /// URL, unless that job has failed or was cancelled.
  Result<Job> createSft(const Caller& caller,
                        const std::string& model_id,
                        const JobData& data,
                        const SftConfig& config,
                        bool deduplicate = true,
                        const JobResources& resources = {});

  /// Returns a job that the caller may access. @return kNotFound, kPermissionDenied
  Result<Job> require(const Caller& caller, std::string_view id, identity::Action action);

  /// Cancels a job. Leaves a finished job unchanged. @return the current job
  Result<Job> cancel(const Caller& caller, std::string_view id);

 private:
  Parts parts_;
};

/// Returns the artifact file to train on: `trajectories.jsonl`, `train.jsonl`, or the only
/// `*.jsonl` file. Empty if there is none or several.
std::string_view dataFileAmong(const std::vector<std::string>& paths);

}  // namespace spindle::training
