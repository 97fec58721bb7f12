#include "app/doctor/network_checks.h"

#include <cerrno>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spindle::app {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

PortState stateOf(const addrinfo& address) {
  const int descriptor =
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol);
  if (descriptor < 0) return PortState::kNoAddress;
  const int yes = 1;
  // Same option as the server: connections in TIME_WAIT do not block the port.
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const bool done =
      ::bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 && ::listen(descriptor, 1) == 0;
  const int error = done ? 0 : errno;
  ::close(descriptor);
  if (done) return PortState::kFree;
  if (error == EADDRINUSE) return PortState::kInUse;
  if (error == EACCES || error == EPERM) return PortState::kForbidden;
  return PortState::kNoAddress;
}

}  // namespace

PortState probePort(const config::ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(address.port);
  if (::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &list) != 0) {
    return PortState::kNoAddress;
  }
  const std::unique_ptr<addrinfo, FreeAddresses> owner(list);
  return stateOf(*list);
}

std::string healthUrl(const config::ServerSettings& server) {
  config::ListenAddress address = server.listen;
  if (address.host == "0.0.0.0") address.host = "127.0.0.1";
  if (address.host == "::") address.host = "::1";
  return fmt::format("{}://{}/health", server.tls_certificate.empty() ? "http" : "https",
                     address.text());
}

Finding checkPort(const config::ServerSettings& server, PortState state, const Fetch& fetch) {
  const std::string check = "port";
  const std::string address = server.listen.text();
  switch (state) {
    case PortState::kFree:
      return Finding::ok(check, fmt::format("{} is free", address));
    case PortState::kForbidden:
      return Finding::failure(check, fmt::format("this user may not listen on {}", address),
                              "choose a port above 1023 with --listen");
    case PortState::kNoAddress:
      return Finding::failure(
          check, fmt::format("{} is not an address of this machine", address),
          "listen on 127.0.0.1 (this machine only) or on 0.0.0.0 (all addresses)");
    case PortState::kInUse:
      break;
  }
  const std::string url = healthUrl(server);
  const Result<std::string> health = fetch(url);
  if (health && health->find("\"status\"") != std::string::npos) {
    return Finding::ok(check, fmt::format("a running Spindle server responds at {}", url));
  }
  return Finding::failure(
      check, fmt::format("{} is in use by another program", address),
      fmt::format("find it with `ss -ltnp 'sport = :{}'`, or choose another port with --listen",
                  server.listen.port));
}

Finding checkBucket(const config::FileSettings& files, const BucketProbe& probe) {
  const Result<void> usable = probe(files);
  if (usable) {
    return Finding::ok("s3 bucket", fmt::format("{} at {}: an object was written, read and deleted",
                                                files.s3_bucket, files.s3_endpoint));
  }
  return Finding::failure(
      "s3 bucket", usable.error().message(),
      "check files.s3_endpoint, files.s3_bucket, files.s3_region and the credentials; they must "
      "allow s3:PutObject, s3:GetObject, s3:DeleteObject, s3:ListBucket, "
      "s3:ListBucketMultipartUploads and s3:AbortMultipartUpload");
}

Finding checkClickHouse(const config::TraceSettings& traces, const ClickHouseProbe& probe) {
  const Result<std::string> version = probe(traces);
  if (version) {
    return Finding::ok("clickhouse",
                       fmt::format("{} at {}: version {}, a table was created, written, read and "
                                   "dropped",
                                   traces.clickhouse_database, traces.clickhouse_url, *version));
  }
  return Finding::failure(
      "clickhouse", version.error().message(),
      "check traces.clickhouse_url, traces.clickhouse_user, traces.clickhouse_password and "
      "traces.clickhouse_database; the user must be allowed to CREATE TABLE, DROP TABLE, ALTER, "
      "INSERT and SELECT in the database");
}

Finding checkPostgres(const config::StorageSettings& storage, const PostgresProbe& probe) {
  const Result<std::string> version = probe(storage.metadata);
  if (version) return Finding::ok("postgresql", fmt::format("reachable, version {}", *version));
  return Finding::failure(
      "postgresql", version.error().message(),
      "check storage.metadata: host, port, user, password and database; try it with psql");
}

}  // namespace spindle::app
