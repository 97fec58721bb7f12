#include "tracing/clickhouse/call_locks.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/testing/postgres_for_test.h"

namespace spindle::tracing {
namespace {

TEST(CallLocks, LocksHaveOneOrder) {
  const std::vector<std::int64_t> numbers = lockNumbers("p", {"b", "a", "b", "c"});
  EXPECT_EQ(numbers.size(), 3U);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(numbers, lockNumbers("p", {"c", "a", "b"}));
  EXPECT_NE(numbers, lockNumbers("q", {"c", "a", "b"}));
}

/// Writers that read a number, wait and write it back lose no step under the locks.
void expectExclusion(CallLocks& first, CallLocks& second) {
  int steps = 0;
  std::vector<std::thread> writers;
  for (CallLocks* locks : {&first, &second, &first, &second}) {
    writers.emplace_back([locks, &steps] {
      for (int i = 0; i < 10; ++i) {
        std::vector<std::string> ids =
            i % 2 == 0 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"c", "a"};
        // More calls than PostgresCallLocks locks one by one.
        for (int more = 0; i % 3 == 2 && more < 200; ++more) ids.push_back(std::to_string(more));
        const Result<void> result = locks->run("p", ids, [&steps]() -> Result<void> {
          const int before = steps;
          std::this_thread::yield();
          steps = before + 1;
          return {};
        });
        EXPECT_TRUE(result) << result.error().message();
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(steps, 40);
}

TEST(CallLocks, OneProcessExcludesItsThreads) {
  ProcessCallLocks locks;
  expectExclusion(locks, locks);
  EXPECT_EQ(
      locks.run("p", {"a"}, []() -> Result<void> { return Error::notFound("no"); }).error().code(),
      ErrorCode::kNotFound);
  EXPECT_TRUE(locks.run("p", {"a"}, []() -> Result<void> { return {}; }));
}

TEST(CallLocks, PostgresExcludesOtherNodes) {
  storage::DatabaseForTest database(storage::Engine::kPostgres);
  const std::unique_ptr<storage::Database> other = database.openAgain();
  PostgresCallLocks first(*database);
  PostgresCallLocks second(*other);
  expectExclusion(first, second);
  EXPECT_EQ(
      first.run("p", {"a"}, []() -> Result<void> { return Error::notFound("no"); }).error().code(),
      ErrorCode::kNotFound);
  EXPECT_TRUE(second.run("p", {"a"}, []() -> Result<void> { return {}; }));
}

}  // namespace
}  // namespace spindle::tracing
