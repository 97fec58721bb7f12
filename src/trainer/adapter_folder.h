#pragma once

#include <string>

#include "base/result.h"
#include "trainer/adapter.h"

namespace spindle::trainer {

/// Reads a PEFT folder: adapter_config.json, adapter_model.safetensors.
/// @return kNotFound, kUnavailable; kInvalidArgument for one that cannot be trained on
Result<Adapter> readAdapterFolder(const std::string& folder);

/// Writes one; each file appears when it is whole. @return kUnavailable
Result<void> writeAdapterFolder(const Adapter& adapter, const std::string& folder);

}  // namespace spindle::trainer
