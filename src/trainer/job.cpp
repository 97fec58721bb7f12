#include "trainer/job.h"

#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <malloc.h>

#include "trainer/adapter_folder.h"
#include "trainer/base_model.h"
#include "trainer/failure.h"
#include "trainer/job_context.h"
#include "weights/adapter_import.h"

namespace spindle::trainer {

/// The base that was used last.
class JobRunner::Warm {
 public:
  Warm(BaseModel base, std::unique_ptr<Model> model, std::string path)
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
  if (!result && result.error().code() == ErrorCode::kUnavailable) {
    // Nobody knows what state the model is in; and memory that ran out is for the next job.
    warm_.reset();
    ::malloc_trim(0);
  }
  return result;
}

Result<JobResult> JobRunner::runOrThrow(const JobSpec& spec, JobEvents& events) {
  if (warm_ == nullptr || !warm_->is(spec.base)) {
    warm_.reset();  // first: two may not fit into memory
    Result<BaseModel> base = openBaseModel(spec.base);
    if (!base) return std::move(base).error();
    Result<std::unique_ptr<Model>> model = Model::load(*base->weights, compute_);
    if (!model) return std::move(model).error();
    warm_ = std::make_unique<Warm>(*std::move(base), *std::move(model), spec.base);
  }
  return runWarm(spec, events);
}

Result<JobResult> JobRunner::runWarm(const JobSpec& spec, JobEvents& events) {
  const bool sft = spec.kind == JobSpec::Kind::kSft;
  const Result<SftOptions> sft_options = sftOptionsOf(sft ? spec.config : "{}");
  if (!sft_options) return sft_options.error();
  const Result<RlOptions> rl_options = rlOptionsOf(sft ? "{}" : spec.config);
  if (!rl_options) return rl_options.error();
  const LearnerOptions& learner = sft ? sft_options->learner : rl_options->learner;

  Model& model = warm_->model();
  Result<Adapter> adapter = Adapter();
  if (spec.adapter.empty()) {
    adapter = freshAdapter(
        model.shape(),
        {.rank = learner.lora_rank, .alpha = learner.lora_alpha, .seed = learner.seed});
  } else {
    adapter = readAdapterFolder(spec.adapter);
  }
  if (!adapter) return std::move(adapter).error();
  if (!spec.base_model.empty()) adapter->base_model = spec.base_model;
  if (Result<void> set = model.setAdapter(*adapter); !set) return std::move(set).error();
  if (!spec.reference.empty()) {
    const Result<Adapter> reference = readAdapterFolder(spec.reference);
    if (!reference) return reference.error();
    if (Result<void> set = model.setReference(*reference); !set) return std::move(set).error();
  }

  const JobContext context{spec, events, model, warm_->codec()};
  Result<JobResult> result = sft ? runSft(context, *sft_options) : runRl(context, *rl_options);
  if (!result || result->unchanged) return result;
  if (Result<void> written = writeResult(spec); !written) return std::move(written).error();
  return result;
}

Result<void> JobRunner::writeResult(const JobSpec& spec) const {
  if (Result<void> written = writeAdapterFolder(warm_->model().adapter(), spec.out); !written)
    return written;
  std::error_code ignored;
  if (std::filesystem::is_directory(spec.base, ignored)) return {};
  const Result<weights::AdapterImported> imported = weights::importAdapter(
      {.folder = spec.out, .base_file = spec.base, .file = spec.out + "/adapter.gguf"});
  if (!imported) return imported.error();
  return {};
}

}  // namespace spindle::trainer
