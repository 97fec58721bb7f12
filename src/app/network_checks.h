#pragma once

#include <functional>
#include <string>

#include "app/finding.h"
#include "base/result.h"
#include "config/settings.h"

namespace spindle::app {

/// What happens when somebody else wants to listen at the address.
enum class PortState {
  kFree,
  kInUse,      ///< something listens there already
  kForbidden,  ///< this user may not listen there
  kNoAddress,  ///< this machine does not have the address, or the name means nothing
};

/// Tries it, without keeping the port. Blocks while a host name is looked up.
PortState probePort(const config::ListenAddress& address);

/// Fetches a URL and returns the body of a 200 answer.
using Fetch = std::function<Result<std::string>(const std::string& url)>;

/// `http://127.0.0.1:8080/health`: where a server with these settings answers on this machine.
std::string healthUrl(const config::ServerSettings& server);

/// Is the port free, or is it a running Spindle that has it?
Finding checkPort(const config::ServerSettings& server, PortState state, const Fetch& fetch);

/// Connects to a PostgreSQL server and returns its version, `15.6`.
using PostgresProbe = std::function<Result<std::string>(const Secret& uri)>;

/// Is the database reachable? The settings must use PostgreSQL.
Finding checkPostgres(const config::StorageSettings& storage, const PostgresProbe& probe);

}  // namespace spindle::app
