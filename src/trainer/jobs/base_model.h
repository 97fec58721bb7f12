#pragma once

#include <memory>
#include <string>

#include "base/core/result.h"
#include "trainer/jobs/chat_codec.h"
#include "trainer/model/model.h"

namespace spindle::trainer {

/// The base model of a job: a GGUF file with any tensor type of llama.cpp, or a Hugging Face
/// folder.
struct BaseModel {
  std::unique_ptr<WeightSource> weights;
  std::unique_ptr<ChatCodec> codec;
};

/// Opens a base model.
/// @return kNotFound; kUnavailable; kInvalidArgument if the model cannot be trained
Result<BaseModel> openBaseModel(const std::string& path);

}  // namespace spindle::trainer
