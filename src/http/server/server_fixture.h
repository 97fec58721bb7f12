#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/core/metrics.h"
#include "http/server/blocking_client.h"
#include "http/server/server.h"

namespace spindle::http {

/// A Service whose functions a test replaces.
class FakeService final : public Service {
 public:
  Admission admit(const Request& head) const override {
    if (on_admit) return on_admit(head);
    Admission admission;
    admission.body_limit = body_limit;
    return admission;
  }
  std::optional<Response> checkCredential(Request& head) const override {
    return on_check ? on_check(head) : std::nullopt;
  }
  std::optional<Response> handleOnIoThread(Request& request) const override {
    return on_handle_on_io_thread ? on_handle_on_io_thread(request) : std::nullopt;
  }
  Response handle(Request& request) const override { return on_handle(request); }

  std::size_t body_limit = 1024UL * 1024;
  std::function<Admission(const Request&)> on_admit;
  std::function<std::optional<Response>(Request&)> on_check;
  std::function<std::optional<Response>(Request&)> on_handle_on_io_thread;
  /// Default: responds with the method, target and body of the request.
  std::function<Response(Request&)> on_handle = [](Request& request) {
    request.route = "/echo";
    Response response;
    response.headers.add("Content-Type", "text/plain");
    response.body = std::string(nameOf(request.method)) + " " + request.target + " " + request.body;
    return response;
  };
};

/// Holds a handler until the test opens the gate.
class HandlerGate {
 public:
  /// For the handler. One call only.
  void pass() {
    entered_.set_value();
    opened_.get_future().wait();
  }
  /// Waits until a handler has called pass().
  void awaitHandler() { entered_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> entered_;
  std::promise<void> opened_;
};

/// Fixture with a server on a free port. The test sets the options and then calls start().
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    options_.port = 0;
    options_.access_log = false;
    options_.worker_threads = 2;
  }

  void start() {
    server_ = std::make_unique<Server>(options_, service_, metrics_);
    server_->start();
  }
  std::uint16_t port() const { return server_->port(); }
  std::uint64_t rejected(const std::string& reason) {
    return metrics_.counter("spindle_http_rejected_total", "", {{"reason", reason}}).value();
  }

  /// Waits for a condition that no response shows. Fails the test after one minute.
  static void waitUntil(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "it did not happen";
      std::this_thread::yield();
    }
  }
  std::int64_t connections() {
    return metrics_.gauge("spindle_http_connections", "Open connections.").value();
  }

  static std::string get(const std::string& target, const std::string& fields = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
  }
  static std::string post(const std::string& target,
                          const std::string& body,
                          const std::string& fields = "") {
    return "POST " + target +
           " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           fields + "\r\n" + body;
  }

  ServerOptions options_;
  FakeService service_;
  MetricRegistry metrics_;
  std::unique_ptr<Server> server_;
};

}  // namespace spindle::http
