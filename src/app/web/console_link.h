#pragma once

#include <string>

#include "base/crypto/secret.h"
#include "config/settings.h"

namespace spindle::app {

/// Returns the URL of a server that listens as the settings say, for a server that is not running.
std::string listenUrl(const config::ServerSettings& server);

/// Returns the link that signs a person in to the console with a one-time code. `url` is the URL
/// of the server's socket; `server.public_url` replaces it. The code is in the fragment, which
/// browsers do not send: it reaches no log of a proxy.
std::string signInLink(const config::ServerSettings& server,
                       const std::string& url,
                       const Secret& code);

}  // namespace spindle::app
