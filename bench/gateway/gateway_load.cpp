// Sends chat completion requests to a server and prints one line of JSON with the results.
//
//   gateway_load open HOST PORT PATH CONNECTIONS SECONDS RATE [HEADER…]
//       RATE requests per second, independent of the server; the time of a request begins when it
//       is due, so that the times include the delay that a stalled server causes
//   gateway_load closed HOST PORT PATH CONNECTIONS SECONDS 0 [HEADER…]
//       every connection sends its next request as soon as it has its response
//   gateway_load streams HOST PORT PATH STREAMS SECONDS 0 [HEADER…]
//       opens STREAMS concurrent streams, retries refused ones, and keeps them open
//
// One thread. A request that is rejected with 429 or 503 is counted separately and, in the closed
// loop, retried. Any other status than 200 ends the program.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/answer_reader.h"

namespace {

using spindle::bench::AnswerReader;
using Clock = std::chrono::steady_clock;

struct Plan {
  std::string mode;
  std::string host;
  std::uint16_t port = 0;
  std::size_t connections = 0;
  double seconds = 0;
  double rate = 0;
  std::string request;
};

struct Connection {
  int fd = -1;
  AnswerReader reader;
  Clock::time_point began;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "gateway_load: %s\n", why.c_str());
  std::exit(1);
}

std::string requestOf(
    const std::string& host, const std::string& path, bool streamed, char** headers, int count) {
  const std::string body =
      std::string(R"({"model":"mock","messages":[{"role":"system","content":"You are terse."},)") +
      R"({"role":"user","content":"Which animal jumps over which other one, and does anybody mind )" +
      R"(that it does? Answer in one sentence of at most twenty words."}],"temperature":0.7,)" +
      (streamed ? R"("stream":true,)" : "") + R"("max_tokens":64})";
  std::string request =
      "POST " + path + " HTTP/1.1\r\nHost: " + host +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n";
  for (int i = 0; i < count; ++i) request += std::string(headers[i]) + "\r\n";
  return request + "\r\n" + body;
}

/// Latencies in microseconds and their statistics.
class Times {
 public:
  void add(Clock::duration time) {
    all_.push_back(std::chrono::duration<double, std::micro>(time).count());
  }
  std::size_t size() const { return all_.size(); }
  double at(double part) {
    if (all_.empty()) return 0;
    std::sort(all_.begin(), all_.end());
    return all_[std::min(all_.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(all_.size())))];
  }

 private:
  std::vector<double> all_;
};

class Load {
 public:
  explicit Load(Plan plan) : plan_(std::move(plan)), connections_(plan_.connections) {
    epoll_ = epoll_create1(0);
    for (std::size_t i = 0; i < connections_.size(); ++i) connect(i);
  }

  /// The first tenth is the warm-up and is not counted.
  void openLoop() {
    std::vector<std::size_t> idle;
    for (std::size_t i = 0; i < connections_.size(); ++i) idle.push_back(i);
    std::deque<Clock::time_point> waiting;
    const auto total = static_cast<std::uint64_t>(plan_.rate * plan_.seconds);
    const std::uint64_t warm = total / 10;
    const Clock::time_point start = Clock::now();
    std::uint64_t due_count = 0;
    std::uint64_t answered = 0;
    Times times;
    const auto dueAt = [&](std::uint64_t number) {
      return start + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(static_cast<double>(number) / plan_.rate));
    };
    while (answered < total) {
      while (due_count < total && dueAt(due_count) <= Clock::now()) {
        waiting.push_back(dueAt(due_count++));
      }
      while (!waiting.empty() && !idle.empty()) {
        Connection& connection = connections_[idle.back()];
        idle.pop_back();
        connection.began = waiting.front();
        waiting.pop_front();
        send(connection);
      }
      poll(due_count < total ? dueAt(due_count) : Clock::now() + std::chrono::seconds(1),
           [&](std::size_t index) {
             const bool counts = answered++ >= warm && !refused(connections_[index]);
             if (counts) times.add(Clock::now() - connections_[index].began);
             idle.push_back(index);
           });
    }
    print(times, static_cast<double>(times.size()) / (plan_.seconds * 0.9));
  }

  void closedLoop() {
    const Clock::time_point start = Clock::now();
    const auto length =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan_.seconds));
    const Clock::time_point counted = start + length / 10;
    const Clock::time_point end = start + length;
    Times times;
    for (Connection& connection : connections_) ask(connection);
    while (Clock::now() < end) {
      poll(end, [&](std::size_t index) {
        Connection& connection = connections_[index];
        const bool counts = Clock::now() >= counted && !refused(connection);
        if (counts) times.add(Clock::now() - connection.began);
        ask(connection);
      });
    }
    const double seconds = std::chrono::duration<double>(end - counted).count();
    print(times, static_cast<double>(times.size()) / seconds);
  }

  void holdStreams() {
    const Clock::time_point start = Clock::now();
    for (Connection& connection : connections_) ask(connection);
    std::size_t begun = 0;
    while (begun < connections_.size()) {
      poll(Clock::now() + std::chrono::milliseconds(100), [this](std::size_t index) {
        if (!refused(connections_[index])) failEarly(index);
        ask(connections_[index]);
      });
      begun = static_cast<std::size_t>(
          std::count_if(connections_.begin(), connections_.end(), [](const Connection& stream) {
            return stream.reader.status() == 200 && stream.reader.events() > 0;
          }));
    }
    const double opened = std::chrono::duration<double>(Clock::now() - start).count();
    const std::uint64_t before = events();
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(plan_.seconds));
    while (Clock::now() < end) {
      poll(end, [this](std::size_t index) { failEarly(index); });
    }
    std::printf(R"({"streams":%zu,"refused":%llu,"opened_in":%.2f,"events_per_second":%.0f})"
                "\n",
                begun, static_cast<unsigned long long>(refused_), opened,
                static_cast<double>(events() - before) / plan_.seconds);
  }

 private:
  void connect(std::size_t index) {
    Connection& connection = connections_[index];
    connection.fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(plan_.port);
    inet_pton(AF_INET, plan_.host.c_str(), &address.sin_addr);
    if (::connect(connection.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      fail("cannot connect");
    const int on = 1;
    setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection.reader.reset();
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.u64 = index;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &wanted);
  }
  void ask(Connection& connection) const {
    connection.began = Clock::now();
    send(connection);
  }
  void send(Connection& connection) const {
    connection.reader.reset();
    const std::string& bytes = plan_.request;
    const ssize_t sent = ::send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(bytes.size())) fail("the connection broke while sending");
  }
  /// Reads until then; calls `done(index)` for every complete response.
  template <class Done>
  void poll(Clock::time_point until, Done done) {
    const auto left = std::max(until - Clock::now(), Clock::duration::zero());
    const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    const timespec wait{nanos / 1'000'000'000, nanos % 1'000'000'000};
    epoll_event ready[256];
    const int count = epoll_pwait2(epoll_, ready, 256, &wait, nullptr);
    for (int i = 0; i < count; ++i) {
      const std::size_t index = ready[i].data.u64;
      if (receive(connections_[index])) done(index);
    }
  }
  static bool receive(Connection& connection) {
    char bytes[65536];
    const ssize_t count = ::recv(connection.fd, bytes, sizeof bytes, 0);
    if (count <= 0) fail("the connection broke while receiving");
    const std::string_view received(bytes, static_cast<std::size_t>(count));
    connection.reader.feed(received);
    const int status = connection.reader.status();
    const bool wrong =
        connection.reader.hasHead() && status != 200 && status != 429 && status != 503;
    if (connection.reader.broken() || wrong) fail("answered " + std::string(received));
    return connection.reader.done();
  }
  [[noreturn]] void failEarly(std::size_t index) const {
    const AnswerReader& reader = connections_[index].reader;
    fail("a stream ended with status " + std::to_string(reader.status()) + " after " +
         std::to_string(reader.events()) + " events");
  }
  bool refused(const Connection& connection) {
    if (connection.reader.status() == 200) return false;
    if (refused_++ == 0) refused_status_ = connection.reader.status();
    return true;
  }
  std::uint64_t events() const {
    std::uint64_t sum = 0;
    for (const Connection& connection : connections_) sum += connection.reader.events();
    return sum;
  }
  void print(Times& times, double rate) const {
    std::printf(
        R"({"requests":%zu,"refused":%llu,"refused_status":%d,"rate":%.0f,"p50":%.1f,"p90":%.1f,"p99":%.1f,"max":%.1f})"
        "\n",
        times.size(), static_cast<unsigned long long>(refused_), refused_status_, rate,
        times.at(0.5), times.at(0.9), times.at(0.99), times.at(1));
  }

  const Plan plan_;
  std::vector<Connection> connections_;
  int epoll_ = -1;
  std::uint64_t refused_ = 0;
  int refused_status_ = 0;  ///< of the first refused request
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 8) fail("usage: gateway_load MODE HOST PORT PATH CONNECTIONS SECONDS RATE [HEADER…]");
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  // Timers have a default slack of 50 microseconds; requests must be sent when due.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);

  Plan plan;
  plan.mode = argv[1];
  plan.host = argv[2];
  plan.port = static_cast<std::uint16_t>(std::strtoul(argv[3], nullptr, 10));
  plan.connections = std::strtoull(argv[5], nullptr, 10);
  plan.seconds = std::strtod(argv[6], nullptr);
  plan.rate = std::strtod(argv[7], nullptr);
  plan.request = requestOf(plan.host, argv[4], plan.mode == "streams", argv + 8, argc - 8);
  Load load(plan);
  if (plan.mode == "open") {
    load.openLoop();
  } else if (plan.mode == "closed") {
    load.closedLoop();
  } else if (plan.mode == "streams") {
    load.holdStreams();
  } else {
    fail("no such mode: " + plan.mode);
  }
}
