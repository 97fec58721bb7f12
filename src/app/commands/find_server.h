#pragma once

#include "app/cli/server_flags.h"
#include "config/settings.h"
#include "transfer/http_call_api_client.h"

namespace spindle::app {

/// Returns the server that a command calls: --url, or else the server that uses the data folder.
/// The API key is --key (the key, or `@` and the name of its file). Without --key it is the
/// administrator's key of the data folder, which is sent only to the server of that folder.
/// @throws std::runtime_error with a remedy when there is no server or no key.
transfer::ServerAddress findServer(const config::Settings& settings, const ServerFlags& choice);

}  // namespace spindle::app
