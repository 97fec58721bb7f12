#pragma once

#include "app/inference_command.h"
#include "config/settings.h"

namespace spindle::app {

/// Carries out `spindle model add | ls | show | rm`, `upstream`, `limit` or `usage` against a
/// running server and prints the outcome. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runInferenceCommand(const config::Settings& settings, const InferenceCommand& command);

}  // namespace spindle::app
