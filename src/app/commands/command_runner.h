#pragma once

#include "app/cli/command_line.h"

namespace spindle::app {

/// Executes a parsed command. Loads the settings only for commands that use them; prints their
/// problems and fails when the command needs valid settings. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runCommand(const CommandLine& line);

}  // namespace spindle::app
