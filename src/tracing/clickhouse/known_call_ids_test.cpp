#include "tracing/clickhouse/known_call_ids.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto/id.h"
#include "http/testing/scripted_server.h"
#include "tracing/clickhouse/clickhouse_calls_for_test.h"

namespace spindle::tracing {
namespace {

using Ids = std::vector<std::string>;

/// Stores calls with these ids.
void store(CallStore& calls, std::string_view project, const Ids& ids) {
  std::vector<CallPart> parts;
  for (const std::string& id : ids) {
    CallComplete call;
    call.start.id = id;
    call.start.trace_id = "trace";
    call.start.started_at = timestampOfMicros(1'760'000'000'000'000);
    call.start.attributes = "{}";
    call.start.inputs = "{}";
    call.end.id = id;
    call.end.ended_at = call.start.started_at;
    call.end.summary = "{}";
    parts.emplace_back(std::move(call));
  }
  const Result<void> stored = calls.write(project, std::move(parts));
  ASSERT_TRUE(stored) << stored.error().message();
}

Ids newIds(std::size_t count) {
  Ids ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(newUuid(timestampOfMicros(1'760'000'000'000'000 + 7'000'000LL * i)));
  return ids;
}

TEST(KnownCallIds, FindsTheIdsOfOneProject) {
  if (!clickhouse::DatabaseForTest::isAvailable()) GTEST_SKIP() << "no ClickHouse server";
  ClickHouseCallsForTest calls;
  const Ids odd = {"a,b", "'", "\\", "\t\n", "ä", "a"};
  store(calls.store(), "one", odd);
  store(calls.store(), "two", {"b"});
  KnownCallIds known(calls.client());
  EXPECT_TRUE(known.find("one", {})->empty());
  EXPECT_EQ(*known.find("one", odd), std::unordered_set<std::string>(odd.begin(), odd.end()));
  EXPECT_EQ(*known.find("one", {"a", "b", "c"}), std::unordered_set<std::string>({"a"}));
  EXPECT_EQ(*known.find("two", {"a", "b"}), std::unordered_set<std::string>({"b"}));
  EXPECT_TRUE(known.find("three", {"a"})->empty());
}

TEST(KnownCallIds, FindsMoreIdsThanOneStatementHas) {
  if (!clickhouse::DatabaseForTest::isAvailable()) GTEST_SKIP() << "no ClickHouse server";
  ClickHouseCallsForTest calls;
  Ids ids = newIds(2'500);
  const Ids unknown = newIds(10);
  store(calls.store(), "one", ids);
  const std::unordered_set<std::string> stored(ids.begin(), ids.end());
  ids.insert(ids.begin() + 1'234, unknown.begin(), unknown.end());
  EXPECT_EQ(*KnownCallIds(calls.client()).find("one", ids), stored);
}

TEST(KnownCallIds, AnswersConcurrentCallersSeparately) {
  if (!clickhouse::DatabaseForTest::isAvailable()) GTEST_SKIP() << "no ClickHouse server";
  ClickHouseCallsForTest calls;
  const Ids ids = newIds(20);
  for (std::size_t i = 0; i < ids.size(); i += 2)
    store(calls.store(), i % 4 == 0 ? "one" : "two", {ids[i]});
  KnownCallIds known(calls.client());
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    callers.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        const std::string project = i % 4 == 0 ? "one" : "two";
        const auto found = known.find(project, {ids[i], "other"});
        ASSERT_TRUE(found);
        EXPECT_EQ(found->size(), i % 2 == 0 ? 1U : 0U);
        EXPECT_EQ(found->contains(ids[i]), i % 2 == 0);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(KnownCallIds, GivesEveryCallerTheErrorOfTheirStatement) {
  http::ScriptedServer server([](http::Peer& peer) {
    while (!peer.readRequest().empty()) {
      peer.send(
          "HTTP/1.1 500 Error\r\nX-ClickHouse-Exception-Code: 241\r\nContent-Length: 59\r\n\r\n"
          "Code: 241. DB::Exception: Too much. (MEMORY_LIMIT_EXCEEDED)");
    }
  });
  clickhouse::ClientOptions options;
  options.url = server.url("");
  clickhouse::Client client(std::move(options));
  KnownCallIds known(client);
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&known] {
      const auto found = known.find("one", {"a"});
      ASSERT_FALSE(found);
      EXPECT_EQ(found.error().reason(), "clickhouse_memory");
    });
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace spindle::tracing
