#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "trainer/jobs/chat_codec.h"
#include "trainer/jobs/job.h"
#include "trainer/jobs/job_options.h"
#include "trainer/model/model.h"

namespace spindle::trainer {

/// The inputs of a running job. Lives as long as the job.
struct JobContext {
  const JobSpec& spec;
  JobEvents& events;
  Model& model;  ///< has the initial adapter of the job
  const ChatCodec& codec;
};

/// Run a job. @return see JobRunner::run()
Result<JobResult> runSft(const JobContext& context, const SftOptions& options);
Result<JobResult> runRl(const JobContext& context, const RlOptions& options);

/// Tracks the progress of a job: resumes from a saved state, reports steps, and saves the state
/// regularly.
class JobProgress {
 public:
  JobProgress(const JobContext& context, const LearnerOptions& learner);

  /// Starts or resumes. `note`: the reason if `total` is 0.
  /// @return the number of steps already done; kInvalidArgument if the state belongs to another job
  Result<std::uint64_t> begin(std::uint64_t total, const std::string& note);
  /// Runs one optimizer step and reports it. Adds loss, learning rate, gradient norm and speed to
  /// `metrics`.
  /// @return kInvalidArgument if `loss` or the gradient is not finite; kConflict if the job shall
  ///     stop
  Result<void> step(double loss, double learning_rate, std::uint64_t tokens, Metrics metrics);

 private:
  Result<void> save();

  using Clock = std::chrono::steady_clock;

  const JobContext& context_;
  const LearnerOptions& learner_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  Clock::time_point last_step_;
  Clock::time_point last_save_;
};

}  // namespace spindle::trainer
