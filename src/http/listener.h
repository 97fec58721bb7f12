#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "http/io_thread.h"

namespace spindle::http {

/// A bound port or Unix socket that hands out connections as they come, on one I/O thread.
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
  /// The same on a Unix socket, for this user alone (mode 0600). Takes the place of a socket that
  /// nobody listens on; the file goes with the listener.
  Listener(IoThread& thread, const std::string& unix_path);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// 0 for a Unix socket.
  std::uint16_t port() const;
  /// To be called on the I/O thread, like stop().
  void start(Receiver receiver);
  /// Hands out what the kernel has already accepted, then closes.
  void stop();

 private:
  struct Socket;
  void close();
  void wait();
  /// @return false when the system has no room for more: try again a little later.
  bool acceptAll();

  std::unique_ptr<Socket> socket_;
  Receiver receiver_;
};

}  // namespace spindle::http
