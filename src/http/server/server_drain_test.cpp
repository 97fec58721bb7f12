#include <atomic>
#include <thread>

#include "http/message/body_stream.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

class ServerDrain : public ServerTest {
 protected:
  /// Starts to stop the server and returns when it no longer accepts connections.
  void beginStop() {
    stopping_ = std::async(std::launch::async, [this] { return server_->stop(); });
    waitUntil([this] { return !BlockingClient(port()).connected(); });
  }

  std::future<bool> stopping_;
};

TEST_F(ServerDrain, ClosesIdleConnections) {
  start();
  BlockingClient used(port());
  EXPECT_EQ(used.ask(get("/")).status, 200);
  BlockingClient fresh(port());
  EXPECT_TRUE(server_->stop());
  EXPECT_TRUE(used.atEnd());
  EXPECT_TRUE(fresh.atEnd());
}

TEST_F(ServerDrain, LetsClientsLeaveBeforeTheStop) {
  start();
  BlockingClient used(port());
  const WireResponse before = used.ask(get("/"));
  EXPECT_EQ(before.headers.get("Connection"), "");
  server_->retire();
  EXPECT_EQ(used.ask(get("/")).headers.get("Connection"), "close");
  EXPECT_TRUE(used.atEnd());
  BlockingClient fresh(port());
  EXPECT_EQ(fresh.ask(get("/")).status, 200);
  EXPECT_TRUE(fresh.atEnd());
}

TEST_F(ServerDrain, StopsTwiceAndWithoutAStart) {
  start();
  EXPECT_TRUE(server_->stop());
  EXPECT_TRUE(server_->stop());
  Server never(options_, service_, metrics_);
  EXPECT_TRUE(never.stop());
}

TEST_F(ServerDrain, CompletesRunningRequests) {
  HandlerGate gate;
  service_.on_handle = [&](Request& /*request*/) {
    gate.pass();
    Response response;
    response.body = "done";
    return response;
  };
  start();
  BlockingClient client(port());
  client.send(get("/"));
  gate.awaitHandler();
  beginStop();
  gate.open();
  const WireResponse response = client.receive();
  EXPECT_EQ(response.body, "done");
  EXPECT_EQ(response.headers.get("Connection"), "close");
  EXPECT_TRUE(client.atEnd());
  client.close();
  EXPECT_TRUE(stopping_.get());
}

TEST_F(ServerDrain, AnswersRequestsThatHaveBegunToArrive) {
  start();
  BlockingClient head(port());
  head.send("GET /head HT");
  BlockingClient body(port());
  body.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(body.receive().status, 100);
  BlockingClient synced(port());
  EXPECT_EQ(synced.ask(get("/")).status, 200);
  beginStop();
  EXPECT_EQ(head.ask("TP/1.1\r\nHost: a\r\n\r\n").body, "GET /head ");
  const WireResponse response = body.ask("body");
  EXPECT_EQ(response.body, "POST /body body");
  EXPECT_EQ(response.headers.get("Connection"), "close");
  head.close();
  body.close();
  EXPECT_TRUE(stopping_.get());
}

TEST_F(ServerDrain, AnswersARequestThatCrossesTheStop) {
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(get("/a")).status, 200);
  beginStop();
  const WireResponse response = client.ask(get("/b"));
  EXPECT_EQ(response.body, "GET /b ");
  EXPECT_EQ(response.headers.get("Connection"), "close");
  EXPECT_TRUE(stopping_.get());
}

TEST_F(ServerDrain, AnswersEveryPipelinedRequest) {
  HandlerGate gate;
  service_.on_handle = [&](Request& request) {
    if (request.target == "/0") {
      gate.pass();
    }
    Response response;
    response.body = request.target;
    return response;
  };
  start();
  BlockingClient client(port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += get("/" + std::to_string(i));
  client.send(all);
  gate.awaitHandler();
  beginStop();
  gate.open();
  for (int i = 0; i < 50; ++i) {
    const WireResponse response = client.receive();
    EXPECT_EQ(response.body, "/" + std::to_string(i));
    EXPECT_EQ(response.headers.get("Connection"), i == 49 ? "close" : "");
  }
  EXPECT_TRUE(stopping_.get());
}

TEST_F(ServerDrain, LetsAStreamFinish) {
  auto body = std::make_shared<PushedBody>(100);
  service_.on_handle = [&body](Request& /*request*/) {
    Response response;
    response.stream = body;
    return response;
  };
  start();
  BlockingClient client(port());
  client.send(get("/"));
  EXPECT_NE(client.receiveSome().find("chunked"), std::string::npos);
  beginStop();
  body->push("rest");
  body->finish();
  std::string rest;
  while (!rest.ends_with("0\r\n\r\n")) {
    const std::string some = client.receiveSome();
    ASSERT_FALSE(some.empty());
    rest += some;
  }
  client.close();
  EXPECT_TRUE(stopping_.get());
  EXPECT_FALSE(body->cancelled());
}

TEST_F(ServerDrain, AbortsAndReportsRequestsAfterTheTimeout) {
  options_.limits.drain_timeout = std::chrono::milliseconds(30);
  options_.worker_threads = 1;
  HandlerGate gate;
  service_.on_handle = [&](Request& request) {
    if (request.target == "/runs") {
      gate.pass();
    }
    return Response(200);
  };
  start();
  BlockingClient runs(port());
  runs.send(get("/runs"));
  gate.awaitHandler();
  BlockingClient waits(port());
  waits.send(get("/waits"));
  BlockingClient slow(port());
  slow.send("GET / HT");
  waitUntil([this] { return metrics_.gauge("spindle_http_queued_requests", "").value() == 1; });
  beginStop();
  EXPECT_TRUE(runs.atEnd());
  EXPECT_TRUE(waits.atEnd());
  EXPECT_TRUE(slow.atEnd());
  gate.open();
  EXPECT_FALSE(stopping_.get());
  EXPECT_FALSE(server_->stop());
}

TEST_F(ServerDrain, CutsNoRequestUnderLoad) {
  for (int round = 0; round < 5; ++round) {
    start();
    std::atomic<int> answered{0};
    std::atomic<int> lost{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      auto client = std::make_shared<BlockingClient>(port());
      ASSERT_EQ(client->ask(get("/")).status, 200);
      clients.emplace_back([&answered, &lost, client] {
        for (bool open = true; open;) {
          const WireResponse response = client->ask(post("/", "body"));
          if (response.status != 200 || !response.complete) ++lost;
          if (response.status == 200) ++answered;
          open = response.status == 200 && response.headers.get("Connection") != "close";
        }
      });
    }
    waitUntil([&answered] { return answered > 200; });
    EXPECT_TRUE(server_->stop());
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(lost, 0);
    server_.reset();
  }
}

}  // namespace
}  // namespace spindle::http
