#pragma once

#include "app/cli/command_line.h"
#include "config/loader.h"

namespace spindle::app {

// Each function prints to stdout, prints problems to stderr, and returns the exit status.

int showConfig(const config::Loaded& loaded, const ShowConfigCommand& command);
int checkConfig(const config::Loaded& loaded);
int printReference();

/// Prints the problems of settings with which a command cannot continue. @return the exit status.
int reportSettingsProblems(const config::Loaded& loaded);

}  // namespace spindle::app
