#pragma once

#include <string>

#include "base/core/result.h"
#include "trainer/model/adapter.h"

namespace spindle::trainer {

/// Reads a PEFT folder: adapter_config.json, adapter_model.safetensors.
/// @return kNotFound; kUnavailable; kInvalidArgument if the adapter cannot be trained
Result<Adapter> readAdapterFolder(const std::string& folder);

/// Writes a PEFT folder. Writes each file under a temporary name and renames it when it is
/// complete.
/// @return kUnavailable
Result<void> writeAdapterFolder(const Adapter& adapter, const std::string& folder);

}  // namespace spindle::trainer
