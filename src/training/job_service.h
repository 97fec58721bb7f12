#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "identity/permissions.h"
#include "training/job.h"
#include "training/job_config.h"
#include "training/job_repository.h"
#include "training/model_service.h"

namespace spindle::training {

class FileIntake;
class GroupSummary;

/// What clients do with jobs. What a caller cannot see is kNotFound, what it sees but may not do
/// kPermissionDenied. Thread-safe; blocks, and every call may return kUnavailable.
class JobService {
 public:
  struct Parts {
    ModelService& models;
    ModelRepository& checkpoints;
    JobRepository& jobs;
    RunLog& run_log;
    identity::Access& access;
    std::function<void()> wake;  ///< tells trainers that wait
  };
  explicit JobService(Parts parts) : parts_(std::move(parts)) {}

  /// The groups are kept when everything else is in order. @return kInvalidArgument for a reference
  /// step that is not there.
  Result<Job> createRl(const Caller& caller,
                       const std::string& model_id,
                       const RlConfig& config,
                       const GroupSummary& summary,
                       FileIntake& groups);
  /// The same model and data URL again is the same job, unless that failed or was cancelled.
  Result<Job> createSft(const Caller& caller,
                        const std::string& model_id,
                        const JobData& data,
                        const SftConfig& config);

  /// @return kNotFound, kPermissionDenied.
  Result<Job> require(const Caller& caller, std::string_view id, identity::Action action);

  /// A job that has ended stays as it is. @return the job as it is now.
  Result<Job> cancel(const Caller& caller, std::string_view id);

 private:
  Parts parts_;
};

/// Which file of an artifact holds the lines to train on: `trajectories.jsonl`, `train.jsonl`, or
/// the only one of that kind. Empty when there is none, or several.
std::string_view dataFileAmong(const std::vector<std::string>& paths);

}  // namespace spindle::training
