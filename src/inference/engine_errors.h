#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace spindle::inference {

// What callers are told when an engine cannot be used. All are kUnavailable, and say with
// `retry_after` (seconds) when trying again makes sense.

/// Needs more than all models together may use. `model_too_large`.
Error tooLarge(const std::string& model, std::uint64_t need, std::uint64_t memory);
/// Others are in the way, and are answering. `no_memory`.
Error noRoom(const std::string& model,
             std::uint64_t need,
             std::uint64_t free,
             std::uint64_t memory);
/// It has crashed. `how` goes on behind the model's name.
Error engineDown(const std::string& model, const std::string& how, std::chrono::milliseconds pause);
Error adaptersInUse(const std::string& model, std::size_t most);
/// An engine ended while it used the adapter. `adapter_quarantined`; kInvalidArgument.
Error adapterQuarantined();
Error serverStopping();

}  // namespace spindle::inference
