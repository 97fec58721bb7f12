#include "http/testing/scripted_server.h"

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace spindle::http {

ScriptedServer::Peer::Peer(int descriptor, SSL_CTX* tls) : descriptor_(descriptor) {
  if (tls == nullptr) return;
  tls_ = SSL_new(tls);
  SSL_set_fd(tls_, descriptor);
}

ScriptedServer::Peer::~Peer() {
  if (tls_ != nullptr) SSL_free(tls_);
  ::close(descriptor_);
}

void ScriptedServer::Peer::shutDown() const { ::shutdown(descriptor_, SHUT_RDWR); }

std::string ScriptedServer::Peer::read() {
  std::array<char, 16384> bytes{};
  if (tls_ != nullptr) {
    if (SSL_is_init_finished(tls_) == 0 && SSL_accept(tls_) != 1) return {};
    const int got = SSL_read(tls_, bytes.data(), bytes.size());
    return std::string(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
  return std::string(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
}

std::string ScriptedServer::Peer::readRequest() {
  std::size_t wanted = std::string::npos;
  while (unread_.size() < wanted) {
    const std::size_t head_end = unread_.find("\r\n\r\n");
    if (wanted == std::string::npos && head_end != std::string::npos) {
      wanted = head_end + 4;
      const std::size_t length = unread_.find("\r\nContent-Length: ");
      if (length < head_end) wanted += std::stoul(unread_.substr(length + 18));
      continue;
    }
    const std::string more = read();
    if (more.empty()) return {};
    unread_ += more;
  }
  std::string request = unread_.substr(0, wanted);
  unread_.erase(0, wanted);
  return request;
}

bool ScriptedServer::Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ != nullptr
                             ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void ScriptedServer::Peer::awaitEnd() {
  while (!read().empty()) {
  }
}

std::string ScriptedServer::Peer::serverName() const {
  const char* name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

namespace {

/// Returns a socket that listens on an address.
template <class Address>
int listenOn(const Address& address, int family) {
  const int listener = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(listener, 64), 0);
  return listener;
}

}  // namespace

ScriptedServer::ScriptedServer(Script script, SSL_CTX* tls)
    : script_(std::move(script)), tls_(tls) {
  ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to a disconnected client without MSG_NOSIGNAL
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listener_ = listenOn(address, AF_INET);
  socklen_t size = sizeof(address);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { acceptAll(); });
}

ScriptedServer::ScriptedServer(Script script, const std::string& socket_path)
    : script_(std::move(script)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof(address.sun_path) - 1);
  listener_ = listenOn(address, AF_UNIX);
  acceptor_ = std::thread([this] { acceptAll(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const MutexLock lock(mutex_);
    for (const Peer& peer : peers_) peer.shutDown();
  }
  for (std::thread& script : scripts_) script.join();
}

void ScriptedServer::acceptAll() {
  while (true) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    ++connections_;
    const MutexLock lock(mutex_);
    Peer& peer = peers_.emplace_back(descriptor, tls_);
    scripts_.emplace_back([this, &peer] {
      script_(peer);
      peer.shutDown();
    });
  }
}

std::string ScriptedServer::url(std::string_view target) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(target);
}

ScriptedServer::Script respondingWith(std::string answer) {
  return [answer = std::move(answer)](ScriptedServer::Peer& peer) {
    while (!peer.readRequest().empty()) {
      if (!peer.send(answer)) return;
    }
  };
}

std::string okResponse(std::string_view body, std::string_view more_headers) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

}  // namespace spindle::http
