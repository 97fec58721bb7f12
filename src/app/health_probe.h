#pragma once

#include <string>

#include "base/result.h"
#include "config/settings.h"

namespace spindle::app {

/// Asks a running server for its health. Trusts the server's own certificate file besides what the
/// system trusts, so that a self-signed one passes. Blocks for 3 seconds at most.
/// @return the body of a 200 answer; any other answer is kUpstream.
Result<std::string> fetchHealth(const config::ServerSettings& server, const std::string& url);

}  // namespace spindle::app
