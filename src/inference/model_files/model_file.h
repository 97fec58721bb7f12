#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "weights/formats/gguf_file.h"

namespace spindle::inference {

/// The size of an engine's KV cache.
struct EngineMemory {
  std::size_t slots = 4;
  std::int64_t context = 0;  ///< tokens per slot; limited by the context length of the model
};

/// The result of inspecting a model file.
struct ModelFileInfo {
  std::string stamp;       ///< changes when the file changes
  std::uint64_t need = 0;  ///< memory that the model needs, in bytes
};

/// Opens a model file. @return kInvalidArgument, without the path, for a file that cannot be read
/// or is no model.
Result<weights::GgufFile> openModelFile(const std::string& path);

/// Estimates the memory that a model needs, its weights and KV cache, without loading the file.
/// Blocks on disk. @return kInvalidArgument, without the path, for a file that does not exist or is
/// no model.
Result<ModelFileInfo> inspectModelFile(const std::string& path, const EngineMemory& memory);

}  // namespace spindle::inference
