#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "base/core/mutex.h"

// Forward declarations of OpenSSL types, so that this header does not include OpenSSL.
struct ssl_st;
struct ssl_ctx_st;

namespace spindle::http {

/// A server for tests of HTTP clients. Every connection runs a script on its own thread over
/// blocking sockets, so that a test controls every byte.
class ScriptedServer {
 public:
  /// The server's side of one connection.
  class Peer {
   public:
    Peer(int descriptor, ssl_ctx_st* tls);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Reads a request with its body (Content-Length only). Returns an empty text if the client
    /// closed the connection.
    std::string readRequest();
    /// Reads some bytes; returns an empty text at the end of the stream.
    std::string read();
    /// Returns false if the client has disconnected.
    bool send(std::string_view bytes);
    /// Blocks until the client closes the connection.
    void awaitEnd();
    /// Returns the server name that the client sent with SNI.
    std::string serverName() const;
    void shutDown() const;

   private:
    const int descriptor_;
    ssl_st* tls_ = nullptr;
    std::string unread_;
  };
  using Script = std::function<void(Peer& peer)>;

  /// Listens on a free port of the loopback address. `tls` is borrowed; null for plain HTTP.
  explicit ScriptedServer(Script script, ssl_ctx_st* tls = nullptr);
  /// Listens on a Unix socket.
  ScriptedServer(Script script, const std::string& socket_path);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Returns `http://127.0.0.1:PORT` and the target.
  std::string url(std::string_view target = "/") const;
  int connections() const { return connections_; }

 private:
  void acceptAll();

  const Script script_;
  ssl_ctx_st* const tls_ = nullptr;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  Mutex mutex_;
  std::list<Peer> peers_ SPINDLE_GUARDED_BY(mutex_);
  std::list<std::thread> scripts_;
  std::thread acceptor_;
};

using Peer = ScriptedServer::Peer;

/// Returns a script that sends the same response to every request of a connection.
ScriptedServer::Script respondingWith(std::string answer);
/// Returns a complete 200 response with a Content-Length.
std::string okResponse(std::string_view body, std::string_view more_headers = {});

}  // namespace spindle::http
