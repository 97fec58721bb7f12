#pragma once

#include <exception>
#include <string_view>

#include "base/error.h"

namespace spindle::trainer {

/// Reasons of errors.
inline constexpr std::string_view kOutOfMemory = "out_of_memory";
inline constexpr std::string_view kComputationFailed = "computation_failed";
/// Not the job is to blame but where it ran: its files, its device. Another trainer may do it, or
/// the same one later.
inline constexpr std::string_view kTrainerAtFault = "trainer_at_fault";

bool isTrainersFault(const Error& error);

/// What an exception of the library means to the user: memory that ran out is said in one way on a
/// processor and in another on a GPU. @return kUnavailable because of kOutOfMemory or
/// kComputationFailed
Error failureOf(const std::exception& problem);

}  // namespace spindle::trainer
