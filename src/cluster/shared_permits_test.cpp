#include "cluster/shared_permits.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/core/no_blocking.h"
#include "cluster/migrations.h"
#include "cluster/shared_limits.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::cluster {
namespace {

using namespace std::chrono_literals;

/// The permits of one process.
struct PermitNode {
  PermitNode(storage::DatabaseForTest& shared, const Clock& clock, const std::string& id)
      : database(shared.openAgain()), permits(*database, clock, id) {}
  std::unique_ptr<storage::Database> database;
  SharedPermits permits;
};

class SharedPermitsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override { database_->migrate({clusterSchema()}, clock_.now()); }

  static bool acquire(PermitNode& node, std::int64_t most) {
    const Result<bool> acquired = node.permits.acquire("key", most);
    EXPECT_TRUE(acquired);
    return acquired && *acquired;
  }
  static int acquireAll(PermitNode& node, std::int64_t most) {
    int acquired = 0;
    while (acquire(node, most)) ++acquired;
    return acquired;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{storage::Engine::kPostgres};
  PermitNode a_{database_, clock_, "a"};
  PermitNode b_{database_, clock_, "b"};
};

TEST_F(SharedPermitsTest, AllowsTheLimitForAllNodesTogether) {
  EXPECT_TRUE(acquire(a_, 3));
  EXPECT_TRUE(acquire(b_, 3));
  EXPECT_TRUE(acquire(b_, 3));
  EXPECT_FALSE(acquire(a_, 3));
  EXPECT_FALSE(acquire(b_, 3));
  a_.permits.release("key");
  EXPECT_TRUE(acquire(a_, 3));
  EXPECT_EQ(b_.permits.running("key"), 2);
}

TEST_F(SharedPermitsTest, NeedsNoDatabaseForPermitsThatItHolds) {
  EXPECT_TRUE(acquire(a_, 3));
  a_.permits.release("key");
  const NoBlocking no_blocking;
  EXPECT_TRUE(acquire(a_, 3));
  EXPECT_FALSE(no_blocking.wasNeeded());
  EXPECT_FALSE(a_.permits.acquire("key", 3));
  EXPECT_TRUE(no_blocking.wasNeeded());
}

TEST_F(SharedPermitsTest, ReturnsPermitsThatWereNotUsed) {
  EXPECT_EQ(acquireAll(a_, 2), 2);
  a_.permits.release("key");
  a_.permits.release("key");
  a_.permits.refresh();  // they were used since the last one
  a_.permits.refresh();
  EXPECT_EQ(acquireAll(b_, 2), 2);
}

TEST_F(SharedPermitsTest, ReturnsPermitsAtOnceWhenAnotherNodeWantsThem) {
  EXPECT_TRUE(acquire(a_, 1));
  a_.permits.release("key");
  a_.permits.want("key");
  a_.permits.refresh();
  EXPECT_TRUE(acquire(b_, 1));
}

TEST_F(SharedPermitsTest, KeepsPermitsOfRunningRequests) {
  EXPECT_TRUE(acquire(a_, 1));
  for (int i = 0; i < 10; ++i) {
    clock_.advance(10s);
    a_.permits.refresh();
    EXPECT_FALSE(acquire(b_, 1));
  }
}

TEST_F(SharedPermitsTest, FreesThePermitsOfADeadNode) {
  EXPECT_TRUE(acquire(a_, 1));
  clock_.advance(16s);
  EXPECT_TRUE(acquire(b_, 1));
}

TEST_F(SharedPermitsTest, ReturnsAllAtTheStop) {
  EXPECT_EQ(acquireAll(a_, 40), 40);
  EXPECT_FALSE(acquire(b_, 40));
  a_.permits.returnAll();
  a_.permits.release("key");
  clock_.advance(1s);
  EXPECT_EQ(acquireAll(b_, 40), 40);
}

TEST_F(SharedPermitsTest, NeverRunMoreThanTheLimitInManyThreads) {
  constexpr std::int64_t kMost = 3;
  std::atomic<int> running{0};
  std::atomic<int> most_seen{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        PermitNode& node = i % 2 == 0 ? a_ : b_;
        for (int round = 0; round < 20; ++round) {
          if (!acquire(node, kMost)) continue;
          const int now = ++running;
          for (int seen = most_seen; seen < now && !most_seen.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::yield();
          --running;
          node.permits.release("key");
          if (round % 5 == 0) node.permits.refresh();
        }
      });
    }
  }
  EXPECT_LE(most_seen, kMost);
  EXPECT_GE(most_seen, 1);
}

TEST_F(SharedPermitsTest, MoveBetweenNodesThatAskInTurn) {
  const SystemClock clock;
  SharedLimits a(*a_.database, clock, "a");
  SharedLimits b(*b_.database, clock, "b");
  a_.database->startListening();
  b_.database->startListening();
  a.start();
  b.start();
  for (int i = 0; i < 6; ++i) {
    SharedPermits& permits = i % 2 == 0 ? a.permits() : b.permits();
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!permits.acquire("key", 1).value() && std::chrono::steady_clock::now() < end) {
    }
    EXPECT_EQ(permits.running("key"), 1) << i;
    permits.release("key");
  }
  a.stop();
  b.stop();
  a_.database->stopListening();
  b_.database->stopListening();
}

}  // namespace
}  // namespace spindle::cluster
