#include "http/client/connection_pool.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

using namespace std::chrono_literals;
using Clock = ConnectionPool::Clock;

class FakeConnection final : public ConnectionPool::Connection {
 public:
  FakeConnection(int its_number, bool& is_alive, int& asked)
      : number(its_number), alive_(is_alive), asked_(asked) {}
  bool alive() const override {
    ++asked_;
    return alive_;
  }

  const int number;

 private:
  bool& alive_;
  int& asked_;
};

bool any(const ConnectionPool::Connection& /*connection*/) { return true; }

class ConnectionPoolTest : public testing::Test {
 protected:
  std::unique_ptr<FakeConnection> connection(int number) {
    return std::make_unique<FakeConnection>(number, alive_, asked_);
  }
  static int numberOf(const ConnectionPool::SlotRequest& slot_request) {
    const auto* connection = dynamic_cast<const FakeConnection*>(slot_request.connection.get());
    return connection == nullptr ? 0 : connection->number;
  }
  ConnectionPool::SlotRequest acquire(const std::string& origin = "a",
                                      const ConnectionPool::Accept& accept = any) {
    ConnectionPool::SlotRequest slot_request;
    pool_.acquire(origin, accept, slot_request);
    EXPECT_TRUE(slot_request.granted);
    return slot_request;
  }

  bool alive_ = true;
  int asked_ = 0;  ///< number of alive() calls
  const Clock::time_point start_;
  ConnectionPool pool_{2, 2, 10s};
};

TEST_F(ConnectionPoolTest, ReusesTheMostRecentConnection) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.release("a", connection(2), start_);
  EXPECT_EQ(numberOf(acquire("b")), 0);
  EXPECT_EQ(numberOf(acquire()), 2);
  EXPECT_EQ(numberOf(acquire()), 1);
}

TEST_F(ConnectionPoolTest, ChecksAsFewConnectionsAsPossible) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.release("a", connection(2), start_);
  acquire();
  EXPECT_EQ(asked_, 1);
}

TEST_F(ConnectionPoolTest, GrantsAReleasedSlotInFifoOrder) {
  acquire();
  acquire();
  std::vector<int> order;
  ConnectionPool::SlotRequest first;
  ConnectionPool::SlotRequest second;
  first.on_granted = [&order] { order.push_back(1); };
  second.on_granted = [&order] { order.push_back(2); };
  pool_.acquire("a", any, first);
  pool_.acquire("a", any, second);
  EXPECT_FALSE(first.granted);
  pool_.release("a", connection(7), start_);
  EXPECT_EQ(numberOf(first), 7);
  EXPECT_FALSE(second.granted);
  pool_.detach("a", first, start_);
  EXPECT_EQ(numberOf(second), 7);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(ConnectionPoolTest, SkipsDetachedRequests) {
  acquire();
  acquire();
  ConnectionPool::SlotRequest first;
  ConnectionPool::SlotRequest second;
  int woken = 0;
  second.on_granted = [&woken] { ++woken; };
  pool_.acquire("a", any, first);
  pool_.acquire("a", any, second);
  pool_.detach("a", first, start_);
  pool_.release("a", nullptr, start_);
  EXPECT_FALSE(first.granted);
  EXPECT_TRUE(second.granted);
  EXPECT_EQ(numberOf(second), 0);
  EXPECT_EQ(woken, 1);
}

TEST_F(ConnectionPoolTest, NeverReusesAClosedConnection) {
  acquire();
  pool_.release("a", connection(1), start_);
  alive_ = false;
  EXPECT_EQ(numberOf(acquire()), 0);
  EXPECT_EQ(pool_.idleCount(), 0U);
}

TEST_F(ConnectionPoolTest, ClosesAnUnusableIdleConnectionForANewOne) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.release("a", connection(2), start_);
  const auto none = [](const ConnectionPool::Connection& /*connection*/) { return false; };
  EXPECT_EQ(numberOf(acquire("a", none)), 0);
  EXPECT_EQ(pool_.idleCount(), 1U);
  EXPECT_EQ(numberOf(acquire()), 2);
}

TEST_F(ConnectionPoolTest, LimitsNumberAndAgeOfIdleConnections) {
  ConnectionPool pool(5, 2, 10s);
  std::vector<ConnectionPool::SlotRequest> tickets(3);
  for (auto& slot_request : tickets) pool.acquire("a", any, slot_request);
  for (int i = 0; i < 3; ++i) pool.release("a", connection(i), start_ + i * 1s);
  EXPECT_EQ(pool.idleCount(), 2U);
  EXPECT_EQ(pool.sweep(start_ + 5s), start_ + 11s);
  EXPECT_EQ(pool.sweep(start_ + 11s), start_ + 12s);
  EXPECT_EQ(pool.idleCount(), 1U);
  EXPECT_EQ(pool.sweep(start_ + 12s), std::nullopt);
  EXPECT_EQ(pool.idleCount(), 0U);
}

TEST_F(ConnectionPoolTest, KeepsNothingOnceClosed) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.close();
  pool_.release("a", connection(2), start_);
  EXPECT_EQ(pool_.idleCount(), 0U);
}

}  // namespace
}  // namespace spindle::http
