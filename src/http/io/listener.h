#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "http/io/io_thread.h"

namespace spindle::http {

/// A listening TCP port or Unix socket. Passes connections to a receiver on one I/O thread.
class Listener {
 public:
  struct Accepted {
    int descriptor;  ///< owned by the receiver
    bool ipv6;
    std::string peer;  ///< numeric address; empty on a Unix socket
  };
  using Receiver = std::function<void(const Accepted&)>;

  /// Binds and listens. @throws std::runtime_error with a message for the operator.
  Listener(IoThread& thread, const std::string& address, std::uint16_t port);
  /// Listens on a Unix socket that only this user can access (mode 0600). Replaces a socket file on
  /// which no process listens. The destructor removes the file.
  Listener(IoThread& thread, const std::string& unix_path);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the bound port; 0 for a Unix socket.
  std::uint16_t port() const;
  /// Starts to accept connections. Must run on the I/O thread, like stop().
  void start(Receiver receiver);
  /// Passes on the connections that the kernel has already accepted, then closes the socket.
  void stop();

 private:
  struct Socket;
  void close();
  void wait();
  /// Accepts all pending connections. @return false if the system is out of resources: retry later.
  bool acceptAll();

  std::unique_ptr<Socket> socket_;
  Receiver receiver_;
};

}  // namespace spindle::http
