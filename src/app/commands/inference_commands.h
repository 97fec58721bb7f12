#pragma once

#include "app/cli/inference_command.h"
#include "config/settings.h"

namespace spindle::app {

/// Executes `spindle model add | ls | show | rm`, `engine`, `upstream`, `limit` or `usage` on a
/// running server and prints the result. @return the exit status.
/// @throws std::runtime_error with a message for the operator.
int runInferenceCommand(const config::Settings& settings, const InferenceCommand& command);

}  // namespace spindle::app
