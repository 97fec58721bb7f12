#pragma once

#include "app/cli/command_line.h"

namespace spindle::app {

/// Executes `spindle model import` and prints the result. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runModelCommand(const ModelCommand& command);

}  // namespace spindle::app
