#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "http/message.h"

namespace spindle::http {

class LocalClients;

/// The certificate and key for TLS, as PEM files. Empty paths: plain HTTP.
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
  /// Requests that wait for a worker; one more is answered 503 at once.
  std::size_t queued_requests = 1024;
  /// Bytes of request bodies in memory, see BodyBudget.
  std::size_t body_memory = std::numeric_limits<std::size_t>::max();
  std::size_t body_memory_per_key = std::numeric_limits<std::size_t>::max();
  std::size_t unauthenticated_memory = std::numeric_limits<std::size_t>::max();
  std::size_t body_rate = 0;                        ///< fewest bytes a second of a body; 0: any
  std::chrono::milliseconds body_grace{30000};      ///< waiting that body_rate does not count
  std::chrono::milliseconds header_timeout{10000};  ///< from the first byte, or of a new connection
  std::chrono::milliseconds body_timeout{30000};    ///< without progress of at least one read
  std::chrono::milliseconds idle_timeout{75000};    ///< between requests
  std::chrono::milliseconds write_timeout{60000};   ///< a client that does not read
  std::chrono::milliseconds drain_timeout{10000};   ///< at stop()
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free port, see Server::port()
  /// Listens on this Unix socket instead, which is for this user alone.
  std::string unix_path = {};
  std::size_t io_threads = 2;
  std::size_t worker_threads = 4;
  /// For handlers that wait for other servers (RoutePolicy::waits_outside).
  std::size_t outbound_threads = 4;
  bool access_log = true;
  /// `/spindle`: paths are understood with it in front, too. Empty: only as they are.
  std::string base_path = {};
  TlsFiles tls;
  CorsPolicy cors;
  ServerLimits limits;
  LocalClients* clients = nullptr;  ///< gets a client for each I/O thread; null: none is wanted
};

/// HTTP/1.1 over TCP, TLS or a Unix socket. Owns its I/O threads, the thread that accepts
/// connections, the one that writes the access log, and its worker pool; coroutines and Asio stay
/// behind this header.
class Server {
 public:
  /// Binds the address. `service` and `metrics` must outlive the server.
  /// @throws std::runtime_error with a message for the operator when the address or the
  /// certificate cannot be used: start-up fails, loudly.
  Server(ServerOptions options, const Service& service, MetricRegistry& metrics);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// The port really bound; 0 on a Unix socket.
  std::uint16_t port() const;
  /// `http://127.0.0.1:8080`, or `unix:/path/to.sock`
  std::string url() const;

  /// Stops accepting, lets requests that have begun to arrive and streams that run finish
  /// (drain_timeout at most, then they are cut and the streams cancelled), closes idle connections
  /// after a short grace, joins every thread. A stream without an end is best ended by its producer
  /// before. Idempotent. @return true when nothing had to be cut.
  bool stop();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace spindle::http
