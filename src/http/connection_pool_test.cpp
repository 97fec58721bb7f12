#include "http/connection_pool.h"

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
  static int numberOf(const ConnectionPool::Ticket& ticket) {
    const auto* connection = dynamic_cast<const FakeConnection*>(ticket.connection.get());
    return connection == nullptr ? 0 : connection->number;
  }
  ConnectionPool::Ticket acquire(const std::string& origin = "a",
                                 const ConnectionPool::Accept& accept = any) {
    ConnectionPool::Ticket ticket;
    pool_.acquire(origin, accept, ticket);
    EXPECT_TRUE(ticket.granted);
    return ticket;
  }

  bool alive_ = true;
  int asked_ = 0;  ///< number of alive() calls
  const Clock::time_point start_;
  ConnectionPool pool_{2, 2, 10s};
};

TEST_F(ConnectionPoolTest, GivesBackTheConnectionThatWasUsedLast) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.release("a", connection(2), start_);
  EXPECT_EQ(numberOf(acquire("b")), 0);
  EXPECT_EQ(numberOf(acquire()), 2);
  EXPECT_EQ(numberOf(acquire()), 1);
}

TEST_F(ConnectionPoolTest, AsksNoMoreConnectionsThanItMust) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.release("a", connection(2), start_);
  acquire();
  EXPECT_EQ(asked_, 1);
}

TEST_F(ConnectionPoolTest, HandsAReleasedSlotToTheFirstInLine) {
  acquire();
  acquire();
  std::vector<int> order;
  ConnectionPool::Ticket first;
  ConnectionPool::Ticket second;
  first.on_granted = [&order] { order.push_back(1); };
  second.on_granted = [&order] { order.push_back(2); };
  pool_.acquire("a", any, first);
  pool_.acquire("a", any, second);
  EXPECT_FALSE(first.granted);
  pool_.release("a", connection(7), start_);
  EXPECT_EQ(numberOf(first), 7);
  EXPECT_FALSE(second.granted);
  pool_.leave("a", first, start_);
  EXPECT_EQ(numberOf(second), 7);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(ConnectionPoolTest, SkipsWhoLeftTheLine) {
  acquire();
  acquire();
  ConnectionPool::Ticket first;
  ConnectionPool::Ticket second;
  int woken = 0;
  second.on_granted = [&woken] { ++woken; };
  pool_.acquire("a", any, first);
  pool_.acquire("a", any, second);
  pool_.leave("a", first, start_);
  pool_.release("a", nullptr, start_);
  EXPECT_FALSE(first.granted);
  EXPECT_TRUE(second.granted);
  EXPECT_EQ(numberOf(second), 0);
  EXPECT_EQ(woken, 1);
}

TEST_F(ConnectionPoolTest, NeverHandsOutADeadConnection) {
  acquire();
  pool_.release("a", connection(1), start_);
  alive_ = false;
  EXPECT_EQ(numberOf(acquire()), 0);
  EXPECT_EQ(pool_.idleCount(), 0U);
}

TEST_F(ConnectionPoolTest, ClosesAnIdleConnectionThatIsInTheWayOfANewOne) {
  acquire();
  acquire();
  pool_.release("a", connection(1), start_);
  pool_.release("a", connection(2), start_);
  const auto none = [](const ConnectionPool::Connection& /*connection*/) { return false; };
  EXPECT_EQ(numberOf(acquire("a", none)), 0);
  EXPECT_EQ(pool_.idleCount(), 1U);
  EXPECT_EQ(numberOf(acquire()), 2);
}

TEST_F(ConnectionPoolTest, KeepsNoMoreIdleThanAllowedAndNotForLong) {
  ConnectionPool pool(5, 2, 10s);
  std::vector<ConnectionPool::Ticket> tickets(3);
  for (auto& ticket : tickets) pool.acquire("a", any, ticket);
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
