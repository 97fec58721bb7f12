#include "http/client/local_clients.h"

#include "http/message/deferred_response.h"
#include "http/server/server_fixture.h"
#include "http/testing/scripted_server.h"

namespace spindle::http {
namespace {

constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello";

/// A server that relays every request to another server; a response header shows the thread.
class LocalClientsTest : public ServerTest {
 public:
  ~LocalClientsTest() override { server_.reset(); }

 protected:
  Response passOn(const std::string& url) {
    Response promise;
    promise.later = std::make_shared<DeferredResponse>();
    ClientRequest request;
    request.url = url;
    const std::thread::id asking = std::this_thread::get_id();
    clients_.current().send(request, [later = promise.later, asking](Result<Response> answer) {
      Response response = answer ? *std::move(answer) : Response(502);
      response.headers.add("X-Same", asking == std::this_thread::get_id() ? "yes" : "no");
      later->complete(std::move(response));
    });
    return promise;
  }
  void startAtOnce(bool try_on_io_thread) {
    options_.clients = &clients_;
    service_.on_admit = [try_on_io_thread](const Request& /*head*/) {
      Admission admission;
      admission.body_limit = 1000;
      admission.try_on_io_thread = try_on_io_thread;
      return admission;
    };
    start();
  }

  LocalClients clients_{ClientOptions()};  // outlives the server
};

TEST_F(LocalClientsTest, RelaysARequestOnItsIoThread) {
  ScriptedServer upstream([](Peer& peer) {
    while (!peer.readRequest().empty()) peer.send(kAnswer);
  });
  service_.on_handle_on_io_thread = [&](Request& /*request*/) {
    return std::optional(passOn(upstream.url()));
  };
  startAtOnce(true);
  BlockingClient client(port());
  for (int i = 0; i < 3; ++i) {
    const WireResponse response = client.ask(post("/", "x"));
    EXPECT_EQ(response.body, "hello");
    EXPECT_EQ(response.headers.get("X-Same"), "yes");
  }
}

TEST_F(LocalClientsTest, WorkersUseTheSharedClient) {
  ScriptedServer upstream([](Peer& peer) {
    while (!peer.readRequest().empty()) peer.send(kAnswer);
  });
  service_.on_handle = [&](Request& /*request*/) { return passOn(upstream.url()); };
  startAtOnce(false);
  BlockingClient client(port());
  const WireResponse response = client.ask(post("/", "x"));
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.headers.get("X-Same"), "no");
}

TEST_F(LocalClientsTest, FallsBackToAWorker) {
  service_.on_handle_on_io_thread = [](Request& /*request*/) { return std::optional<Response>(); };
  startAtOnce(true);
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/a", "x")).body, "POST /a x");
}

TEST_F(LocalClientsTest, ExceptionOnTheIoThreadIsA500) {
  service_.on_handle_on_io_thread = [](Request& /*request*/) -> std::optional<Response> {
    throw std::runtime_error("no");
  };
  startAtOnce(true);
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/a", "x")).status, 500);
}

TEST_F(LocalClientsTest, StopCancelsRunningRequests) {
  std::promise<void> asked;
  std::promise<void> released;
  ScriptedServer upstream([&](Peer& peer) {
    peer.readRequest();
    asked.set_value();
    released.get_future().wait();
  });
  options_.limits.drain_timeout = std::chrono::milliseconds(1);
  service_.on_handle_on_io_thread = [&](Request& /*request*/) {
    return std::optional(passOn(upstream.url()));
  };
  startAtOnce(true);
  BlockingClient client(port());
  client.send(post("/", "x"));
  asked.get_future().wait();
  EXPECT_FALSE(server_->stop());
  released.set_value();
}

}  // namespace
}  // namespace spindle::http
