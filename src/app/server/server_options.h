#pragma once

#include "config/settings.h"
#include "http/server/server.h"

namespace spindle::app {

/// Returns the options of the HTTP server. Settings of 0 threads depend on the processors.
http::ServerOptions serverOptions(const config::Settings& settings);

}  // namespace spindle::app
