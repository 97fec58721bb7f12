// A bare Beast server, the baseline for the requests per second of the real server: reads a
// request, returns fixed bytes, keeps the connection alive.
//
//   bare_beast PORT IO_THREADS BODY

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = net::ip::tcp;
using Stream = Tcp::socket;

net::awaitable<void> serve(Stream stream, const std::string* body) {
  beast::flat_buffer buffer;
  boost::system::error_code error;
  auto token = net::redirect_error(net::use_awaitable, error);
  while (!error) {
    http::request<http::string_body> request;
    co_await http::async_read(stream, buffer, request, token);
    if (error) break;
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "application/json");
    response.keep_alive(request.keep_alive());
    response.body() = *body;
    response.prepare_payload();
    co_await http::async_write(stream, response, token);
    if (!response.keep_alive()) break;
  }
  stream.shutdown(Stream::shutdown_send, error);
}

net::awaitable<void> accept(Tcp::acceptor acceptor,
                            std::vector<net::io_context*> contexts,
                            const std::string* body) {
  for (std::size_t next = 0;; ++next) {
    net::io_context& context = *contexts[next % contexts.size()];
    Stream stream = co_await acceptor.async_accept(context, net::use_awaitable);
    boost::system::error_code ignored;
    stream.set_option(Tcp::no_delay(true), ignored);
    auto session = serve(std::move(stream), body);
    net::co_spawn(context, std::move(session), net::detached);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bare_beast PORT IO_THREADS BODY\n");
    return 2;
  }
  const auto port = static_cast<unsigned short>(std::atoi(argv[1]));
  const int threads = std::atoi(argv[2]);
  const std::string body = argv[3];

  std::vector<std::unique_ptr<net::io_context>> contexts;
  std::vector<net::io_context*> targets;
  for (int i = 0; i < threads; ++i) {
    contexts.push_back(std::make_unique<net::io_context>(1));
    targets.push_back(contexts.back().get());
  }
  Tcp::acceptor acceptor(*targets.front(), Tcp::endpoint(net::ip::make_address("127.0.0.1"), port));
  std::fprintf(stderr, "listening on http://127.0.0.1:%u\n", acceptor.local_endpoint().port());
  net::signal_set signals(*targets.front(), SIGINT, SIGTERM);
  signals.async_wait([&targets](const boost::system::error_code&, int) {
    for (net::io_context* context : targets) context->stop();
  });
  auto accepting = accept(std::move(acceptor), targets, &body);
  net::co_spawn(*targets.front(), std::move(accepting), net::detached);

  std::vector<net::executor_work_guard<net::io_context::executor_type>> guards;
  std::vector<std::thread> running;
  for (net::io_context* context : targets) {
    guards.push_back(net::make_work_guard(*context));
    running.emplace_back([context] { context->run(); });
  }
  for (std::thread& thread : running) thread.join();
  return 0;
}
