#pragma once

#include <functional>
#include <string>

#include "app/doctor/finding.h"
#include "base/core/result.h"
#include "config/settings.h"

namespace spindle::app {

/// The result of an attempt to listen on an address.
enum class PortState {
  kFree,
  kInUse,      ///< another program listens there
  kForbidden,  ///< this user has no permission to listen there
  kNoAddress,  ///< not an address of this machine, or an unknown host name
};

/// Tries to listen on the address and releases the port. Blocks while a host name is resolved.
PortState probePort(const config::ListenAddress& address);

/// Fetches a URL and returns the body of a 200 response.
using Fetch = std::function<Result<std::string>(const std::string& url)>;

/// Returns the health URL of a local server with these settings: `http://127.0.0.1:8080/health`.
std::string healthUrl(const config::ServerSettings& server);

/// Checks that the port is free, or that a running Spindle server uses it.
Finding checkPort(const config::ServerSettings& server, PortState state, const Fetch& fetch);

/// Writes, reads and deletes a small object in the bucket of the settings.
using BucketProbe = std::function<Result<void>(const config::FileSettings& files)>;

/// Checks that the bucket can be used. The settings must use S3.
Finding checkBucket(const config::FileSettings& files, const BucketProbe& probe);

/// Creates, writes, reads and drops a table in ClickHouse, and returns the release of the server.
using ClickHouseProbe = std::function<Result<std::string>(const config::TraceSettings& traces)>;

/// Checks that the ClickHouse database can be used. The settings must use ClickHouse.
Finding checkClickHouse(const config::TraceSettings& traces, const ClickHouseProbe& probe);

/// Connects to a PostgreSQL server and returns its version, such as `15.6`.
using PostgresProbe = std::function<Result<std::string>(const Secret& uri)>;

/// Checks that the database is reachable. The settings must use PostgreSQL.
Finding checkPostgres(const config::StorageSettings& storage, const PostgresProbe& probe);

}  // namespace spindle::app
