#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace spindle::http {

/// A response as a test receives it from the socket.
struct WireResponse {
  int status = 0;  ///< 0 if the connection ended before a head
  Headers headers;
  std::string body;       ///< chunked coding is decoded, content coding is not
  bool complete = false;  ///< the body ended correctly
};

/// A blocking socket for tests that sends any bytes, including invalid HTTP. Every wait is limited
/// to one minute, so that a broken server fails a test instead of blocking it.
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
  /// Returns false if the server has closed the connection.
  bool send(std::string_view bytes);
  /// Reads one response. `head_only`: it belongs to a HEAD request.
  WireResponse receive(bool head_only = false);
  /// Sends a request and receives its response.
  WireResponse ask(std::string_view bytes);
  /// Reads at least one byte; returns an empty text at the end of the stream.
  std::string receiveSome();
  /// Waits until the server closes the connection. Returns false if bytes arrive instead.
  bool atEnd();
  /// Returns true if the last read ended with a TCP reset.
  bool wasReset() const;

  void finishSending();
  /// Closes the connection with a TCP reset.
  void reset();
  void close();

 private:
  struct Socket;
  bool fill();
  /// Reads and decodes a chunked body. Returns false if the stream ends before it.
  bool receiveChunks(std::string& body);
  std::unique_ptr<Socket> socket_;
  std::string buffer_;
};

}  // namespace spindle::http
