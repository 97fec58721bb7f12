#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "trainer/chat_codec.h"
#include "trainer/job.h"
#include "trainer/job_options.h"
#include "trainer/model.h"

namespace spindle::trainer {

/// What a job works with. Lives as long as the job.
struct JobContext {
  const JobSpec& spec;
  JobEvents& events;
  Model& model;  ///< with the adapter the job begins with
  const ChatCodec& codec;
};

/// @return see JobRunner::run()
Result<JobResult> runSft(const JobContext& context, const SftOptions& options);
Result<JobResult> runRl(const JobContext& context, const RlOptions& options);

/// Where a job stands: goes on from a saved state, reports steps, saves now and then.
class JobProgress {
 public:
  JobProgress(const JobContext& context, const LearnerOptions& learner);

  /// `note`: why `total` is 0. @return how many of `total` steps are done already;
  ///     kInvalidArgument for a state of another job
  Result<std::uint64_t> begin(std::uint64_t total, const std::string& note);
  /// One step of the optimiser, with what the step has to tell so far: what it learned from how
  /// many tokens is added. @return kInvalidArgument when `loss` or the gradient is no number;
  ///     kConflict when the job is not to go on
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
