#pragma once

#include "config/settings.h"

namespace spindle::app {

/// Runs the server until SIGTERM or SIGINT. With `start_empty`, moves the content of the data
/// folder into a subfolder first. @return the exit status.
/// @throws std::runtime_error with a message for the operator when the server cannot start.
int serve(const config::Settings& settings, bool start_empty = false);

}  // namespace spindle::app
