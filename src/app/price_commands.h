#pragma once

#include "app/command_line.h"
#include "config/settings.h"

namespace spindle::app {

/// Carries out `spindle prices …` on the data folder and prints the outcome; works beside a running
/// server, which counts with new prices at once. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runPriceCommand(const config::Settings& settings, const PriceCommand& command);

}  // namespace spindle::app
