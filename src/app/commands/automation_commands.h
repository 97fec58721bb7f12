#pragma once

#include "app/cli/automation_command.h"
#include "config/settings.h"

namespace spindle::app {

/// Executes `spindle secret | webhook | automation | deliveries …` on a running server and prints
/// the result.
/// @return the exit status. @throws std::runtime_error with a message for the operator.
int runAutomationCommand(const config::Settings& settings, const AutomationCommand& command);

}  // namespace spindle::app
