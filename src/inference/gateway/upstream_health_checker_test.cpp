#include "inference/gateway/upstream_health_checker.h"

#include <future>

#include <gtest/gtest.h>

#include "base/core/mutex.h"
#include "http/client/client.h"
#include "http/testing/scripted_server.h"
#include "inference/gateway/balancer.h"

namespace spindle::inference {
namespace {

using http::ScriptedServer;
using std::chrono::milliseconds;

std::string answerWith(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 2\r\n\r\n{}";
}

class Health : public ::testing::Test {
 protected:
  HealthTarget target(const ScriptedServer& server) const {
    return {
        .upstream_id = "up", .url = server.url("/v1"), .path = "/models", .key = Secret("the-key")};
  }
  /// Runs one round of checks and waits for the responses.
  void round(UpstreamHealthChecker& health) {
    std::promise<void> done;
    health.round([&done] { done.set_value(); });
    done.get_future().wait();
  }
  /// Returns true if the server is healthy after two checks.
  bool alive(const ScriptedServer::Script& script, milliseconds timeout = std::chrono::minutes(1)) {
    ScriptedServer server(script);
    UpstreamHealthChecker health(client_, balancer_, [&] { return std::vector{target(server)}; },
                                 {.timeout = timeout});
    round(health);
    round(health);
    const std::string url = server.url("/v1");
    const std::vector<Candidate> tier = {{"up", url}};
    return balancer_.choose(tier).has_value();
  }

  SystemClock clock_;
  Balancer balancer_{clock_};
  http::Client client_{{}};
};

TEST_F(Health, RequestsThePathWithTheKey) {
  std::string seen;
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    seen = peer.readRequest();
    peer.send(answerWith(200));
  });
  UpstreamHealthChecker health(client_, balancer_, [&] { return std::vector{target(server)}; });
  round(health);
  EXPECT_TRUE(seen.starts_with("GET /v1/models HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("Authorization: Bearer the-key\r\n"), std::string::npos) << seen;
}

TEST_F(Health, AnyResponseBelow500IsHealthy) {
  for (const int status : {200, 401, 404, 405, 429}) {
    EXPECT_TRUE(alive(http::respondingWith(answerWith(status)))) << status;
  }
}

TEST_F(Health, ATooLongResponseIsHealthy) {
  EXPECT_TRUE(alive(http::respondingWith(http::okResponse(std::string(100'000, 'x')))));
}

TEST_F(Health, ErrorsAreUnhealthy) {
  EXPECT_FALSE(alive(http::respondingWith(answerWith(500))));
  EXPECT_FALSE(alive(http::respondingWith(answerWith(503))));
  EXPECT_FALSE(alive(http::respondingWith("what?\r\n\r\n")));
  EXPECT_FALSE(alive([](ScriptedServer::Peer& peer) { peer.readRequest(); }));
}

TEST_F(Health, ATimeoutIsUnhealthy) {
  EXPECT_FALSE(alive(
      [](ScriptedServer::Peer& peer) {
        peer.readRequest();
        peer.awaitEnd();
      },
      milliseconds(20)));
}

TEST_F(Health, AnUpstreamWithoutAPathIsNotChecked) {
  ScriptedServer server(http::respondingWith(answerWith(500)));
  UpstreamHealthChecker health(client_, balancer_, [&] {
    HealthTarget unasked = target(server);
    unasked.path.clear();
    return std::vector{unasked};
  });
  round(health);
  round(health);
  EXPECT_EQ(server.connections(), 0);
  EXPECT_TRUE(balancer_.snapshot().empty());
}

TEST_F(Health, AnUpstreamWithAnOutstandingCheckIsSkipped) {
  std::promise<void> asked;
  std::promise<void> answer;
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    peer.readRequest();
    asked.set_value();
    answer.get_future().wait();
    peer.send(answerWith(200));
  });
  UpstreamHealthChecker health(client_, balancer_, [&] { return std::vector{target(server)}; },
                               {.timeout = std::chrono::minutes(1)});
  std::promise<void> first;
  health.round([&first] { first.set_value(); });
  asked.get_future().wait();
  round(health);
  answer.set_value();
  first.get_future().wait();
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Health, IsCheckedInTheBackground) {
  Mutex mutex;
  Condition asked;
  int times = 0;
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    while (!peer.readRequest().empty()) {
      peer.send(answerWith(200));
      const MutexLock lock(mutex);
      ++times;
      asked.notifyAll();
    }
  });
  {
    UpstreamHealthChecker health(client_, balancer_, [&] { return std::vector{target(server)}; },
                                 {.interval = milliseconds(5)});
    health.start();
    const MutexLock lock(mutex);
    while (times < 3) asked.wait(mutex);
  }
  const MutexLock lock(mutex);
  EXPECT_GE(times, 3);
}

TEST_F(Health, TheDestructorDoesNotWaitForResponses) {
  std::promise<void> asked;
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    peer.readRequest();
    asked.set_value();
    peer.awaitEnd();
  });
  {
    UpstreamHealthChecker health(client_, balancer_, [&] { return std::vector{target(server)}; },
                                 {.timeout = std::chrono::minutes(10)});
    health.round();
    asked.get_future().wait();
  }
  EXPECT_TRUE(balancer_.snapshot().empty());
}

}  // namespace
}  // namespace spindle::inference
