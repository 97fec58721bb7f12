#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace spindle::http {

/// An answer as a test sees it on the wire.
struct WireResponse {
  int status = 0;  ///< 0 when the connection ended before a head
  Headers headers;
  std::string body;       ///< with chunked transfer undone, content coding not
  bool complete = false;  ///< the body ended as it should
};

/// A plain blocking socket for tests: it does what it is told, also when that is wrong HTTP.
/// Every wait has a limit of a minute, so that a broken server fails a test instead of hanging it.
class BlockingClient {
 public:
  enum class Tls { kNo, kYes };

  /// Connects to 127.0.0.1. Check connected().
  explicit BlockingClient(std::uint16_t port, Tls tls = Tls::kNo);
  /// Connects to a Unix socket.
  explicit BlockingClient(const std::string& unix_path);
  ~BlockingClient();
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  bool connected() const;
  /// False when the server has closed.
  bool send(std::string_view bytes);
  /// Reads one answer. `head_only`: it belongs to a HEAD request.
  WireResponse receive(bool head_only = false);
  /// Sends and receives.
  WireResponse ask(std::string_view bytes);
  /// Reads at least one more byte of whatever comes; empty at the end.
  std::string receiveSome();
  /// Waits for the server to close. False when bytes came instead.
  bool atEnd();
  /// True when the last read ended in a reset rather than a good end.
  bool wasReset() const;

  void finishSending();
  /// Closes with a reset instead of a good end.
  void reset();
  void close();

 private:
  struct Socket;
  bool fill();
  std::unique_ptr<Socket> socket_;
  std::string buffer_;
};

}  // namespace spindle::http
