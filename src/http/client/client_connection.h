#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/client/connection_pool.h"
#include "http/io/read_buffer.h"

namespace boost::asio {
class any_io_executor;
class io_context;
template <typename T, typename Executor>
class awaitable;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace spindle::http {

/// A connection of the client to an origin: TCP, TLS over TCP, or a Unix socket. Used on the
/// client's I/O thread only. One operation at a time; the object must outlive its running
/// operation.
class ClientConnection final : public ConnectionPool::Connection {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<T, boost::asio::any_io_executor>;

  /// The result of an operation.
  struct Outcome {
    Outcome() = default;
    bool is_end = false;      ///< the peer closed the stream regularly
    bool is_aborted = false;  ///< by close()
    std::string fault;        ///< error message; empty on success
    std::size_t bytes = 0;    ///< transferred bytes, also if the operation failed afterwards
  };

  explicit ClientConnection(boost::asio::io_context& io);
  ~ClientConnection() override;

  bool alive() const override;

  /// `address` is numeric.
  Awaitable<Outcome> connectTcp(std::string address, std::uint16_t port);
  Awaitable<Outcome> connectUnix(std::string path);
  /// Performs the TLS handshake and verifies the certificate for `host`, a name or numeric address.
  Awaitable<Outcome> secure(boost::asio::ssl::context& context, std::string host);
  /// Sends all bytes. The views must stay valid until the operation ends.
  Awaitable<Outcome> write(std::string_view head, std::string_view body);
  /// Reads some bytes and appends them to `unread`.
  Awaitable<Outcome> read();
  /// Closes the socket; a running operation ends with an error.
  void close();

  ReadBuffer unread;
  std::string address;  ///< numeric; empty for a Unix socket
  bool used = false;    ///< has been used for an exchange before

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace spindle::http
