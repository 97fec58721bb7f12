#pragma once

#include <string>

#include "base/core/result.h"
#include "config/settings.h"

namespace spindle::app {

/// Fetches the health URL of a running server. Trusts the server's own certificate file in addition
/// to the system's certificates, so that a self-signed certificate passes. Blocks for at most 3
/// seconds. @return the body of a 200 response; kUpstream for any other status.
Result<std::string> fetchHealth(const config::ServerSettings& server, const std::string& url);

}  // namespace spindle::app
