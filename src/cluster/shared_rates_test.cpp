#include "cluster/shared_rates.h"

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/core/no_blocking.h"
#include "cluster/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::cluster {
namespace {

using namespace std::chrono_literals;

/// The shares of one process.
struct RateNode {
  RateNode(storage::DatabaseForTest& shared, const Clock& clock)
      : database(shared.openAgain()), rates(*database, clock) {}
  std::unique_ptr<storage::Database> database;
  SharedRates rates;
};

class SharedRatesTest : public ::testing::TestWithParam<storage::Engine> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override { database_->migrate({clusterSchema()}, clock_.now()); }

  static bool take(RateNode& node, const Rate& rate, double amount = 1) {
    const Result<SharedRates::Outcome> outcome = node.rates.take("key", rate, amount);
    EXPECT_TRUE(outcome);
    return outcome && outcome->allowed;
  }
  /// Takes single tokens until the bucket refuses. @return their number.
  static int takeAll(RateNode& node, const Rate& rate) {
    int taken = 0;
    while (take(node, rate)) ++taken;
    return taken;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{GetParam()};
  RateNode a_{database_, clock_};
  RateNode b_{database_, clock_};
};

TEST_P(SharedRatesTest, GivesOutTheCapacityOfTheBucketOnce) {
  const Rate rate = Rate::perMinute(60);
  EXPECT_EQ(takeAll(a_, rate), 60);
  EXPECT_EQ(takeAll(b_, rate), 0);
}

TEST_P(SharedRatesTest, RefillsWithTime) {
  const Rate rate = Rate::perMinute(60);
  takeAll(a_, rate);
  clock_.advance(10s);
  EXPECT_EQ(takeAll(b_, rate), 10);
}

TEST_P(SharedRatesTest, SaysHowLongToWait) {
  const Rate rate = Rate::perMinute(60);
  takeAll(a_, rate);
  const Result<SharedRates::Outcome> outcome = b_.rates.take("key", rate, 5);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->allowed);
  EXPECT_NEAR(outcome->wait_seconds, 5, 0.01);
}

TEST_P(SharedRatesTest, HoldsTheTokensOfFiveSeconds) {
  const Rate rate = Rate::perMinute(60);
  EXPECT_TRUE(take(a_, rate));
  EXPECT_EQ(takeAll(b_, rate), 55);  // the first node holds five tokens
  EXPECT_EQ(takeAll(a_, rate), 4);
}

TEST_P(SharedRatesTest, ReturnsUnusedTokens) {
  const Rate rate = Rate::perMinute(60);
  EXPECT_TRUE(take(a_, rate));
  EXPECT_EQ(takeAll(b_, rate), 55);
  a_.rates.returnAll();
  clock_.advance(2s);  // a refusal is remembered for a second
  EXPECT_EQ(takeAll(b_, rate), 4 + 2);
}

TEST_P(SharedRatesTest, ReturnsTokensThatWereNotUsedForFiveSeconds) {
  const Rate rate = Rate::perMinute(12);
  EXPECT_TRUE(take(a_, rate, 2));
  a_.rates.give("key", rate, 2);
  clock_.advance(6s);
  a_.rates.refresh();
  EXPECT_EQ(takeAll(b_, rate), 12);
}

TEST_P(SharedRatesTest, NeedsNoDatabaseWhileItsShareLasts) {
  const Rate rate = Rate::perMinute(600);
  EXPECT_TRUE(take(a_, rate));
  const NoBlocking no_blocking;
  for (int i = 1; i < 50; ++i) EXPECT_TRUE(take(a_, rate));
  EXPECT_FALSE(no_blocking.wasNeeded());
  EXPECT_FALSE(a_.rates.take("key", rate, 1));
  EXPECT_TRUE(no_blocking.wasNeeded());
}

TEST_P(SharedRatesTest, RefillsTheShareBeforeItIsUsedUp) {
  const Rate rate = Rate::perMinute(600);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(take(a_, rate));
  a_.rates.refresh();
  const NoBlocking no_blocking;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(take(a_, rate));
}

TEST_P(SharedRatesTest, TakesMoreThanTheCapacityFromAFullBucketOnly) {
  const Rate rate = Rate::perMinute(60);
  EXPECT_TRUE(take(a_, rate, 90));
  EXPECT_FALSE(take(b_, rate));
  clock_.advance(29s);
  EXPECT_FALSE(take(b_, rate));
  clock_.advance(2s);
  EXPECT_TRUE(take(b_, rate));
  EXPECT_FALSE(take(b_, rate, 90));
}

TEST_P(SharedRatesTest, PaysItsDebts) {
  const Rate rate = Rate::perMinute(60);
  EXPECT_TRUE(take(a_, rate, 10));
  a_.rates.give("key", rate, -20);
  a_.rates.refresh();
  EXPECT_EQ(takeAll(b_, rate), 30);
}

TEST_P(SharedRatesTest, HandOutNoMoreThanTheBucketHadInAnyOrderOfSteps) {
  std::mt19937 random(20'261'118);
  for (int round = 0; round < 20; ++round) {
    const std::string name = "key" + std::to_string(round);
    const Rate rate = Rate::perMinute(1 + static_cast<std::int64_t>(random() % 300));
    const Timestamp start = clock_.now();
    double used = 0;
    for (int step = 0; step < 60; ++step) {
      RateNode& node = random() % 2 == 0 ? a_ : b_;
      switch (random() % 8) {
        case 0:
          clock_.advance(std::chrono::milliseconds(random() % 3000));
          break;
        case 1:
          node.rates.refresh();
          break;
        case 2:
          node.rates.returnAll();
          break;
        default: {
          const double amount = 1 + static_cast<double>(random() % 20);
          const auto outcome = node.rates.take(name, rate, std::min(amount, rate.capacity));
          ASSERT_TRUE(outcome);
          if (outcome->allowed) used += std::min(amount, rate.capacity);
        }
      }
      const std::chrono::duration<double> passed = clock_.now() - start;
      ASSERT_LE(used, rate.capacity + rate.per_minute * passed.count() / 60 + 0.001);
    }
  }
}

TEST_P(SharedRatesTest, ServeManyThreadsOfTwoNodes) {
  const Rate rate = Rate::perMinute(300);
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { taken += takeAll(i % 2 == 0 ? a_ : b_, rate); });
    }
  }
  // A thread gives up while another exchanges the last tokens.
  EXPECT_LE(taken, 300);
  a_.rates.returnAll();
  b_.rates.returnAll();
  clock_.advance(1s);
  taken += takeAll(a_, rate);
  EXPECT_GE(taken, 300);
  EXPECT_LE(taken, 305);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         SharedRatesTest,
                         ::testing::Values(storage::Engine::kSqlite, storage::Engine::kPostgres),
                         [](const auto& engine) { return storage::nameOfEngine(engine.param); });

}  // namespace
}  // namespace spindle::cluster
