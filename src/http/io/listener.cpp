#include "http/io/listener.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/core/log.h"

namespace spindle::http {
namespace {

namespace net = boost::asio;
using Tcp = net::ip::tcp;

constexpr Logger kLog("http");
constexpr std::chrono::milliseconds kPauseWhenFull{100};

Tcp::endpoint endpointOf(const std::string& address, std::uint16_t port) {
  boost::system::error_code error;
  const net::ip::address parsed =
      net::ip::make_address(address == "localhost" ? "127.0.0.1" : address, error);
  if (error) {
    throw std::runtime_error("cannot listen on '" + address +
                             "': it is not an IPv4 or IPv6 address");
  }
  return {parsed, port};
}

std::string textOf(const sockaddr_storage& peer) {
  if (peer.ss_family != AF_INET && peer.ss_family != AF_INET6) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address =
      peer.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_addr)
          : &reinterpret_cast<const sockaddr_in*>(&peer)->sin_addr;
  const char* done = ::inet_ntop(peer.ss_family, address, text.data(), text.size());
  return done == nullptr ? "" : done;
}

[[noreturn]] void failUnix(const std::string& path, const std::string& reason) {
  throw std::runtime_error("cannot listen on " + path + ": " + reason);
}

sockaddr_un unixAddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    failUnix(path, "the path of a Unix socket has at most " +
                       std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// Returns true if the file is a socket on which no process listens.
bool isAbandoned(const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(address.sun_path, &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  const bool refused =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno == ECONNREFUSED;
  ::close(probe);
  return refused;
}

/// Returns the descriptor of a listening Unix socket. The caller owns it.
int listenUnix(const std::string& path) {
  const sockaddr_un address = unixAddressOf(path);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) failUnix(path, std::generic_category().message(errno));
  const auto bind_once = [descriptor, &address] {
    // bind() gives the file the socket's mode, so other users can never connect.
    return ::fchmod(descriptor, S_IRUSR | S_IWUSR) == 0 &&
           ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  };
  bool bound = bind_once();
  if (!bound && errno == EADDRINUSE && isAbandoned(address)) {
    ::unlink(path.c_str());
    bound = bind_once();
  }
  if (!bound || ::listen(descriptor, 4096) != 0) {
    const int reason = errno;
    ::close(descriptor);
    failUnix(path, std::generic_category().message(reason));
  }
  return descriptor;
}

}  // namespace

struct Listener::Socket {
  explicit Socket(net::io_context& context) : acceptor(context), pause(context) {}
  Tcp::acceptor acceptor;
  net::steady_timer pause;
  bool ipv6 = false;
  std::string path;  ///< of a Unix socket
};

Listener::Listener(IoThread& thread, const std::string& address, std::uint16_t port)
    : socket_(std::make_unique<Socket>(thread.context())) {
  const Tcp::endpoint endpoint = endpointOf(address, port);
  socket_->ipv6 = endpoint.address().is_v6();
  Tcp::acceptor& acceptor = socket_->acceptor;
  boost::system::error_code error;
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

Listener::Listener(IoThread& thread, const std::string& unix_path)
    : socket_(std::make_unique<Socket>(thread.context())) {
  const int descriptor = listenUnix(unix_path);
  socket_->path = unix_path;
  // Asio only waits for pending connections, so the address family does not matter.
  boost::system::error_code error;
  socket_->acceptor.assign(Tcp::v4(), descriptor, error);
  if (error) {
    ::close(descriptor);
    failUnix(unix_path, error.message());
  }
}

Listener::~Listener() { close(); }

void Listener::close() {
  if (!socket_->acceptor.is_open()) return;
  // Remove the file before closing: afterwards, another process may have created its own.
  if (!socket_->path.empty()) ::unlink(socket_->path.c_str());
  boost::system::error_code ignored;
  socket_->acceptor.close(ignored);
}

std::uint16_t Listener::port() const {
  if (!socket_->path.empty()) return 0;
  boost::system::error_code error;
  return socket_->acceptor.local_endpoint(error).port();
}

void Listener::start(Receiver receiver) {
  receiver_ = std::move(receiver);
  wait();
}

void Listener::wait() {
  socket_->acceptor.async_wait(Tcp::acceptor::wait_read, [this](boost::system::error_code error) {
    if (error) return;
    if (acceptAll()) {
      wait();
      return;
    }
    socket_->pause.expires_after(kPauseWhenFull);
    socket_->pause.async_wait([this](boost::system::error_code stopped) {
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
                                                                : "out of system resources"}});
      return false;
    }
    // Other errors concern only one connection, which ended before it was accepted.
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) return true;
  }
}

void Listener::stop() {
  if (!socket_->acceptor.is_open()) return;
  if (receiver_) acceptAll();
  close();
  socket_->pause.cancel();
}

}  // namespace spindle::http
