#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "inference/engine_fleet.h"

namespace spindle::inference {

/// What an engine is to remember at a time.
struct EngineMemory {
  std::size_t slots = 4;
  std::int64_t context = 0;  ///< tokens of each; less when the model is made for less
};

/// Looks at a model's file without loading it: the size of its weights, and of what it remembers of
/// texts. Blocks on disk. @return kInvalidArgument for a file that is not there or not a model,
/// without its path.
Result<ModelFileFacts> inspectModelFile(const std::string& path, const EngineMemory& memory);

}  // namespace spindle::inference
