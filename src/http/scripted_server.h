#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"

// OpenSSL's own names for its types, so that the header does without it.
struct ssl_st;
struct ssl_ctx_st;

namespace spindle::http {

/// A server for the tests of the client: every connection runs a script in a thread of its own,
/// over blocking sockets, so that a test can say byte by byte what happens.
class ScriptedServer {
 public:
  /// The server's side of one connection.
  class Peer {
   public:
    Peer(int descriptor, ssl_ctx_st* tls);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Reads a request with its body (Content-Length only). Empty when the client closed.
    std::string readRequest();
    /// Some bytes, or empty at the end.
    std::string read();
    /// False when the client is gone.
    bool send(std::string_view bytes);
    /// Waits until the client closes the connection.
    void awaitEnd();
    /// The name that the client asked for by SNI.
    std::string serverName() const;
    void shutDown() const;

   private:
    const int descriptor_;
    ssl_st* tls_ = nullptr;
    std::string unread_;
  };
  using Script = std::function<void(Peer& peer)>;

  /// Listens on a free port of the loopback address. `tls` is borrowed; null for plain.
  explicit ScriptedServer(Script script, ssl_ctx_st* tls = nullptr);
  /// Listens on a Unix socket.
  ScriptedServer(Script script, const std::string& socket_path);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// `http://127.0.0.1:PORT` and the target.
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

/// A script that answers every request of a connection alike.
ScriptedServer::Script answering(std::string answer);
/// A complete answer with a Content-Length.
std::string answerOf(std::string_view body, std::string_view more_headers = {});

}  // namespace spindle::http
