#pragma once

#include "app/command_line.h"
#include "config/settings.h"
#include "transfer/http_call_server.h"

namespace spindle::app {

/// The server that a command talks to: the one it names, else the one that runs on the data folder.
/// The key: the one given (after an @, the name of a file that holds it), else the administrator's
/// of that folder, which is sent to no other server than its own.
/// @throws std::runtime_error with what to do when there is no server or no key.
transfer::ServerAddress findServer(const config::Settings& settings, const ServerChoice& choice);

/// Carries out `spindle traces …` against a running server and prints the outcome.
/// @return the exit status. @throws std::runtime_error with a message for the operator.
int runTraceCommand(const config::Settings& settings, const TraceCommand& command);

}  // namespace spindle::app
