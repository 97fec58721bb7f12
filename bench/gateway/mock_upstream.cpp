// A minimal OpenAI-compatible upstream: one thread, no allocation per response, always the same
// answer.
//
//   mock_upstream EVENTS PACE_MS
//
// A request with `"stream":true` gets EVENTS events, all at once if PACE_MS is 0, else one every
// PACE_MS milliseconds. Prints `listening on URL` to stderr.

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "gateway/answer_reader.h"

namespace {

using spindle::bench::AnswerReader;

/// Number of groups of streams; each tick serves one group, which avoids bursts.
constexpr std::uint64_t kGroups = 20;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::string sized(const char* type, const std::string& body) {
  return std::string("HTTP/1.1 200 OK\r\nContent-Type: ") + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string chunked(const std::string& piece) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
  return size + piece + "\r\n";
}

const std::string kWhole = sized(
    "application/json",
    R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"mock","choices":)"
    R"([{"index":0,"message":{"role":"assistant","content":"The quick brown fox jumps over the lazy )"
    R"(dog, and nobody minds in the least."},"finish_reason":"stop"}],"usage":{"prompt_tokens":42,)"
    R"("completion_tokens":16,"total_tokens":58,"prompt_tokens_details":{"cached_tokens":0}}})");
const std::string kModels = sized("application/json", R"({"object":"list","data":[]})");
const std::string kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";
const std::string kEvent = chunked(
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"mock",)"
    R"("choices":[{"index":0,"delta":{"content":" quick"},"finish_reason":null}]})"
    "\n\n");
const std::string kStreamEnd =
    chunked(
        R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":)"
        R"("mock","choices":[],"usage":{"prompt_tokens":42,"completion_tokens":16,"total_tokens":58}})"
        "\n\n") +
    chunked("data: [DONE]\n\n") + "0\r\n\r\n";

struct Connection {
  AnswerReader reader;
  std::string request;            ///< the body so far, to see what is asked for
  std::uint64_t events_left = 0;  ///< of a stream that is under way
  std::uint64_t group = 0;
};

class Mock {
 public:
  Mock(std::uint64_t events, long pace_ms) : events_(events), paced_(pace_ms > 0) {
    epoll_ = epoll_create1(0);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("bind");
    if (::listen(listener_, 4096) != 0) fail("listen");
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    watch(listener_);
    if (paced_) startTimer(pace_ms);
    std::fprintf(stderr, "listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
  }

  [[noreturn]] void run() {
    epoll_event ready[256];
    while (true) {
      const int count = epoll_wait(epoll_, ready, 256, -1);
      for (int i = 0; i < count; ++i) {
        const int fd = ready[i].data.fd;
        if (fd == listener_) {
          acceptAll();
        } else if (fd == timer_) {
          tick();
        } else {
          receive(fd);
        }
      }
    }
  }

 private:
  void watch(int fd) const {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted);
  }
  void startTimer(long pace_ms) {
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    const long nanos = pace_ms * 1'000'000 / static_cast<long>(kGroups);
    const timespec step{nanos / 1'000'000'000, nanos % 1'000'000'000};
    const itimerspec every{step, step};
    timerfd_settime(timer_, 0, &every, nullptr);
    watch(timer_);
  }
  void acceptAll() {
    while (true) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      auto connection = std::make_unique<Connection>();
      connection->reader.reset();
      connection->group = next_group_++ % kGroups;
      connections_[fd] = std::move(connection);
      watch(fd);
    }
  }
  void receive(int fd) {
    Connection& connection = *connections_.at(fd);
    char bytes[65536];
    const ssize_t count = ::recv(fd, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close(fd);
    std::string_view rest(bytes, static_cast<std::size_t>(count));
    while (!rest.empty()) {
      const std::size_t taken = connection.reader.feed(rest);
      connection.request.append(rest.substr(0, taken));
      rest.remove_prefix(taken);
      if (!connection.reader.done()) break;
      answer(fd, connection);
      connection.reader.reset();
      connection.request.clear();
    }
  }
  void answer(int fd, Connection& connection) const {
    if (connection.request.starts_with("GET")) return send(fd, kModels);
    if (connection.request.find(R"("stream":true)") == std::string::npos) return send(fd, kWhole);
    std::string head = kStreamHead;
    if (paced_) {
      connection.events_left = events_;
    } else {
      for (std::uint64_t i = 0; i < events_; ++i) head += kEvent;
      head += kStreamEnd;
    }
    send(fd, head);
  }
  void tick() {
    std::uint64_t times = 0;
    if (::read(timer_, &times, sizeof times) < 0) return;
    const std::uint64_t turn = turn_++ % kGroups;
    for (const auto& [fd, connection] : connections_) {
      if (connection->events_left == 0 || connection->group != turn) continue;
      send(fd, --connection->events_left == 0 ? kEvent + kStreamEnd : kEvent);
    }
  }
  /// Sends a small response. Closes the connection if the socket does not accept all bytes at once.
  static void send(int fd, const std::string& bytes) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(bytes.size())) ::shutdown(fd, SHUT_RDWR);
  }
  void close(int fd) {
    connections_.erase(fd);
    ::close(fd);
  }

  const std::uint64_t events_;
  const bool paced_;
  int epoll_ = -1;
  int listener_ = -1;
  int timer_ = -1;
  std::uint64_t next_group_ = 0;
  std::uint64_t turn_ = 0;
  std::unordered_map<int, std::unique_ptr<Connection>> connections_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: mock_upstream EVENTS PACE_MS\n");
    return 2;
  }
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  Mock mock(std::strtoull(argv[1], nullptr, 10), std::strtol(argv[2], nullptr, 10));
  mock.run();
}
