#pragma once

#include "app/command_line.h"

namespace spindle::app {

/// Carries out `spindle model import` and prints the outcome. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runModelCommand(const ModelCommand& command);

}  // namespace spindle::app
