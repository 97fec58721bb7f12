#include "http/client/client_connection.h"

#include <array>
#include <cerrno>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "http/client/name_lookup.h"

namespace spindle::http {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
using SocketFault = boost::system::error_code;
/// One type for TCP and for Unix sockets.
using Socket = net::generic::stream_protocol::socket;

constexpr auto kAsTuple = net::as_tuple(net::use_awaitable);

ClientConnection::Outcome outcomeOf(const SocketFault& fault, std::size_t bytes = 0) {
  ClientConnection::Outcome outcome;
  outcome.bytes = bytes;
  outcome.is_end = fault == net::error::eof;
  outcome.is_aborted = fault == net::error::operation_aborted;
  if (fault) outcome.fault = fault.message();
  return outcome;
}

}  // namespace

struct ClientConnection::Sockets {
  explicit Sockets(net::io_context& io) : socket(io) {}

  Socket socket;
  std::unique_ptr<ssl::stream<Socket&>> tls;
};

ClientConnection::ClientConnection(net::io_context& io) : sockets_(std::make_unique<Sockets>(io)) {}
ClientConnection::~ClientConnection() = default;

bool ClientConnection::alive() const {
  char byte = 0;
  const ssize_t got =
      ::recv(sockets_->socket.native_handle(), &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

net::awaitable<ClientConnection::Outcome> ClientConnection::connectTcp(std::string to,
                                                                       std::uint16_t port) {
  address = to;
  const net::ip::tcp::endpoint endpoint(net::ip::make_address(to), port);
  auto [fault] = co_await sockets_->socket.async_connect(endpoint, kAsTuple);
  SocketFault ignored;
  if (!fault) sockets_->socket.set_option(net::ip::tcp::no_delay(true), ignored);
  co_return outcomeOf(fault);
}

net::awaitable<ClientConnection::Outcome> ClientConnection::connectUnix(std::string path) {
  const net::local::stream_protocol::endpoint endpoint(path);
  auto [fault] = co_await sockets_->socket.async_connect(endpoint, kAsTuple);
  co_return outcomeOf(fault);
}

net::awaitable<ClientConnection::Outcome> ClientConnection::secure(ssl::context& context,
                                                                   std::string host) {
  sockets_->tls = std::make_unique<ssl::stream<Socket&>>(sockets_->socket, context);
  SSL* session = sockets_->tls->native_handle();
  if (!addressLiteral(host)) {
    SSL_set_tlsext_host_name(session, host.c_str());
    SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(session, host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str());
  }
  constexpr std::array<unsigned char, 9> kProtocols = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_set_alpn_protos(session, kProtocols.data(), kProtocols.size());
  auto [fault] = co_await sockets_->tls->async_handshake(ssl::stream_base::client, kAsTuple);
  Outcome outcome = outcomeOf(fault);
  const long verdict = SSL_get_verify_result(session);
  if (fault && verdict != X509_V_OK) outcome.fault = X509_verify_cert_error_string(verdict);
  co_return outcome;
}

net::awaitable<ClientConnection::Outcome> ClientConnection::write(std::string_view head,
                                                                  std::string_view body) {
  const std::array<net::const_buffer, 2> pieces = {net::const_buffer(head.data(), head.size()),
                                                   net::const_buffer(body.data(), body.size())};
  if (sockets_->tls) {
    auto [fault, sent] = co_await net::async_write(*sockets_->tls, pieces, kAsTuple);
    co_return outcomeOf(fault, sent);
  }
  auto [fault, sent] = co_await net::async_write(sockets_->socket, pieces, kAsTuple);
  co_return outcomeOf(fault, sent);
}

/// A TLS stream without close_notify is an error, because it may have been truncated.
net::awaitable<ClientConnection::Outcome> ClientConnection::read() {
  const std::size_t room = unread.prepare();
  const net::mutable_buffer space(unread.room(), room);
  if (sockets_->tls) {
    auto [fault, got] = co_await sockets_->tls->async_read_some(space, kAsTuple);
    unread.commit(got);
    co_return outcomeOf(fault, got);
  }
  auto [fault, got] = co_await sockets_->socket.async_read_some(space, kAsTuple);
  unread.commit(got);
  co_return outcomeOf(fault, got);
}

void ClientConnection::close() {
  SocketFault ignored;
  sockets_->socket.close(ignored);
}

}  // namespace spindle::http
