#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "inference/engines/engine_fleet.h"

namespace spindle::inference {

/// The size of an engine's KV cache.
struct EngineMemory {
  std::size_t slots = 4;
  std::int64_t context = 0;  ///< tokens per slot; limited by the context length of the model
};

/// Estimates the memory that a model needs, its weights and KV cache, without loading the file.
/// Blocks on disk. @return kInvalidArgument, without the path, for a file that does not exist or is
/// no model.
Result<ModelFileInfo> inspectModelFile(const std::string& path, const EngineMemory& memory);

}  // namespace spindle::inference
