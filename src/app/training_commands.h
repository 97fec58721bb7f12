#pragma once

#include "app/training_command.h"
#include "config/settings.h"

namespace spindle::app {

/// Carries out `spindle train …` or `spindle trajectories export` against a running server and
/// prints the outcome. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runTrainingCommand(const config::Settings& settings, const TrainingCommand& command);

}  // namespace spindle::app
