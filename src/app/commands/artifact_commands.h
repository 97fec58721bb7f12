#pragma once

#include "app/cli/command_line.h"
#include "config/settings.h"

namespace spindle::app {

/// Executes `spindle artifact …` on a running server and prints the result.
/// @return the exit status. @throws std::runtime_error with a message for the operator.
int runArtifactCommand(const config::Settings& settings, const ArtifactCommand& command);

}  // namespace spindle::app
