#pragma once

#include <cstdint>
#include <string>

#include "training/model.h"

namespace spindle::training {

/// The metadata of a checkpoint's version: what it is for, and whether it changes anything.
std::string checkpointMetadata(const Model& model, std::int64_t step, bool identity);

/// The file `checkpoint.json` in it. It also keeps apart two checkpoints with the same weights.
std::string checkpointNote(const Model& model, std::int64_t step, const std::string& job_id);

/// The configuration of a model's run.
std::string runConfig(const Model& model);

}  // namespace spindle::training
