#include <future>
#include <utility>

#include <gtest/gtest.h>

#include "base/core/mutex.h"
#include "http/client/client.h"
#include "http/client/client_request_for_test.h"
#include "http/testing/scripted_server.h"

namespace spindle::http {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Records the callbacks of a stream and lets the test wait for them.
class Collector {
 public:
  StreamHandler handler() {
    StreamHandler handler;
    handler.on_head = [this](const Response& head) {
      const MutexLock lock(mutex_);
      status_ = head.status;
      changed_.notifyAll();
    };
    handler.on_bytes = [this](std::string_view bytes) {
      const MutexLock lock(mutex_);
      bytes_ += bytes;
      ++pieces_;
      changed_.notifyAll();
      return !pausing_;
    };
    handler.on_end = [this](Result<void> outcome) {
      const MutexLock lock(mutex_);
      ends_.push_back(std::move(outcome));
      changed_.notifyAll();
    };
    return handler;
  }

  int awaitStatus() {
    const MutexLock lock(mutex_);
    while (status_ == 0) changed_.wait(mutex_);
    return status_;
  }
  std::string awaitBytes(std::size_t size) {
    const MutexLock lock(mutex_);
    while (bytes_.size() < size) changed_.wait(mutex_);
    return bytes_;
  }
  Result<void> awaitEnd() {
    const MutexLock lock(mutex_);
    while (ends_.empty()) changed_.wait(mutex_);
    return ends_.front();
  }
  std::size_t pieces() {
    const MutexLock lock(mutex_);
    return pieces_;
  }
  std::size_t size() {
    const MutexLock lock(mutex_);
    return bytes_.size();
  }
  std::size_t ends() {
    const MutexLock lock(mutex_);
    return ends_.size();
  }
  void pauseAfterEachPiece(bool pause) {
    const MutexLock lock(mutex_);
    pausing_ = pause;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int status_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::string bytes_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t pieces_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::vector<Result<void>> ends_ SPINDLE_GUARDED_BY(mutex_);
  bool pausing_ SPINDLE_GUARDED_BY(mutex_) = false;
};

ClientRequest getWithIdleTimeout(const std::string& url, std::chrono::milliseconds timeout) {
  ClientRequest request = get(url);
  request.stream_idle_timeout = timeout;
  return request;
}

void expectError(const Result<void>& outcome, ErrorCode code) {
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), code);
}

TEST(ClientStream, DeliversEachChunkImmediately) {
  std::promise<void> first_seen;
  ScriptedServer server([seen = first_seen.get_future().share()](Peer& peer) {
    peer.readRequest();
    peer.send(kHead);
    peer.send("5\r\nfirst\r\n");
    seen.wait();
    peer.send("6\r\nsecond\r\n0\r\n\r\n");
    peer.readRequest();
  });
  Client client{ClientOptions()};
  Collector collector;
  client.stream(get(server.url()), collector.handler());
  EXPECT_EQ(collector.awaitStatus(), 200);
  EXPECT_EQ(collector.awaitBytes(5), "first");
  first_seen.set_value();
  EXPECT_TRUE(collector.awaitEnd());
  EXPECT_EQ(collector.awaitBytes(11), "firstsecond");
  EXPECT_EQ(collector.ends(), 1U);
}

TEST(ClientStream, ReusesTheConnectionAfterACompleteStream) {
  ScriptedServer server(respondingWith(std::string(kHead) + "2\r\nok\r\n0\r\n\r\n"));
  Client client{ClientOptions()};
  for (int i = 0; i < 3; ++i) {
    Collector collector;
    client.stream(get(server.url()), collector.handler());
    EXPECT_TRUE(collector.awaitEnd());
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(ClientStream, ReadsNoFurtherWhilePaused) {
  constexpr std::size_t kTotal = 32UL * 1024 * 1024;
  std::atomic<std::size_t> sent = 0;
  ScriptedServer server([&sent](Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kTotal) + "\r\n\r\n");
    const std::string piece(65536, 'x');
    while (sent < kTotal && peer.send(piece)) sent += piece.size();
    peer.readRequest();
  });
  Client client{ClientOptions()};
  Collector collector;
  collector.pauseAfterEachPiece(true);
  const auto exchange = client.stream(get(server.url()), collector.handler());
  collector.awaitBytes(1);
  EXPECT_EQ(collector.pieces(), 1U);
  // Other requests complete meanwhile, and still no more of this stream arrives.
  ScriptedServer other(respondingWith(okResponse("ok")));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(client.fetch(get(other.url())));
  EXPECT_EQ(collector.pieces(), 1U);
  EXPECT_LT(sent, kTotal);

  const std::size_t before = collector.size();
  exchange->resume();
  collector.awaitBytes(before + 1);
  EXPECT_EQ(collector.pieces(), 2U);
  collector.pauseAfterEachPiece(false);
  exchange->resume();
  EXPECT_TRUE(collector.awaitEnd());
  EXPECT_EQ(collector.size(), kTotal);
}

TEST(ClientStream, IdleTimeoutDoesNotApplyWhilePaused) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.send(std::string(kHead) + "5\r\nfirst\r\n0\r\n\r\n");
    peer.readRequest();
  });
  ScriptedServer silent([](Peer& peer) { peer.awaitEnd(); });
  Client client{ClientOptions()};
  Collector collector;
  collector.pauseAfterEachPiece(true);
  const auto exchange = client.stream(getWithIdleTimeout(server.url(), 20ms), collector.handler());
  collector.awaitBytes(5);
  ClientRequest clock = get(silent.url());
  clock.timeout = 60ms;
  EXPECT_FALSE(client.fetch(clock));  // time passes
  EXPECT_EQ(collector.ends(), 0U);
  exchange->resume();
  EXPECT_TRUE(collector.awaitEnd());
}

TEST(ClientStream, CanBeCancelledFromAnyThread) {
  std::promise<void> ended;
  ScriptedServer server([&ended](Peer& peer) {
    peer.readRequest();
    peer.send(std::string(kHead) + "5\r\nfirst\r\n");
    peer.awaitEnd();
    ended.set_value();
  });
  Client client{ClientOptions()};
  Collector collector;
  const auto exchange = client.stream(get(server.url()), collector.handler());
  collector.awaitBytes(5);
  exchange->cancel();
  expectError(collector.awaitEnd(), ErrorCode::kUnavailable);
  ended.get_future().get();
  exchange->cancel();
  exchange->resume();
}

TEST(ClientStream, DeliversNothingAfterCancelInACallback) {
  ScriptedServer server(respondingWith(std::string(kHead) + "1\r\na\r\n0\r\n\r\n"));
  Client client{ClientOptions()};
  std::promise<Result<void>> end;
  std::promise<std::shared_ptr<ClientExchange>> handed_over;
  const auto handle = handed_over.get_future().share();
  bool had_bytes = false;
  StreamHandler handler;
  handler.on_head = [handle](const Response&) { handle.get()->cancel(); };
  handler.on_bytes = [&had_bytes](std::string_view) { return had_bytes = true; };
  handler.on_end = [&end](Result<void> outcome) { end.set_value(std::move(outcome)); };
  handed_over.set_value(client.stream(get(server.url()), std::move(handler)));
  expectError(end.get_future().get(), ErrorCode::kUnavailable);
  EXPECT_FALSE(had_bytes);
}

TEST(ClientStream, DistinguishesATruncatedStreamFromACompleteOne) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.send(std::string(kHead) + "5\r\nfirst\r\n");
  });
  Client client{ClientOptions()};
  Collector collector;
  client.stream(get(server.url()), collector.handler());
  expectError(collector.awaitEnd(), ErrorCode::kUpstream);
  EXPECT_EQ(collector.awaitBytes(5), "first");
}

TEST(ClientStream, TimesOutWhenIdle) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.send(std::string(kHead) + "5\r\nfirst\r\n");
    peer.awaitEnd();
  });
  Client client{ClientOptions()};
  Collector collector;
  client.stream(getWithIdleTimeout(server.url(), 30ms), collector.handler());
  expectError(collector.awaitEnd(), ErrorCode::kTimeout);
}

TEST(ClientStream, RequestTimeoutEndsWithTheHead) {
  ScriptedServer silent([](Peer& peer) { peer.awaitEnd(); });
  std::promise<void> time_passed;
  ScriptedServer server([passed = time_passed.get_future().share()](Peer& peer) {
    peer.readRequest();
    peer.send(kHead);
    passed.wait();
    peer.send("2\r\nok\r\n0\r\n\r\n");
    peer.readRequest();
  });
  Client client{ClientOptions()};
  Collector collector;
  ClientRequest request = get(server.url());
  request.timeout = 200ms;
  client.stream(request, collector.handler());
  EXPECT_EQ(collector.awaitStatus(), 200);
  ClientRequest clock = get(silent.url());
  clock.timeout = 250ms;
  EXPECT_FALSE(client.fetch(clock));  // time passes
  time_passed.set_value();
  EXPECT_TRUE(collector.awaitEnd());
}

TEST(ClientStream, ClientDestructorCancelsAllRequests) {
  ScriptedServer server([](Peer& peer) {
    if (peer.readRequest().starts_with("GET /stream")) peer.send(std::string(kHead) + "1\r\na\r\n");
    peer.awaitEnd();
  });
  std::atomic<int> ended = 0;
  std::atomic<int> refused = 0;
  Collector collector;
  Collector paused;
  paused.pauseAfterEachPiece(true);
  std::shared_ptr<ClientExchange> exchange;
  {
    ClientOptions options;
    options.connections_per_origin = 6;
    Client client(options);
    exchange = client.stream(get(server.url("/stream")), collector.handler());
    client.stream(get(server.url("/stream")), paused.handler());
    collector.awaitBytes(1);
    paused.awaitBytes(1);
    for (int i = 0; i < 20; ++i) {
      client.send(get(server.url()), [&](const Result<Response>& answer) {
        ++ended;
        if (answer || answer.error().code() != ErrorCode::kUnavailable) return;
        client.send(get(server.url()), [&](const Result<Response>& again) {
          if (!again) ++refused;
        });
      });
    }
  }
  EXPECT_EQ(ended, 20);
  EXPECT_EQ(refused, 20);
  EXPECT_EQ(collector.awaitEnd().error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(paused.awaitEnd().error().code(), ErrorCode::kUnavailable);
  exchange->resume();
  exchange->cancel();
}

TEST(ClientStream, ManyStreamsRunConcurrently) {
  std::string body;
  for (int i = 0; i < 200; ++i) body += "a\r\n0123456789\r\n";
  ScriptedServer server(respondingWith(std::string(kHead) + body + "0\r\n\r\n"));
  Client client{ClientOptions()};
  std::vector<std::unique_ptr<Collector>> collectors;
  for (int i = 0; i < 100; ++i) {
    collectors.push_back(std::make_unique<Collector>());
    client.stream(get(server.url()), collectors.back()->handler());
  }
  for (const auto& collector : collectors) {
    EXPECT_TRUE(collector->awaitEnd());
    EXPECT_EQ(collector->size(), 2000U);
  }
  EXPECT_LE(server.connections(), 32);
}

}  // namespace
}  // namespace spindle::http
