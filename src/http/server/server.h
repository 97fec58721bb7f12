#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/core/metrics.h"
#include "http/message/message.h"

namespace spindle::http {

class LocalClients;

/// PEM files of the TLS certificate and private key. Empty paths: plain HTTP.
struct TlsFiles {
  std::string certificate;
  std::string private_key;
};

struct CorsPolicy {
  std::vector<std::string> allowed_origins;  ///< exact origins, or "*"; empty: no CORS headers
  bool allow_credentials = false;
  std::chrono::seconds max_age{600};
};

struct ServerLimits {
  std::size_t header_bytes = 32UL * 1024;
  std::size_t connections = 20000;
  /// Requests that wait for a worker; further requests get 503 immediately.
  std::size_t queued_requests = 1024;
  /// Bytes of request bodies in memory; see BodyBudget.
  std::size_t body_memory = std::numeric_limits<std::size_t>::max();
  std::size_t body_memory_per_key = std::numeric_limits<std::size_t>::max();
  std::size_t unauthenticated_memory = std::numeric_limits<std::size_t>::max();
  std::size_t body_rate = 0;                        ///< minimum bytes per second of a body; 0: none
  std::chrono::milliseconds body_grace{30000};      ///< waiting time that body_rate ignores
  std::chrono::milliseconds header_timeout{10000};  ///< from the first byte, or of a new connection
  std::chrono::milliseconds body_timeout{30000};    ///< between two reads of a body
  std::chrono::milliseconds idle_timeout{75000};    ///< between requests
  std::chrono::milliseconds write_timeout{60000};   ///< for a client that does not read
  std::chrono::milliseconds drain_timeout{10000};   ///< at stop()
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free port, see Server::port()
  /// Listens on this Unix socket instead. Only this user can access it.
  std::string unix_path = {};
  std::size_t io_threads = 2;
  std::size_t worker_threads = 4;
  /// For handlers that wait for other servers (RoutePolicy::uses_outbound_threads).
  std::size_t outbound_threads = 4;
  bool access_log = true;
  /// Path prefix, such as `/spindle`, that request paths may start with. Empty: no prefix.
  std::string base_path = {};
  TlsFiles tls;
  CorsPolicy cors;
  ServerLimits limits;
  LocalClients* clients = nullptr;  ///< receives a client per I/O thread; may be null
};

/// HTTP/1.1 server over TCP, TLS or a Unix socket. Owns its I/O threads, the accepting thread, the
/// access log thread and the worker pools. This header hides coroutines and Asio.
class Server {
 public:
  /// Binds the address. `service` and `metrics` must outlive the server.
  /// @throws std::runtime_error with a message for the operator if the address or the certificate
  /// cannot be used, so that start-up fails.
  Server(ServerOptions options, const Service& service, MetricRegistry& metrics);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// Returns the bound port; 0 for a Unix socket.
  std::uint16_t port() const;
  /// Returns `http://127.0.0.1:8080` or `unix:/path/to.sock`.
  std::string url() const;

  /// Lets clients leave before stop(): from now on, every response closes its connection. New
  /// connections are still accepted. May be called from any thread.
  void retire();

  /// Drains and stops the server. Stops accepting; completes started requests and running streams
  /// for up to drain_timeout, then aborts the rest and cancels their streams. Closes idle
  /// connections after a short delay and joins all threads. The producer of an endless stream
  /// should end it first. Idempotent. @return true if no request was aborted.
  bool stop();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace spindle::http
