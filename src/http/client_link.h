#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/connection_pool.h"
#include "http/read_buffer.h"

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

/// A connection of the client to an origin: TCP, TLS over TCP, or a Unix socket. It lives on the
/// client's I/O thread; one operation at a time, and it must outlive the one under way.
class ClientLink final : public ConnectionPool::Connection {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<T, boost::asio::any_io_executor>;

  /// How an operation ended: well, or why not in words for the caller.
  struct Outcome {
    Outcome() = default;
    bool is_end = false;      ///< the peer ended the stream in good order
    bool is_aborted = false;  ///< by close()
    std::string fault;        ///< empty when all is well
    std::size_t bytes = 0;    ///< moved, also when it failed later
  };

  explicit ClientLink(boost::asio::io_context& io);
  ~ClientLink() override;

  bool alive() const override;

  /// `address` is numeric.
  Awaitable<Outcome> connectTcp(std::string address, std::uint16_t port);
  Awaitable<Outcome> connectUnix(std::string path);
  /// Turns on TLS and has the peer prove that it is `host`, a name or a numeric address.
  Awaitable<Outcome> secure(boost::asio::ssl::context& context, std::string host);
  /// Sends everything. The views must stay valid until it is done.
  Awaitable<Outcome> write(std::string_view head, std::string_view body);
  /// Adds to `unread`.
  Awaitable<Outcome> read();
  /// Ends whatever is under way with an error.
  void close();

  ReadBuffer unread;
  std::string address;  ///< numeric; empty for a Unix socket
  bool used = false;    ///< has carried an exchange before

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace spindle::http
