#include "http/message/deferred_response.h"

#include <array>
#include <vector>

#include "http/message/body_stream.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

Response saying(std::string text) {
  Response response;
  response.headers.add("Content-Type", "text/plain");
  response.body = std::move(text);
  return response;
}

TEST(DeferredResponse, FirstResponseWins) {
  DeferredResponse later;
  EXPECT_FALSE(later.given());
  EXPECT_TRUE(later.complete(saying("one")));
  EXPECT_FALSE(later.complete(saying("two")));
  ASSERT_TRUE(later.given());
  EXPECT_EQ(later.take().body, "one");
}

TEST(DeferredResponse, WakesTheSessionOnceInAnyOrder) {
  for (const bool given_before : {false, true}) {
    DeferredResponse later;
    int woken = 0;
    if (given_before) later.complete(saying("x"));
    later.onResponse([&woken] { ++woken; });
    if (!given_before) later.complete(saying("x"));
    EXPECT_EQ(woken, 1);
  }
}

TEST(DeferredResponse, SignalsADisconnectOnceInAnyOrder) {
  for (const bool gone_before : {false, true}) {
    DeferredResponse later;
    int told = 0;
    if (gone_before) later.abandon();
    later.onDisconnect([&told] { ++told; });
    later.abandon();
    later.abandon();
    EXPECT_EQ(told, 1);
    EXPECT_FALSE(later.complete(saying("nobody listens")));
  }
}

TEST(DeferredResponse, DisconnectAfterTheResponseIsIgnored) {
  DeferredResponse later;
  int told = 0;
  later.onDisconnect([&told] { ++told; });
  later.complete(saying("x"));
  later.abandon();
  later.onDisconnect([&told] { ++told; });
  EXPECT_EQ(told, 0);
}

class ServerDeferred : public ServerTest {
 protected:
  /// Defers the response to /later and responds to all other requests immediately.
  void serveLater() {
    service_.on_handle = [this](Request& request) {
      if (request.target != "/later") return saying(request.target);
      Response response;
      response.headers.add("X-Promised", "yes");
      response.later = std::make_shared<DeferredResponse>();
      const MutexLock lock(mutex_);
      promised_.push_back(response.later);
      changed_.notifyAll();
      return response;
    };
    start();
  }
  std::shared_ptr<DeferredResponse> promise(std::size_t index) {
    const MutexLock lock(mutex_);
    while (promised_.size() <= index) changed_.wait(mutex_);
    return promised_[index];
  }

  Mutex mutex_;
  Condition changed_;
  std::vector<std::shared_ptr<DeferredResponse>> promised_;
};

TEST_F(ServerDeferred, SendsACompleteResponseAndKeepsTheConnection) {
  serveLater();
  BlockingClient client(port());
  for (std::size_t i = 0; i < 3; ++i) {
    client.send(get("/later"));
    promise(i)->complete(saying("answer " + std::to_string(i)));
    const WireResponse response = client.receive();
    EXPECT_EQ(response.body, "answer " + std::to_string(i));
    EXPECT_EQ(response.headers.get("X-Promised"), "yes");
  }
}

TEST_F(ServerDeferred, SendsAStreamedResponse) {
  serveLater();
  BlockingClient client(port());
  client.send(get("/later"));
  auto body = std::make_shared<PushedBody>(1000);
  Response response;
  response.stream = body;
  promise(0)->complete(std::move(response));
  ASSERT_TRUE(body->push("one "));
  ASSERT_TRUE(body->push("two"));
  body->finish();
  EXPECT_EQ(client.receive().body, "one two");
}

TEST_F(ServerDeferred, OccupiesNoWorkerAndRespondsInOrder) {
  serveLater();
  std::array<std::unique_ptr<BlockingClient>, 16> waiting;  // many more than there are workers
  for (auto& client : waiting) {
    client = std::make_unique<BlockingClient>(port());
    client->send(get("/later") + get("/behind"));
  }
  BlockingClient other(port());
  EXPECT_EQ(other.ask(get("/now")).body, "/now");
  for (std::size_t i = 0; i < waiting.size(); ++i) promise(i)->complete(saying("late"));
  for (auto& client : waiting) {
    EXPECT_EQ(client->receive().body, "late");
    EXPECT_EQ(client->receive().body, "/behind");
  }
}

TEST_F(ServerDeferred, SignalsADisconnectToTheProducer) {
  serveLater();
  BlockingClient client(port());
  client.send(get("/later"));
  std::promise<void> gone;
  promise(0)->onDisconnect([&gone] { gone.set_value(); });
  client.close();
  gone.get_future().wait();
  EXPECT_FALSE(promise(0)->complete(saying("too late")));
}

TEST_F(ServerDeferred, StopSignalsADisconnectToTheProducer) {
  options_.limits.drain_timeout = std::chrono::milliseconds(1);
  serveLater();
  BlockingClient client(port());
  client.send(get("/later"));
  std::promise<void> gone;
  promise(0)->onDisconnect([&gone] { gone.set_value(); });
  EXPECT_FALSE(server_->stop());
  gone.get_future().wait();
}

TEST_F(ServerDeferred, StopWaitsForAResponse) {
  serveLater();
  BlockingClient client(port());
  client.send(get("/later"));
  const std::shared_ptr<DeferredResponse> later = promise(0);
  std::thread stopping([this] { server_->stop(); });
  later->complete(saying("in time"));
  EXPECT_EQ(client.receive().body, "in time");
  stopping.join();
}

}  // namespace
}  // namespace spindle::http
