#pragma once

#include "config/settings.h"

namespace spindle::app {

/// Runs the server until SIGTERM or SIGINT. With `start_empty`, everything that the data folder
/// holds is moved into a folder below it first. @return the exit status.
/// @throws std::runtime_error with a message for the operator when it cannot start.
int serve(const config::Settings& settings, bool start_empty = false);

}  // namespace spindle::app
