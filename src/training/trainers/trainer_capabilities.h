#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/core/mutex.h"
#include "training/jobs/base_model.h"
#include "training/jobs/job_resources.h"
#include "training/jobs/model.h"

namespace spindle::training {

/// A form of a base model that a trainer can use.
enum class BaseFormat {
  kGguf,         ///< the GGUF file
  kHuggingFace,  ///< the Hugging Face folder
};

/// The abilities of a trainer, as it reports in a lease request. The defaults are those of a
/// trainer that reports nothing.
struct TrainerCapabilities {
  std::vector<JobKind> kinds = {JobKind::kRl, JobKind::kSft};
  std::vector<BaseFormat> formats = {BaseFormat::kGguf};
  std::vector<std::string> families = {};  ///< architectures such as `qwen3`; empty: all
  std::int64_t gpus = 0;
  std::int64_t gpu_memory_gib = 0;  ///< of each GPU
  std::vector<std::string> labels = {};

  bool reads(BaseFormat format) const {
    return std::find(formats.begin(), formats.end(), format) != formats.end();
  }
};

/// A trainer that asks for a job.
struct TrainerRequest {
  std::string worker;
  TrainerCapabilities capabilities = {};
};

/// Reads the families of base models from their files and remembers them. Thread-safe; blocks on
/// disk.
class BaseModelFamilies {
 public:
  /// Returns the `model_type` of the Hugging Face folder, or the architecture of the GGUF file;
  /// empty if neither can be read.
  std::string familyOf(const BaseModel& base);

 private:
  struct Known {
    std::string stamp;  ///< changes with the file
    std::string family;
  };
  Mutex mutex_;
  std::vector<std::pair<std::string, Known>> known_ SPINDLE_GUARDED_BY(mutex_);  ///< by file
};

/// Returns true if a trainer can execute a job. A job whose base model is unknown or has no files
/// suits every trainer of its kind: its lease reports the error.
bool accepts(const TrainerCapabilities& trainer,
             const JobDemand& job,
             const BaseModels& base_models,
             BaseModelFamilies& families);

}  // namespace spindle::training
