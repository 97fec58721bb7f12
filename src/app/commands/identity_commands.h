#pragma once

#include "app/cli/command_line.h"
#include "config/settings.h"

namespace spindle::app {

/// Executes `spindle user|team|key …` on the data folder and prints the result, with or without a
/// running server. @return the exit status.
/// @throws std::runtime_error with a message for the operator when the data cannot be opened.
int runIdentityCommand(const config::Settings& settings, const IdentityCommand& command);

}  // namespace spindle::app
