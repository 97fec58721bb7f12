#include "http/listener.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/log.h"

namespace spindle::http {
namespace {

namespace net = boost::asio;
using Tcp = net::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr Logger kLog("http");
constexpr std::chrono::milliseconds kPauseWhenFull{100};

Tcp::endpoint endpointOf(const std::string& address, std::uint16_t port) {
  ErrorCode error;
  const net::ip::address parsed =
      net::ip::make_address(address == "localhost" ? "127.0.0.1" : address, error);
  if (error) {
    throw std::runtime_error("cannot listen on '" + address +
                             "': it is not an IPv4 or IPv6 address");
  }
  return {parsed, port};
}

std::string textOf(const sockaddr_storage& peer) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address =
      peer.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(&peer)->sin_addr;
  const char* done = ::inet_ntop(peer.ss_family, address, text.data(), text.size());
  return done == nullptr ? "" : done;
}

}  // namespace

struct Listener::Socket {
  explicit Socket(net::io_context& context) : acceptor(context), pause(context) {}
  Tcp::acceptor acceptor;
  net::steady_timer pause;
  bool ipv6 = false;
};

Listener::Listener(IoThread& thread, const std::string& address, std::uint16_t port)
    : socket_(std::make_unique<Socket>(thread.context())) {
  const Tcp::endpoint endpoint = endpointOf(address, port);
  socket_->ipv6 = endpoint.address().is_v6();
  Tcp::acceptor& acceptor = socket_->acceptor;
  ErrorCode error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(4096, error);
  if (!error) acceptor.non_blocking(true, error);
  if (error) {
    throw std::runtime_error("cannot listen on " + address + " port " + std::to_string(port) +
                             ": " + error.message());
  }
}

Listener::~Listener() = default;

std::uint16_t Listener::port() const {
  ErrorCode error;
  return socket_->acceptor.local_endpoint(error).port();
}

void Listener::start(Receiver receiver) {
  receiver_ = std::move(receiver);
  wait();
}

void Listener::wait() {
  socket_->acceptor.async_wait(Tcp::acceptor::wait_read, [this](ErrorCode error) {
    if (error) return;
    if (acceptAll()) {
      wait();
      return;
    }
    socket_->pause.expires_after(kPauseWhenFull);
    socket_->pause.async_wait([this](ErrorCode stopped) {
      if (!stopped) wait();
    });
  });
}

bool Listener::acceptAll() {
  while (true) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const int descriptor =
        ::accept4(socket_->acceptor.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size,
                  SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      receiver_({descriptor, socket_->ipv6, textOf(peer)});
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      kLog.warning("accept_paused", {{"reason", errno == EMFILE ? "too many open files"
                                                                : "the system is out of room"}});
      return false;
    }
    // Anything else concerns only the one connection that died before we took it.
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) return true;
  }
}

void Listener::stop() {
  if (!socket_->acceptor.is_open()) return;
  if (receiver_) acceptAll();
  ErrorCode ignored;
  socket_->acceptor.close(ignored);
  socket_->pause.cancel();
}

}  // namespace spindle::http
