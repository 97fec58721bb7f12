#pragma once

#include <string>

#include "base/core/result.h"

namespace spindle::trainer {

/// Normalizes the server address of the command line, so that paths can be appended.
/// @return kInvalidArgument that says what is wrong
Result<std::string> serverAddressOf(std::string typed);

}  // namespace spindle::trainer
