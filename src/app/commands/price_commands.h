#pragma once

#include "app/cli/command_line.h"
#include "config/settings.h"

namespace spindle::app {

/// Executes `spindle prices …` on the data folder and prints the result. A running server uses new
/// prices immediately. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runPriceCommand(const config::Settings& settings, const PriceCommand& command);

}  // namespace spindle::app
