#include "http/server/blocking_client.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace spindle::http {

struct BlockingClient::Socket {
  ~Socket() {
    if (ssl != nullptr) SSL_free(ssl);
    if (context != nullptr) SSL_CTX_free(context);
    if (descriptor >= 0) ::close(descriptor);
  }

  int descriptor = -1;
  bool up = false;
  bool reset = false;
  SSL_CTX* context = nullptr;
  SSL* ssl = nullptr;
};

BlockingClient::BlockingClient(std::uint16_t port, Tls tls) : socket_(std::make_unique<Socket>()) {
  Socket& socket = *socket_;
  socket.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{60, 0};
  ::setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int on = 1;
  ::setsockopt(socket.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socket.up = ::connect(socket.descriptor, reinterpret_cast<const sockaddr*>(&address),
                        sizeof address) == 0;
  if (!socket.up || tls == Tls::kNo) return;
  socket.context = SSL_CTX_new(TLS_client_method());
  socket.ssl = SSL_new(socket.context);
  SSL_set_fd(socket.ssl, socket.descriptor);
  socket.up = SSL_connect(socket.ssl) == 1;
}

BlockingClient::BlockingClient(const std::string& unix_path) : socket_(std::make_unique<Socket>()) {
  socket_->descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{60, 0};
  ::setsockopt(socket_->descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_->descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, unix_path.data(),
              std::min(unix_path.size(), sizeof address.sun_path - 1));
  socket_->up = ::connect(socket_->descriptor, reinterpret_cast<const sockaddr*>(&address),
                          sizeof address) == 0;
}

BlockingClient::~BlockingClient() = default;

bool BlockingClient::connected() const { return socket_->up; }
bool BlockingClient::wasReset() const { return socket_->reset; }

bool BlockingClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        socket_->ssl != nullptr
            ? SSL_write(socket_->ssl, bytes.data(), static_cast<int>(bytes.size()))
            : ::send(socket_->descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool BlockingClient::fill() {
  char bytes[16 * 1024];
  const ssize_t got = socket_->ssl != nullptr ? SSL_read(socket_->ssl, bytes, sizeof bytes)
                                              : ::recv(socket_->descriptor, bytes, sizeof bytes, 0);
  if (got <= 0) {
    socket_->reset = got < 0 && errno == ECONNRESET;
    return false;
  }
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

WireResponse BlockingClient::receive(bool head_only) {
  WireResponse response;
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return response;
  }
  const std::string head = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  response.status = std::stoi(head.substr(9, 3));
  std::size_t line = head.find("\r\n") + 2;
  while (line < head.size()) {
    const std::size_t line_end = head.find("\r\n", line);
    const std::size_t colon = head.find(": ", line);
    response.headers.add(head.substr(line, colon - line),
                         head.substr(colon + 2, line_end - colon - 2));
    line = line_end + 2;
  }
  if (head_only || response.status < 200 || response.status == 204 || response.status == 304) {
    response.complete = true;
    return response;
  }
  if (const std::string* length = response.headers.find("Content-Length")) {
    const std::size_t size = std::stoul(*length);
    while (buffer_.size() < size && fill()) {
    }
    response.complete = buffer_.size() >= size;
    response.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return response;
  }
  if (response.headers.get("Transfer-Encoding") != "chunked") {
    while (fill()) {
    }
    response.complete = !socket_->reset;
    response.body.swap(buffer_);
    return response;
  }
  response.complete = receiveChunks(response.body);
  return response;
}

bool BlockingClient::receiveChunks(std::string& body) {
  while (true) {
    std::size_t size_end = 0;
    while ((size_end = buffer_.find("\r\n")) == std::string::npos) {
      if (!fill()) return false;
    }
    std::size_t size = 0;
    std::from_chars(buffer_.data(), buffer_.data() + size_end, size, 16);
    while (buffer_.size() < size_end + size + 4) {
      if (!fill()) return false;
    }
    body += buffer_.substr(size_end + 2, size);
    buffer_.erase(0, size_end + size + 4);
    if (size == 0) return true;
  }
}

WireResponse BlockingClient::ask(std::string_view bytes) {
  send(bytes);
  return receive();
}

std::string BlockingClient::receiveSome() {
  if (buffer_.empty()) fill();
  return std::exchange(buffer_, std::string());
}

bool BlockingClient::atEnd() { return buffer_.empty() && !fill(); }

void BlockingClient::finishSending() { ::shutdown(socket_->descriptor, SHUT_WR); }

void BlockingClient::reset() {
  const linger now{1, 0};
  ::setsockopt(socket_->descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

void BlockingClient::close() {
  ::close(socket_->descriptor);
  socket_->descriptor = -1;
}

}  // namespace spindle::http
