#pragma once

#include "app/command_line.h"
#include "config/settings.h"

namespace spindle::app {

/// Carries out `spindle artifact …` against a running server and prints the outcome.
/// @return the exit status. @throws std::runtime_error with a message for the operator.
int runArtifactCommand(const config::Settings& settings, const ArtifactCommand& command);

}  // namespace spindle::app
