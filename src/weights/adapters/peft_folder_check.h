#pragma once

#include <string>

#include "base/core/result.h"

namespace spindle::weights {

/// Checks the PEFT files of a LoRA adapter without its base model, before another program loads
/// them: the options of `adapter_config.json` are supported, and `adapter_model.safetensors` is a
/// well-formed file that contains only pairs of LoRA matrices of a permitted rank.
/// @return kNotFound; kUnavailable; kInvalidArgument that says what is wrong
Result<void> checkPeftFolder(const std::string& folder);

}  // namespace spindle::weights
