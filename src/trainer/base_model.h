#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "trainer/chat_codec.h"
#include "trainer/model.h"

namespace spindle::trainer {

/// What jobs train on: a GGUF file with numbers of any type that llama.cpp knows, or a Hugging Face
/// folder.
struct BaseModel {
  std::unique_ptr<WeightSource> weights;
  std::unique_ptr<ChatCodec> codec;
};

/// @return kNotFound, kUnavailable; kInvalidArgument for what cannot be trained
Result<BaseModel> openBaseModel(const std::string& path);

}  // namespace spindle::trainer
