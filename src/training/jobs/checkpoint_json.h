#pragma once

#include <cstdint>
#include <string>

#include "training/jobs/model.h"

namespace spindle::training {

/// Returns the metadata of a checkpoint's artifact version. `identity`: the adapter changes
/// nothing.
std::string checkpointMetadata(const Model& model, std::int64_t step, bool identity);

/// Returns the content of the file `checkpoint.json`. It also makes two checkpoints with equal
/// weights different versions.
std::string checkpointNote(const Model& model, std::int64_t step, const std::string& job_id);

/// Returns the configuration of a model's run.
std::string runConfig(const Model& model);

}  // namespace spindle::training
