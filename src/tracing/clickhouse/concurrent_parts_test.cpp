// Tests of parts of one call that two nodes receive at the same time.

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/crypto/id.h"
#include "storage/testing/postgres_for_test.h"
#include "tracing/clickhouse/clickhouse_calls_for_test.h"
#include "tracing/store/call_time_for_test.h"

namespace spindle::tracing {
namespace {

/// One process of a deployment.
struct Node {
  Node(const clickhouse::ClientOptions& options, storage::Database& database)
      : client(options), locks(database), calls(client, locks, {values}, clock, metrics) {}

  SystemClock clock;
  MetricRegistry metrics;
  clickhouse::Client client;
  PostgresCallLocks locks;
  NoRefValuesForTest values;
  ClickHouseCallStore calls;
};

TEST(ConcurrentParts, StartsAndEndsThatMeetOnDifferentNodesAreBothKept) {
  if (!clickhouse::DatabaseForTest::isAvailable())
    GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
  configureLogging(LogLevel::kError, LogFormat::kText);
  clickhouse::DatabaseForTest database;
  createCallTables(database.client());
  storage::DatabaseForTest metadata(storage::Engine::kPostgres);
  const std::unique_ptr<storage::Database> other = metadata.openAgain();
  Node first(database.options(), *metadata);
  Node second(database.options(), *other);
  std::vector<std::string> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(newUuid(SystemClock().now()));
  const auto in_threads = [&ids](const auto& work) {
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&ids, &work, thread] {
        for (std::size_t i = thread; i < ids.size(); i += 3) work(ids[i]);
      });
    }
    return threads;
  };
  std::vector<std::thread> starts = in_threads([&first](const std::string& id) {
    CallStart start;
    start.id = id;
    start.trace_id = "trace";
    start.op_name = "op";
    start.started_at = at(std::chrono::seconds(1));
    start.attributes = start.inputs = "{}";
    EXPECT_TRUE(first.calls.write("prj", {start}));
  });
  std::vector<std::thread> ends = in_threads([&second](const std::string& id) {
    CallEnd end;
    end.id = id;
    end.ended_at = at(std::chrono::seconds(2));
    end.output = "1";
    end.summary = "{}";
    EXPECT_TRUE(second.calls.write("prj", {end}));
  });
  for (std::vector<std::thread>* threads : {&starts, &ends}) {
    for (std::thread& thread : *threads) thread.join();
  }
  const std::unique_ptr<CallView> view = *first.calls.view({"prj", "team/app"});
  for (const std::string& id : ids) {
    const Result<std::optional<Call>> call = view->find(id);
    ASSERT_TRUE(call && *call) << id;
    EXPECT_EQ((*call)->op_name, "op");
    EXPECT_EQ((*call)->output, "1");
  }
}

}  // namespace
}  // namespace spindle::tracing
