#pragma once

#include "app/cli/training_command.h"
#include "config/settings.h"

namespace spindle::app {

/// Executes `spindle train …` or `spindle trajectories export` on a running server and prints the
/// result. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runTrainingCommand(const config::Settings& settings, const TrainingCommand& command);

}  // namespace spindle::app
