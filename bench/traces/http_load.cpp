#include "traces/http_load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace spindle::bench {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::exit(1);
}

int connectTo(const LoadPlan& plan) {
  const int socket_fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(plan.port);
  inet_pton(AF_INET, plan.host.c_str(), &address.sin_addr);
  if (::connect(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    fail("cannot connect");
  const int on = 1;
  setsockopt(socket_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket_fd;
}

void sendAll(int socket_fd, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket_fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) fail("the connection broke while sending");
    sent += static_cast<std::size_t>(count);
  }
}

/// Reads one response with a Content-Length. Any status except 200 ends the program.
void receive(int socket_fd, std::string& buffer) {
  buffer.clear();
  std::size_t whole = 0;
  while (whole == 0 || buffer.size() < whole) {
    char chunk[4096];
    const ssize_t count = ::recv(socket_fd, chunk, sizeof chunk, 0);
    if (count <= 0) fail("the connection broke while receiving");
    buffer.append(chunk, static_cast<std::size_t>(count));
    const std::size_t head = buffer.find("\r\n\r\n");
    if (whole != 0 || head == std::string::npos) continue;
    const char* length = strcasestr(buffer.c_str(), "content-length:");
    if (length == nullptr) fail("an answer without a length: " + buffer);
    whole = head + 4 + std::strtoull(length + 15, nullptr, 10);
  }
  if (buffer.compare(0, 12, "HTTP/1.1 200") != 0) fail("answered " + buffer);
}

/// Free connections take the batches in order.
void work(const LoadPlan& plan,
          const MakeRequest& make,
          std::atomic<std::uint64_t>& next,
          std::vector<double>& times) {
  const int socket_fd = connectTo(plan);
  const Clock::time_point began = Clock::now();
  std::string answer;
  while (true) {
    const std::uint64_t number = next.fetch_add(1);
    const std::uint64_t from = number * plan.batch;
    if (from >= plan.items) break;
    const std::string request = make(number, from, std::min(plan.items, from + plan.batch));
    if (plan.rate > 0) {
      const auto due =
          began + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(static_cast<double>(from) / plan.rate));
      std::this_thread::sleep_until(due);
    }
    const Clock::time_point sent = Clock::now();
    sendAll(socket_fd, request);
    receive(socket_fd, answer);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent).count());
  }
  ::close(socket_fd);
}

}  // namespace

std::string postRequest(const std::string& path,
                        const std::string& headers,
                        const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: bench\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void runLoad(const LoadPlan& plan, const char* items_name, const MakeRequest& make) {
  std::atomic<std::uint64_t> next{0};
  std::vector<std::vector<double>> times(plan.connections);
  std::vector<std::thread> threads;
  const Clock::time_point began = Clock::now();
  for (std::vector<double>& mine : times)
    threads.emplace_back([&plan, &make, &next, &mine] { work(plan, make, next, mine); });
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();

  std::vector<double> all;
  for (const std::vector<double>& some : times) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  const auto at = [&all](double part) {
    return all[std::min(all.size() - 1,
                        static_cast<std::size_t>(part * static_cast<double>(all.size())))];
  };
  std::printf(R"({"%s":%llu,"seconds":%.3f,"rate":%.0f,"p50":%.2f,"p99":%.2f,"max":%.2f})"
              "\n",
              items_name, static_cast<unsigned long long>(plan.items), seconds,
              static_cast<double>(plan.items) / seconds, at(0.5), at(0.99), all.back());
}

}  // namespace spindle::bench
