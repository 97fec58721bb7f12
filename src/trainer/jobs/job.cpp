#include "trainer/jobs/job.h"

#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <malloc.h>

#include "trainer/jobs/adapter_folder.h"
#include "trainer/jobs/base_model.h"
#include "trainer/jobs/job_context.h"
#include "trainer/model/failure.h"
#include "weights/adapters/adapter_import.h"

namespace spindle::trainer {
namespace {

/// Marks errors of files and devices as faults of the trainer.
Error markedAsTrainerFault(const Error& error) {
  const bool elsewhere =
      error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kUnavailable;
  if (!elsewhere || !error.reason().empty()) return error;
  return Error(error).because(kTrainerAtFault);
}

/// Returns an error about an input of the job, without the file name, which means nothing to the
/// user.
Error unusable(const std::string& what,
               const Error& error,
               const std::string& file,
               const std::string& what_to_do) {
  std::string why = error.message();
  const std::string name = std::filesystem::path(file).filename().string();
  if (why.starts_with(name + ": ")) why.erase(0, name.size() + 2);
  while (why.ends_with('.')) why.pop_back();
  Error said(error.code(), what + " cannot be used: " + why + ". " + what_to_do);
  return error.reason().empty() ? said : std::move(said).because(error.reason());
}

Error unusableBase(const JobSpec& spec, const Error& error) {
  const std::string& name = spec.base_model.empty() ? spec.base : spec.base_model;
  return unusable("The base model " + name, error, spec.base,
                  "Replace its file, or train another base model.");
}

Error unusableReference(const JobSpec& spec, const Error& error) {
  return unusable("The KL reference adapter", error, spec.reference,
                  "Name another one, or none to use the base model as reference.");
}

}  // namespace

Error withAdvice(const Error& failure, JobSpec::Kind kind) {
  if (failure.reason() != kOutOfMemory) return failure;
  const char* less = kind == JobSpec::Kind::kSft
                         ? "a smaller batch_size, shorter rows"
                         : "a smaller packed_sequence_length, shorter trajectories";
  return Error::unavailable(std::string("The trainer ran out of memory: ") + less +
                            " or a smaller base model need less.")
      .because(kOutOfMemory);
}

/// The base model of the last job.
class JobRunner::LoadedBase {
 public:
  LoadedBase(BaseModel base, std::unique_ptr<Model> model, std::string path)
      : base_(std::move(base)),
        model_(std::move(model)),
        path_(std::move(path)),
        when_(timeOf(path_)) {}

  bool is(const std::string& path) const { return path == path_ && timeOf(path) == when_; }
  Model& model() { return *model_; }
  const ChatCodec& codec() const { return *base_.codec; }

 private:
  static std::filesystem::file_time_type timeOf(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::last_write_time(path, ignored);
  }

  const BaseModel base_;
  const std::unique_ptr<Model> model_;
  const std::string path_;
  const std::filesystem::file_time_type when_;
};

JobRunner::JobRunner(const Compute& compute) : compute_(compute) {}
JobRunner::~JobRunner() = default;

Result<JobResult> JobRunner::run(const JobSpec& spec, JobEvents& events) {
  Result<JobResult> result = Error::unavailable("The job did not run.");
  try {
    result = runOrThrow(spec, events);
  } catch (const std::exception& problem) {
    result = failureOf(problem);
  }
  if (!result) result = markedAsTrainerFault(withAdvice(result.error(), spec.kind));
  if (!result && result.error().code() == ErrorCode::kUnavailable) {
    // The state of the model is unknown, and the next job needs the memory.
    loaded_base_.reset();
    ::malloc_trim(0);
  }
  return result;
}

Result<JobResult> JobRunner::runOrThrow(const JobSpec& spec, JobEvents& events) {
  if (loaded_base_ == nullptr || !loaded_base_->is(spec.base)) {
    loaded_base_.reset();  // first: two models may not fit into memory
    Result<BaseModel> base = openBaseModel(spec.base);
    if (!base) return unusableBase(spec, base.error());
    Result<std::unique_ptr<Model>> model = Model::load(*base->weights, compute_);
    if (!model && model.error().code() == ErrorCode::kInvalidArgument)
      return unusableBase(spec, model.error());
    if (!model) return std::move(model).error();
    loaded_base_ = std::make_unique<LoadedBase>(*std::move(base), *std::move(model), spec.base);
  }
  return runLoaded(spec, events);
}

Result<JobResult> JobRunner::runLoaded(const JobSpec& spec, JobEvents& events) {
  const bool sft = spec.kind == JobSpec::Kind::kSft;
  const UnknownFields others = spec.is_manual ? UnknownFields::kRefused : UnknownFields::kIgnored;
  const SftOptions sft_options = TRY(sftOptionsOf(sft ? spec.config : "{}", others));
  const RlOptions rl_options = TRY(rlOptionsOf(sft ? "{}" : spec.config, others));
  const LearnerOptions& learner = sft ? sft_options.learner : rl_options.learner;

  Model& model = loaded_base_->model();
  Result<Adapter> adapter = Adapter();
  if (spec.adapter.empty()) {
    adapter = createAdapter(model.shape(), {.rank = static_cast<std::uint64_t>(learner.lora_rank),
                                            .alpha = learner.lora_alpha,
                                            .seed = static_cast<std::uint64_t>(learner.seed)});
  } else {
    adapter = readAdapterFolder(spec.adapter);
  }
  if (!adapter) return std::move(adapter).error();
  if (!spec.base_model.empty()) adapter->base_model = spec.base_model;
  TRY(model.setAdapter(*adapter));
  if (!spec.reference.empty()) {
    const Result<Adapter> reference = readAdapterFolder(spec.reference);
    if (!reference) return unusableReference(spec, reference.error());
    if (Result<void> set = model.setReference(*reference); !set)
      return unusableReference(spec, set.error());
  }

  const JobContext context{spec, events, model, loaded_base_->codec()};
  Result<JobResult> result = sft ? runSft(context, sft_options) : runRl(context, rl_options);
  if (!result || result->unchanged) return result;
  TRY(writeResult(spec));
  return result;
}

Result<void> JobRunner::writeResult(const JobSpec& spec) const {
  TRY(writeAdapterFolder(loaded_base_->model().adapter(), spec.out));
  std::error_code ignored;
  if (std::filesystem::is_directory(spec.base, ignored)) return {};
  TRY(weights::importAdapter(
      {.folder = spec.out, .base_file = spec.base, .file = spec.out + "/adapter.gguf"}));
  return {};
}

}  // namespace spindle::trainer
