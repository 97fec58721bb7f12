#pragma once

#include "app/command_line.h"
#include "config/loader.h"

namespace spindle::app {

// Each prints to stdout, problems to stderr, and returns the exit status.

int showConfig(const config::Loaded& loaded, const ShowConfigCommand& command);
int checkConfig(const config::Loaded& loaded);
int printReference();

/// Prints the problems, for a command that cannot go on with them.
int refuseSettings(const config::Loaded& loaded);

}  // namespace spindle::app
