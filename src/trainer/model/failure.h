#pragma once

#include <exception>
#include <string_view>

#include "base/core/error.h"

namespace spindle::trainer {

/// Reasons of errors.
inline constexpr std::string_view kOutOfMemory = "out_of_memory";
inline constexpr std::string_view kComputationFailed = "computation_failed";
/// The fault lies with the trainer (its files, its device), not with the job. Another trainer, or
/// the same one later, may succeed.
inline constexpr std::string_view kTrainerAtFault = "trainer_at_fault";

bool isTrainersFault(const Error& error);

/// Converts an exception of LibTorch to an error for the user. Recognizes the different
/// out-of-memory messages of CPU and GPU.
/// @return kUnavailable because of kOutOfMemory or kComputationFailed
Error failureOf(const std::exception& problem);

}  // namespace spindle::trainer
