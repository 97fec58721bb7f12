#pragma once

#include <string>

#include "base/result.h"

namespace spindle::trainer {

/// The address of a server as it was typed, ready for paths to be put behind it. @return
/// kInvalidArgument that says what is wrong with it
Result<std::string> serverAddressOf(std::string typed);

}  // namespace spindle::trainer
