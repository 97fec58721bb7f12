#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/core/error.h"

namespace spindle::inference {

// Errors for clients when an engine cannot be used. All are kUnavailable unless noted;
// `retry_after` (seconds) is set where a retry makes sense.

/// The model needs more memory than all models together may use. `model_too_large`.
Error tooLarge(const std::string& model, std::uint64_t need, std::uint64_t memory);
/// Other models that are in use occupy the memory. `no_memory`.
Error noMemory(const std::string& model,
               std::uint64_t need,
               std::uint64_t free,
               std::uint64_t memory);
/// The engine has crashed. `how` continues the sentence after the model's name.
Error engineDown(const std::string& model, const std::string& how, std::chrono::milliseconds pause);
/// All loaded adapters of the engine are in use. `adapters_in_use`.
Error adaptersInUse(const std::string& model, std::size_t most);
/// An engine crashed while it used the adapter. `adapter_quarantined`; kInvalidArgument.
Error adapterQuarantined();
/// The model file is still being fetched from the blob store. `model_being_fetched`.
Error fileBeingFetched(const std::string& model);
Error serverStopping();

}  // namespace spindle::inference
