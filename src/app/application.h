#pragma once

#include "config/settings.h"

namespace spindle::app {

/// Runs the server until SIGTERM or SIGINT. @return the exit status.
/// @throws std::runtime_error with a message for the operator when it cannot start.
int serve(const config::Settings& settings);

}  // namespace spindle::app
