#include "clickhouse/inserts/grouped_inserts.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "clickhouse/client/row_binary.h"
#include "http/testing/scripted_server.h"

namespace spindle::clickhouse {
namespace {

using http::Peer;
using std::chrono::milliseconds;

class GroupedInsertsTest : public ::testing::Test {
 protected:
  /// One INSERT that the server received.
  struct Received {
    std::string token;
    std::string rows;
  };
  using Respond = std::function<std::string(const Received& insert, std::size_t number)>;

  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }

  GroupedInserts& open(Respond respond, GroupOptions options = {}) {
    respond_ = std::move(respond);
    server_ = std::make_unique<http::ScriptedServer>([this](Peer& peer) {
      for (std::string request = peer.readRequest(); !request.empty();
           request = peer.readRequest()) {
        const Received insert = keep(request);
        const std::string answer = respond_(insert, count());
        if (answer.empty()) return peer.shutDown();
        peer.send(answer);
      }
    });
    ClientOptions client;
    client.url = server_->url("");
    client_ = std::make_unique<Client>(std::move(client));
    inserts_ = std::make_unique<GroupedInserts>(*client_, InsertTarget{"notes", {"id"}}, options,
                                                metrics_);
    return *inserts_;
  }

  Received keep(const std::string& request) {
    constexpr std::string_view kToken = "insert_deduplication_token=";
    const std::size_t at = request.find(kToken) + kToken.size();
    Received insert{request.substr(at, request.find_first_of("& ", at) - at),
                    request.substr(request.find("\r\n\r\n") + 4)};
    const MutexLock lock(mutex_);
    received_.push_back(insert);
    return insert;
  }
  std::size_t count() {
    const MutexLock lock(mutex_);
    return received_.size();
  }
  std::vector<Received> received() {
    const MutexLock lock(mutex_);
    return received_;
  }

  static std::string row(const std::string& id) {
    std::string bytes;
    putText(bytes, id);
    return bytes;
  }
  static std::string failed(int code) {
    const std::string body = "Code: " + std::to_string(code) + ". DB::Exception: x\n";
    return "HTTP/1.1 500 Failed\r\nX-ClickHouse-Exception-Code: " + std::to_string(code) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string stored() { return http::okResponse(""); }

  /// Inserts one row in each of `count` threads. Returns the results in the order of the threads.
  static std::vector<Result<void>> insertAtOnce(GroupedInserts& inserts, std::size_t count) {
    std::vector<Result<void>> results(count);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&inserts, &result = results[i], id = std::to_string(i)] {
        result = inserts.insert(row(id), 1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return results;
  }

  Mutex mutex_;
  std::vector<Received> received_ SPINDLE_GUARDED_BY(mutex_);
  Respond respond_;
  MetricRegistry metrics_;
  std::unique_ptr<http::ScriptedServer> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<GroupedInserts> inserts_;
};

TEST_F(GroupedInsertsTest, ConcurrentCallersShareAStatement) {
  GroupOptions options;
  options.linger = milliseconds(300);
  GroupedInserts& inserts =
      open([](const Received& /*insert*/, std::size_t /*number*/) { return stored(); }, options);
  for (const Result<void>& result : insertAtOnce(inserts, 20)) EXPECT_TRUE(result);
  std::size_t bytes = 0;
  for (const Received& insert : received()) bytes += insert.rows.size();
  EXPECT_LT(count(), 20U);
  EXPECT_EQ(bytes, 10 * 2 + 10 * 3U);
}

TEST_F(GroupedInsertsTest, AFullGroupDoesNotWait) {
  GroupOptions options;
  options.linger = std::chrono::minutes(5);
  options.rows = 4;
  GroupedInserts& inserts =
      open([](const Received& /*insert*/, std::size_t /*number*/) { return stored(); }, options);
  for (const Result<void>& result : insertAtOnce(inserts, 8)) EXPECT_TRUE(result);
  EXPECT_EQ(count(), 2U);
  // More rows than a group has are a group of their own.
  EXPECT_TRUE(inserts.insert(row("a") + row("b") + row("c") + row("d") + row("e"), 5));
  EXPECT_TRUE(inserts.insert({}, 0));
  EXPECT_EQ(count(), 3U);
}

TEST_F(GroupedInsertsTest, RepeatsTransientErrorsWithTheSameToken) {
  GroupOptions options;
  options.linger = milliseconds(0);
  options.first_delay = milliseconds(1);
  GroupedInserts& inserts = open(
      [](const Received& /*insert*/, std::size_t number) {
        if (number == 1) return failed(242);
        return number == 2 ? std::string() : stored();  // the connection breaks
      },
      options);
  EXPECT_TRUE(inserts.insert(row("a"), 1));
  const std::vector<Received> all = received();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_FALSE(all[0].token.empty());
  EXPECT_EQ(all[0].token, all[1].token);
  EXPECT_EQ(all[0].token, all[2].token);
  EXPECT_TRUE(inserts.insert(row("a"), 1));
  EXPECT_NE(received().back().token, all[0].token);
}

TEST_F(GroupedInsertsTest, GivesUpAfterTheRetryTime) {
  GroupOptions options;
  options.linger = milliseconds(0);
  options.first_delay = milliseconds(1);
  options.retry_time = milliseconds(1'000);  // the first attempt takes less on a busy machine, too
  int code = 252;
  GroupedInserts& inserts =
      open([&code](const Received& /*insert*/, std::size_t /*number*/) { return failed(code); },
           options);
  Result<void> refused = inserts.insert(row("a"), 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kRateLimited);
  EXPECT_GT(count(), 1U);
  // A slow server may have stored the rows: the sender is told to repeat them.
  code = 159;
  refused = inserts.insert(row("a"), 1);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
}

TEST_F(GroupedInsertsTest, DoesNotRepeatPermanentErrors) {
  GroupOptions options;
  options.linger = milliseconds(0);
  GroupedInserts& inserts =
      open([](const Received& /*insert*/, std::size_t /*number*/) { return failed(243); }, options);
  EXPECT_EQ(inserts.insert(row("a"), 1).error().code(), ErrorCode::kStorageFull);
  EXPECT_EQ(count(), 1U);
}

TEST_F(GroupedInsertsTest, RefusedRowsHarmOnlyTheirOwnCaller) {
  GroupOptions options;
  options.linger = std::chrono::minutes(5);
  options.rows = 3;
  const std::string bad = row("1");
  GroupedInserts& inserts = open(
      [bad](const Received& insert, std::size_t /*number*/) {
        return insert.rows.find(bad) == std::string::npos ? stored() : failed(27);
      },
      options);
  const std::vector<Result<void>> results = insertAtOnce(inserts, 3);
  EXPECT_TRUE(results[0]);
  EXPECT_EQ(results[1].error().code(), ErrorCode::kInternal);
  EXPECT_TRUE(results[2]);
  std::set<std::string> tokens;
  for (const Received& insert : received()) tokens.insert(insert.token);
  EXPECT_EQ(tokens.size(), 4U);
}

TEST_F(GroupedInsertsTest, LimitsTheBytesThatWait) {
  GroupOptions options;
  options.linger = milliseconds(0);
  options.queued_bytes = 100;
  Mutex gate;
  gate.lock();
  GroupedInserts& inserts = open(
      [&gate](const Received& /*insert*/, std::size_t /*number*/) {
        const MutexLock wait(gate);
        return stored();
      },
      options);
  Result<void> first = Error::unavailable("not run");
  std::thread slow([&] { first = inserts.insert(row(std::string(80, 'x')), 1); });
  while (count() == 0) std::this_thread::yield();
  const Result<void> refused = inserts.insert(row(std::string(80, 'y')), 1);
  EXPECT_EQ(refused.error().code(), ErrorCode::kRateLimited);
  EXPECT_EQ(refused.error().reason(), "clickhouse_queue_full");
  EXPECT_EQ(inserts.insert(std::string(101, 'z'), 1).error().code(), ErrorCode::kTooLarge);
  gate.unlock();
  slow.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(inserts.insert(row(std::string(80, 'y')), 1));
}

}  // namespace
}  // namespace spindle::clickhouse
