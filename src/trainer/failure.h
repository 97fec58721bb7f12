#pragma once

#include <exception>

#include "base/error.h"

namespace spindle::trainer {

/// What an exception of the library means to the user, and what may be done about it: memory that
/// ran out is said in one way on a processor and in another on a GPU. @return kUnavailable
Error failureOf(const std::exception& problem);

}  // namespace spindle::trainer
