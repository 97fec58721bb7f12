#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "trainer/model/model.h"

namespace spindle::trainer {

struct ModelFolderOptions {
  std::int64_t begin_token = -1;  ///< -1: none
  std::int64_t end_token = -1;
};

/// Writes `config.json` and `model.safetensors` (float32) of a Hugging Face folder. Does not write
/// tokenizer files. @return kUnavailable
Result<void> writeModelFolder(const Model& model,
                              const std::string& folder,
                              const ModelFolderOptions& options);

}  // namespace spindle::trainer
