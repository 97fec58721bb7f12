#include "storage/database/connection_pool.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace spindle::storage {
namespace {

class FakeConnection final : public Connection {
 public:
  Result<void> begin(TransactionKind) override { return {}; }
  Result<void> commit() override { return {}; }
  void rollback() noexcept override {}
  Result<StatementResult> run(SqlView, const Params&) override { return StatementResult{}; }
  void loseForTest() { fault_ = TransactionFault::kConnectionLost; }
};

class ConnectionPoolTest : public ::testing::Test {
 protected:
  ConnectionPool::Opener opener() {
    return [this]() -> Result<std::unique_ptr<Connection>> {
      if (refusing_) return Error::unavailable("down");
      ++opened_;
      return std::unique_ptr<Connection>(new FakeConnection);
    };
  }

  std::atomic<int> opened_{0};
  bool refusing_ = false;
  MetricRegistry metrics_;
};

constexpr std::chrono::milliseconds kNoWait(0);
constexpr std::chrono::milliseconds kLong(60'000);

TEST_F(ConnectionPoolTest, ReusesAReturnedConnection) {
  ConnectionPool pool(2, opener(), "read", metrics_);
  ASSERT_TRUE(pool.borrow(kNoWait));
  ASSERT_TRUE(pool.borrow(kNoWait));
  EXPECT_EQ(opened_, 1);
}

TEST_F(ConnectionPoolTest, LendsNoMoreThanItsSize) {
  ConnectionPool pool(1, opener(), "read", metrics_);
  const Result<PooledConnection> only = pool.borrow(kNoWait);
  ASSERT_TRUE(only);
  EXPECT_EQ(pool.borrow(kNoWait).error().code(), ErrorCode::kUnavailable);
}

TEST_F(ConnectionPoolTest, ReplacesALostConnection) {
  ConnectionPool pool(1, opener(), "read", metrics_);
  {
    const Result<PooledConnection> lease = pool.borrow(kNoWait);
    static_cast<FakeConnection&>(**lease).loseForTest();
  }
  ASSERT_TRUE(pool.borrow(kNoWait));
  EXPECT_EQ(opened_, 2);
}

TEST_F(ConnectionPoolTest, KeepsItsSlotsWhenOpeningFails) {
  ConnectionPool pool(1, opener(), "read", metrics_);
  refusing_ = true;
  EXPECT_FALSE(pool.borrow(kNoWait));
  EXPECT_FALSE(pool.borrow(kNoWait));
  refusing_ = false;
  EXPECT_TRUE(pool.borrow(kNoWait));
}

TEST_F(ConnectionPoolTest, ServesWaitersOneAtATime) {
  ConnectionPool pool(1, opener(), "write", metrics_);
  std::atomic<int> inside{0};
  std::atomic<int> served{0};
  std::atomic<bool> overlapped{false};
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round) {
          const Result<PooledConnection> lease = pool.borrow(kLong);
          if (!lease) continue;
          if (++inside != 1) overlapped = true;
          --inside;
          ++served;
        }
      });
    }
  }
  EXPECT_EQ(served, 8 * 200);
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(opened_, 1);
}

}  // namespace
}  // namespace spindle::storage
