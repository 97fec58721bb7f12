#include "http/local_clients.h"

#include "http/deferred_response.h"
#include "http/scripted_server.h"
#include "http/server_fixture.h"

namespace spindle::http {
namespace {

using Peer = ScriptedServer::Peer;

constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello";

/// A server that relays every request to another server; a response header shows the thread.
class LocalClientsTest : public ServerTest {
 protected:
  Response passOn(const std::string& url) {
    Response promise;
    promise.later = std::make_shared<DeferredResponse>();
    ClientRequest request;
    request.url = url;
    const std::thread::id asking = std::this_thread::get_id();
    clients.here().send(request, [later = promise.later, asking](Result<Response> answer) {
      Response response = answer ? *std::move(answer) : Response(502);
      response.headers.add("X-Same", asking == std::this_thread::get_id() ? "yes" : "no");
      later->give(std::move(response));
    });
    return promise;
  }
  void startAtOnce(bool at_once) {
    options.clients = &clients;
    service.on_admit = [at_once](const Request& /*head*/) {
      Admission admission;
      admission.body_limit = 1000;
      admission.at_once = at_once;
      return admission;
    };
    start();
  }

  ~LocalClientsTest() override { server.reset(); }

  LocalClients clients{ClientOptions()};  // outlives the server
};

TEST_F(LocalClientsTest, ARequestIsPassedOnAndAnsweredOnItsOwnThread) {
  ScriptedServer upstream([](Peer& peer) {
    while (!peer.readRequest().empty()) peer.send(kAnswer);
  });
  service.on_at_once = [&](Request& /*request*/) { return std::optional(passOn(upstream.url())); };
  startAtOnce(true);
  BlockingClient client(port());
  for (int i = 0; i < 3; ++i) {
    const WireResponse response = client.ask(post("/", "x"));
    EXPECT_EQ(response.body, "hello");
    EXPECT_EQ(response.headers.get("X-Same"), "yes");
  }
}

TEST_F(LocalClientsTest, FromAWorkerItIsPassedOnElsewhere) {
  ScriptedServer upstream([](Peer& peer) {
    while (!peer.readRequest().empty()) peer.send(kAnswer);
  });
  service.on_handle = [&](Request& /*request*/) { return passOn(upstream.url()); };
  startAtOnce(false);
  BlockingClient client(port());
  const WireResponse response = client.ask(post("/", "x"));
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.headers.get("X-Same"), "no");
}

TEST_F(LocalClientsTest, WhatCannotBeAnsweredAtOnceGoesToAWorker) {
  service.on_at_once = [](Request& /*request*/) { return std::optional<Response>(); };
  startAtOnce(true);
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/a", "x")).body, "POST /a x");
}

TEST_F(LocalClientsTest, AnExceptionAtOnceIsAnswered500) {
  service.on_at_once = [](Request& /*request*/) -> std::optional<Response> {
    throw std::runtime_error("no");
  };
  startAtOnce(true);
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/a", "x")).status, 500);
}

TEST_F(LocalClientsTest, AServerThatStopsEndsWhatIsUnderWay) {
  std::promise<void> asked;
  std::promise<void> released;
  ScriptedServer upstream([&](Peer& peer) {
    peer.readRequest();
    asked.set_value();
    released.get_future().wait();
  });
  options.limits.drain_timeout = std::chrono::milliseconds(1);
  service.on_at_once = [&](Request& /*request*/) { return std::optional(passOn(upstream.url())); };
  startAtOnce(true);
  BlockingClient client(port());
  client.send(post("/", "x"));
  asked.get_future().wait();
  EXPECT_FALSE(server->stop());
  released.set_value();
}

}  // namespace
}  // namespace spindle::http
