#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/model/model.h"
#include "trainer/model/schedule.h"

namespace spindle::trainer {

/// A training job with all its inputs in files.
struct JobSpec {
  enum class Kind { kSft, kRl };

  Kind kind = Kind::kSft;
  std::string base;             ///< a GGUF file or a Hugging Face folder
  std::string base_model = {};  ///< base model name for adapter_config.json of the new adapter
  std::string adapter = {};     ///< PEFT folder to continue from; empty: a new adapter
  std::string reference = {};   ///< KL reference adapter; empty: the base model
  std::string data;             ///< JSON lines: rows with messages, or trajectory groups
  std::string config = "{}";    ///< see docs/trainer_protocol.md; missing fields have defaults
  std::string out;              ///< folder for the new adapter, PEFT and GGUF
  /// State file: the job resumes from it if it exists, and updates it regularly. Empty: none.
  std::string state = {};
  double seconds_between_states = 20;
  /// Standard deviations of rewards in earlier steps, for scale_learning_rate_by_reward_std_dev.
  std::vector<RewardSpread> reward_history = {};
  /// True if a person wrote the files: unknown fields of `config` are errors, and error messages
  /// count lines instead of groups.
  bool is_manual = false;
};

using Metrics = std::map<std::string, double>;

/// Receives the events of a job, on the job's thread. Numbers are finite.
class JobEvents {
 public:
  virtual ~JobEvents() = default;
  /// Called once, before all other events; again when a job resumes. `note`: why there are no
  /// steps, for the user; empty if there are steps.
  virtual void onStart(std::uint64_t steps, const std::string& note) = 0;
  /// Step `step` is done, counted from 1. After a resume, steps since the saved state come again.
  virtual void onStep(std::uint64_t step, const Metrics& metrics) = 0;
  /// The file JobSpec::state is complete and includes all steps up to `step`.
  virtual void onState(std::uint64_t step) = 0;
  /// The next action of the job, requested between steps.
  enum class Action {
    kContinue,
    kPause,  ///< save the state and stop; the job resumes later
    kStop,   ///< stop; the result is no longer needed
  };
  virtual Action action() = 0;
};

struct JobResult {
  /// Nothing was learned: no files were written, and the old adapter stays valid.
  bool unchanged = false;
  Metrics metrics = {};  ///< of the whole job
};

/// Adds advice for this kind of job to a failure (failure.h).
Error withAdvice(const Error& failure, JobSpec::Kind kind);

/// Runs jobs one after the other, on one thread. Keeps the last base model in memory.
class JobRunner {
 public:
  explicit JobRunner(const Compute& compute);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Runs a job.
  /// @return kInvalidArgument with a message for the user: what happened and what to do; kConflict
  ///     if the job was stopped or paused; kNotFound or kUnavailable because of kTrainerAtFault for
  ///     files and devices; kUnavailable for memory and computations (failure.h)
  Result<JobResult> run(const JobSpec& spec, JobEvents& events);

 private:
  class LoadedBase;

  Result<JobResult> runOrThrow(const JobSpec& spec, JobEvents& events);
  Result<JobResult> runLoaded(const JobSpec& spec, JobEvents& events);
  Result<void> writeResult(const JobSpec& spec) const;

  const Compute compute_;
  std::unique_ptr<LoadedBase> loaded_base_;
};

}  // namespace spindle::trainer
