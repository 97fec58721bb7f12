// Credentials before bodies, memory budgets of bodies, minimum rates, and shares of the workers.

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include "base/core/byte_units.h"
#include "http/message/compression.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

/// Returns the principal that a test names in the header `X-Key`; the team is before the dash.
Principal principalOf(const Request& head) {
  Principal principal;
  principal.key_id = head.headers.get("X-Key");
  principal.user_id = principal.key_id;
  principal.team_id = principal.key_id.substr(0, principal.key_id.find('-'));
  return principal;
}

class ServerBudget : public ServerTest {
 protected:
  ServerBudget() {
    service_.on_admit = [this](const Request& head) {
      Admission admission;
      admission.body_limit = 10 * kKiB * kKiB;
      admission.uses_outbound_threads = head.path() == "/outside";
      if (pending_) {
        admission.credential_pending = true;
      } else if (head.headers.find("X-Key") != nullptr) {
        admission.principal = principalOf(head);
      }
      return admission;
    };
  }

  std::int64_t bodyBytes() { return metrics_.gauge("spindle_http_body_bytes", "").value(); }
  std::int64_t unauthenticatedBytes() {
    return metrics_.gauge("spindle_http_unauthenticated_bytes", "").value();
  }

  static std::string head(const std::string& key,
                          std::size_t length,
                          const std::string& more = "") {
    return "POST / HTTP/1.1\r\nHost: a\r\nX-Key: " + key +
           "\r\nContent-Length: " + std::to_string(length) + "\r\n" + more + "\r\n";
  }

  /// Makes requests for `path` wait until `open_` is set. `inside_` counts them.
  void blockAt(const std::string& path) {
    service_.on_handle = [this, path, opened = open_.get_future().share()](Request& request) {
      if (request.path() == path) {
        ++inside_;
        opened.wait();
      }
      return Response();
    };
  }

  /// Sends 80 of the 90 KiB of a body, and waits until the server has them.
  void sendMostOfABody(BlockingClient& client) {
    ASSERT_TRUE(client.send(head("a-1", 90 * kKiB) + std::string(80 * kKiB, 'x')));
    waitUntil([this] { return bodyBytes() >= static_cast<std::int64_t>(80 * kKiB); });
  }
  void expectRefusal(const WireResponse& refused, int status, const std::string& reason) {
    EXPECT_EQ(refused.status, status);
    EXPECT_EQ(refused.headers.get("Retry-After"), "1");
    EXPECT_EQ(rejected(reason), 1U);
  }

  bool pending_ = false;
  std::promise<void> open_;
  std::atomic<int> inside_{0};
};

TEST_F(ServerBudget, AWrongCredentialIsRefusedBeforeItsBodyIsRead) {
  pending_ = true;
  std::atomic<int> handled{0};
  service_.on_check = [](Request&) { return std::optional<Response>(Response(401)); };
  service_.on_handle = [&handled](Request&) {
    ++handled;
    return Response();
  };
  start();
  std::vector<std::unique_ptr<BlockingClient>> clients;
  for (std::size_t i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<BlockingClient>(port()));
    // Sends no body, a body that fits into the buffer, or a chunked body.
    ASSERT_TRUE(clients.back()->send(
        i % 2 == 0 ? head("bad", 5'000'000) + std::string(i * 1000, 'x')
                   : "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  }
  for (const auto& client : clients) {
    const WireResponse response = client->receive();
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.headers.get("Connection"), "close");
  }
  EXPECT_EQ(bodyBytes(), 0);
  EXPECT_EQ(handled, 0);
}

TEST_F(ServerBudget, Sends100ContinueAfterTheCredentialCheck) {
  pending_ = true;
  std::promise<void> checked;
  std::shared_future<void> may_go_on = checked.get_future().share();
  service_.on_check = [may_go_on](Request& head) {
    may_go_on.wait();
    head.principal = principalOf(head);
    return std::optional<Response>();
  };
  start();
  BlockingClient client(port());
  ASSERT_TRUE(client.send(head("t-1", 4, "Expect: 100-continue\r\n")));
  waitUntil([this] { return connections() == 1; });
  checked.set_value();
  EXPECT_EQ(client.receiveSome(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client.ask("body").body, "POST / body");
}

TEST_F(ServerBudget, ReceivedBodyNeedsNoSeparateCredentialCheck) {
  pending_ = true;
  std::atomic<int> checks{0};
  service_.on_check = [&checks](Request&) {
    ++checks;
    return std::optional<Response>();
  };
  start();
  EXPECT_EQ(BlockingClient(port()).ask(head("t-1", 4) + "body").status, 200);
  EXPECT_EQ(BlockingClient(port()).ask(get("/")).status, 200);
  EXPECT_EQ(checks, 0);
}

TEST_F(ServerBudget, BodiesOfOneKeyShareItsMemory) {
  options_.limits.body_memory_per_key = 100 * kKiB;
  start();
  BlockingClient slow(port());
  sendMostOfABody(slow);

  BlockingClient second(port());
  const WireResponse refused = second.ask(head("a-1", 90 * kKiB));
  expectRefusal(refused, 429, "key_body_memory");
  EXPECT_EQ(BlockingClient(port()).ask(head("a-1", 101 * kKiB)).status, 413);
  EXPECT_EQ(BlockingClient(port()).ask(head("a-2", 90 * kKiB) + std::string(90 * kKiB, 'x')).status,
            200)
      << "another key";
  EXPECT_EQ(BlockingClient(port()).ask(post("/", "small", "X-Key: a-1\r\n")).status, 200);
  EXPECT_EQ(slow.ask(std::string(10 * kKiB, 'x')).status, 200);
  EXPECT_EQ(BlockingClient(port()).ask(head("a-1", 90 * kKiB) + std::string(90 * kKiB, 'x')).status,
            200);
  EXPECT_EQ(bodyBytes(), 0);
}

TEST_F(ServerBudget, AllBodiesShareTheServerBudget) {
  options_.limits.body_memory = 100 * kKiB;
  start();
  BlockingClient slow(port());
  sendMostOfABody(slow);
  const WireResponse refused = BlockingClient(port()).ask(head("b-1", 50 * kKiB));
  expectRefusal(refused, 503, "body_memory");
  const WireResponse large = BlockingClient(port()).ask(head("b-1", 101 * kKiB));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(slow.ask(std::string(10 * kKiB, 'x')).status, 200);
}

TEST_F(ServerBudget, ChunkedBodiesAreChargedAsTheyGrow) {
  options_.limits.body_memory_per_key = 100 * kKiB;
  start();
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'x') + "\r\n";
  const std::string start_of =
      "POST / HTTP/1.1\r\nHost: a\r\nX-Key: a-1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(BlockingClient(port()).ask(start_of + chunk + chunk + "0\r\n\r\n").status, 200);
  EXPECT_EQ(BlockingClient(port()).ask(start_of + chunk + chunk + chunk + chunk).status, 413);
  waitUntil([this] { return bodyBytes() == 0; });
}

TEST_F(ServerBudget, DecompressedBodiesAreChargedToo) {
  options_.limits.body_memory_per_key = 100 * kKiB;
  start();
  for (const Coding coding : {Coding::kGzip, Coding::kZstd}) {
    const auto packed = [coding](std::size_t size) {
      const std::unique_ptr<Encoder> encoder = Encoder::make(coding);
      std::string bytes = encoder->feed(std::string(size, 'x'), false);
      return bytes + encoder->finish();
    };
    const std::string fields =
        "X-Key: a-1\r\nContent-Encoding: " + std::string(nameOf(coding)) + "\r\n";
    EXPECT_EQ(BlockingClient(port()).ask(post("/", packed(1000 * kKiB), fields)).status, 413);
    EXPECT_EQ(BlockingClient(port()).ask(post("/", packed(90 * kKiB), fields)).status, 200);
  }
  waitUntil([this] { return bodyBytes() == 0; });
}

TEST_F(ServerBudget, HeadsOfUnknownClientsShareOneBudget) {
  options_.limits.unauthenticated_memory = 40 * kKiB;
  start();
  const std::string half = "GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(2000, 'x');
  BlockingClient first(port());
  BlockingClient second(port());
  ASSERT_TRUE(first.send(half) && second.send(half));
  waitUntil([this] { return unauthenticatedBytes() == 32L * 1024; });
  const WireResponse refused = BlockingClient(port()).ask(half);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.get("Retry-After"), "1");
  EXPECT_EQ(first.ask("\r\n\r\n").status, 200);
  EXPECT_EQ(BlockingClient(port()).ask(half + "\r\n\r\n").status, 200);
}

TEST_F(ServerBudget, ABodyBelowTheRateIsCutOffAfterTheGrace) {
  options_.limits.body_timeout = std::chrono::hours(1);
  options_.limits.body_rate = kKiB;
  options_.limits.body_grace = std::chrono::milliseconds(50);
  start();
  BlockingClient client(port());
  ASSERT_TRUE(client.send(head("a-1", 1000) + "x"));
  const WireResponse response = client.receive();
  EXPECT_EQ(response.status, 408);
  EXPECT_EQ(rejected("body_timeout"), 1U);
  EXPECT_TRUE(client.atEnd());
}

TEST_F(ServerBudget, OutboundHandlersOccupyNoWorker) {
  options_.worker_threads = 1;
  options_.outbound_threads = 2;
  blockAt("/outside");
  start();
  std::vector<std::unique_ptr<BlockingClient>> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(std::make_unique<BlockingClient>(port()));
    ASSERT_TRUE(waiting.back()->send(get("/outside", "X-Key: a-1\r\n")));
  }
  waitUntil([this] { return inside_ >= 1; });
  EXPECT_EQ(BlockingClient(port()).ask(get("/", "X-Key: a-1\r\n")).status, 200);
  open_.set_value();
  for (const auto& client : waiting) EXPECT_EQ(client->receive().status, 200);
}

TEST_F(ServerBudget, ATeamThatBlocksItsWorkersDoesNotStopAnother) {
  options_.worker_threads = 4;
  options_.limits.queued_requests = 8;
  blockAt("/slow");
  start();
  std::vector<std::unique_ptr<BlockingClient>> slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(std::make_unique<BlockingClient>(port()));
    // Two keys, one team.
    const std::string fields = "X-Key: greedy-" + std::to_string(i % 2) + "\r\n";
    ASSERT_TRUE(slow.back()->send(get("/slow", fields)));
    if (i == 2) waitUntil([this] { return inside_ == 3; });
  }
  waitUntil([this] { return metrics_.gauge("spindle_http_queued_requests", "").value() == 7; });
  EXPECT_EQ(BlockingClient(port()).ask(get("/", "X-Key: modest-1\r\n")).status, 200);
  EXPECT_EQ(BlockingClient(port()).ask(get("/")).status, 200) << "without a key";
  const WireResponse refused = BlockingClient(port()).ask(get("/slow", "X-Key: greedy-1\r\n"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.get("Retry-After"), "1");
  EXPECT_EQ(inside_, 3);
  open_.set_value();
  for (const auto& client : slow) EXPECT_EQ(client->receive().status, 200);
}

}  // namespace
}  // namespace spindle::http
