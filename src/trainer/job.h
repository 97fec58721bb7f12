#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/model.h"
#include "trainer/schedule.h"

namespace spindle::trainer {

/// One job, with everything it needs in files.
struct JobSpec {
  enum class Kind { kSft, kRl };

  Kind kind = Kind::kSft;
  std::string base;             ///< a GGUF file or a Hugging Face folder
  std::string base_model = {};  ///< what it is called, for the new adapter's adapter_config.json
  std::string adapter = {};     ///< a PEFT folder to go on with; empty: a new one
  std::string reference = {};   ///< the one that KL compares with; empty: the base alone
  std::string data;             ///< JSON lines: rows with messages, or trajectory groups
  std::string config = "{}";    ///< as docs/trainer_protocol.md has it; what is left out is default
  std::string out;              ///< a folder to write the new adapter to, PEFT and GGUF
  /// A file with what a job needs to go on: read when it is there, written now and then. Empty:
  /// none.
  std::string state = {};
  double seconds_between_states = 20;
  /// The spread of rewards in earlier steps, for scale_learning_rate_by_reward_std_dev.
  std::vector<RewardSpread> reward_history = {};
  /// Somebody wrote the files and gave their names: what `config` has and nobody knows is a
  /// mistake, and groups are lines.
  bool by_hand = false;
};

using Metrics = std::map<std::string, double>;

/// Hears what a job does, on its thread. Numbers are finite.
class JobEvents {
 public:
  virtual ~JobEvents() = default;
  /// Once, before anything else; again when a job goes on from a state. `note`: why there are no
  /// steps, for the user; empty when there are.
  virtual void onStart(std::uint64_t steps, const std::string& note) = 0;
  /// Step `step` of them is done, the first is 1. After a restart from a state steps come again.
  virtual void onStep(std::uint64_t step, const Metrics& metrics) = 0;
  /// The file JobSpec::state is whole, and knows all steps up to this one.
  virtual void onState(std::uint64_t step) = 0;
  /// What is to become of the job. Asked between steps.
  enum class Wish {
    kGoOn,
    kPause,  ///< it is to go on later: its state is saved
    kStop,   ///< nobody wants it any more
  };
  virtual Wish wish() = 0;
};

struct JobResult {
  /// Nothing could be learned from the data: there are no files, and the old adapter holds.
  bool unchanged = false;
  Metrics metrics = {};  ///< of the whole job
};

/// A failure (failure.h) with what to do about it, in words of this kind of job.
Error explained(const Error& failure, JobSpec::Kind kind);

/// Runs jobs one after the other, on one thread. Keeps the last base model in memory.
class JobRunner {
 public:
  explicit JobRunner(const Compute& compute);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// @return kInvalidArgument with a message for the user: what happened and what to do;
  ///     kConflict when it was stopped or paused; kNotFound and kUnavailable because of
  ///     kTrainerAtFault for files and devices; kUnavailable for memory and computations
  ///     (failure.h)
  Result<JobResult> run(const JobSpec& spec, JobEvents& events);

 private:
  class Warm;

  Result<JobResult> runOrThrow(const JobSpec& spec, JobEvents& events);
  Result<JobResult> runWarm(const JobSpec& spec, JobEvents& events);
  Result<void> writeResult(const JobSpec& spec) const;

  const Compute compute_;
  std::unique_ptr<Warm> warm_;
};

}  // namespace spindle::trainer
