#include "inference/gateway/balancer.h"

#include <map>
#include <thread>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;
using ReplicaFilter = Balancer::ReplicaFilter;

constexpr Timestamp kNow{std::chrono::microseconds(1'700'000'000'000'000)};

class Balancing : public ::testing::Test {
 protected:
  static CircuitOptions options() {
    return {.failures_in_a_row = 3,
            .error_rate = 0.5,
            .least_requests = 10,
            .window = seconds(10),
            .initial_backoff = seconds(1),
            .max_backoff = seconds(4)};
  }

  std::optional<Balancer::OutstandingRequest> choose(
      std::vector<std::size_t> tried = {}, ReplicaFilter among = ReplicaFilter::kHealthy) {
    return balancer_.choose(tier_, tried, among);
  }
  /// Returns the index of the chosen candidate; the request is abandoned immediately.
  std::optional<std::size_t> chosen() {
    const std::optional<Balancer::OutstandingRequest> outstanding_request = choose();
    if (!outstanding_request) return std::nullopt;
    return outstanding_request->index();
  }
  /// Sends failing requests to one replica, one after the other.
  void fail(std::size_t index, int times) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < tier_.size(); ++i) {
      if (i != index) others.push_back(i);
    }
    for (int i = 0; i < times; ++i) {
      std::optional<Balancer::OutstandingRequest> outstanding_request = choose(others);
      ASSERT_TRUE(outstanding_request) << i;
      outstanding_request->failed(FailureKind::kStatus);
    }
  }
  /// Sends three requests to the first replica in each round: one succeeds, then two fail.
  void failTwiceOfThree(int rounds, seconds pause) {
    for (int i = 0; i < rounds; ++i) {
      choose({1})->succeeded();
      fail(0, 2);
      clock_.advance(pause);
    }
  }
  ReplicaStatus status(std::size_t index) const {
    for (ReplicaStatus& known : balancer_.snapshot()) {
      if (known.url == tier_[index].url) return known;
    }
    return {};
  }
  std::span<const Candidate> only(std::size_t index) const {
    return std::span(tier_).subspan(index, 1);
  }

  ManualClock clock_{kNow};
  Balancer balancer_{clock_, options()};
  std::vector<Candidate> tier_ = {{"up1", "http://a/v1"}, {"up1", "http://b/v1"}};
};

TEST_F(Balancing, SendsToTheReplicaWithTheFewestOutstanding) {
  tier_.push_back({"up2", "http://c/v1"});
  std::vector<Balancer::OutstandingRequest> held;
  held.reserve(9);
  for (int i = 0; i < 9; ++i) held.push_back(*choose());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(status(i).outstanding, 3) << i;

  std::size_t freed = held[4].index();
  held[4].succeeded();
  EXPECT_EQ(chosen(), freed);
  EXPECT_EQ(chosen(), freed);
}

TEST_F(Balancing, ResolvesTiesRoundRobin) {
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 10; ++i) counts[*chosen()] += 1;
  EXPECT_EQ(counts[0], 5);
  EXPECT_EQ(counts[1], 5);
}

TEST_F(Balancing, SkipsTriedReplicas) {
  EXPECT_EQ(choose({0})->index(), 1U);
  EXPECT_EQ(choose({1})->index(), 0U);
  EXPECT_FALSE(choose({0, 1}));
}

TEST_F(Balancing, ReturnsNothingForAnEmptyTier) {
  EXPECT_FALSE(balancer_.choose({}));
  EXPECT_FALSE(balancer_.waitFor({}));
}

TEST_F(Balancing, OpensTheCircuitAfterConsecutiveFailures) {
  fail(0, 2);
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  fail(0, 1);
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
  EXPECT_EQ(status(0).paused_until, kNow + seconds(1));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(chosen(), 1U);
  EXPECT_FALSE(choose({1}));
}

TEST_F(Balancing, ASuccessResetsConsecutiveFailures) {
  for (int i = 0; i < 6; ++i) {
    fail(0, 2);
    choose({1})->succeeded();
    clock_.advance(seconds(20));
  }
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
}

TEST_F(Balancing, OpensTheCircuitWhenTooManyFailWithinTheWindow) {
  // Two of three requests fail, never three consecutive ones.
  failTwiceOfThree(3, seconds(1));
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  choose({1})->succeeded();
  fail(0, 1);
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
  EXPECT_EQ(status(0).failed[static_cast<std::size_t>(FailureKind::kStatus)], 7U);
}

TEST_F(Balancing, IgnoresRequestsBeforeTheWindow) {
  failTwiceOfThree(20, seconds(6));
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
}

TEST_F(Balancing, AllowsOneTrialRequestAfterTheBackoff) {
  fail(0, 3);
  clock_.advance(seconds(1) - std::chrono::microseconds(1));
  EXPECT_FALSE(choose({1}));
  clock_.advance(std::chrono::microseconds(1));
  EXPECT_EQ(status(0).circuit, CircuitState::kHalfOpen);
  std::optional<Balancer::OutstandingRequest> trial = choose({1});
  ASSERT_TRUE(trial);
  EXPECT_FALSE(choose({1}));
  trial->succeeded();
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  const std::optional<Balancer::OutstandingRequest> first = choose({1});
  const std::optional<Balancer::OutstandingRequest> second = choose({1});
  EXPECT_TRUE(first && second);
}

TEST_F(Balancing, DoublesTheBackoffAfterEveryFailedTrial) {
  fail(0, 3);
  for (const int pause : {1, 2, 4, 4, 4}) {
    EXPECT_EQ(status(0).paused_until, clock_.now() + seconds(pause));
    clock_.advance(seconds(pause));
    fail(0, 1);
  }
  clock_.advance(seconds(4));
  choose({1})->succeeded();
  fail(0, 3);
  EXPECT_EQ(status(0).paused_until, clock_.now() + seconds(1));
}

TEST_F(Balancing, AnAbandonedTrialAllowsAnother) {
  fail(0, 3);
  clock_.advance(seconds(1));
  choose({1})->abandoned();
  EXPECT_EQ(status(0).circuit, CircuitState::kHalfOpen);
  { const std::optional<Balancer::OutstandingRequest> dropped = choose({1}); }
  choose({1})->succeeded();
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  EXPECT_EQ(status(0).abandoned, 2U);
}

TEST_F(Balancing, EarlierRequestsDoNotExtendTheBackoff) {
  std::vector<Balancer::OutstandingRequest> held;
  held.reserve(6);
  for (int i = 0; i < 6; ++i) held.push_back(*choose({1}));
  for (Balancer::OutstandingRequest& outstanding_request : held) {
    outstanding_request.failed(FailureKind::kBroken);
    clock_.advance(milliseconds(100));
  }
  EXPECT_EQ(status(0).paused_until, kNow + milliseconds(200) + seconds(1));
}

TEST_F(Balancing, AnEarlierRequestDoesNotCloseTheCircuit) {
  std::optional<Balancer::OutstandingRequest> slow = choose({1});
  fail(0, 3);
  slow->succeeded();
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
}

TEST_F(Balancing, BacksOffForTheRetryAfterOfAReplica) {
  for (int i = 0; i < 5; ++i) {
    choose({1})->rateLimited(seconds(7));
    EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
    EXPECT_FALSE(choose({1}));
    EXPECT_EQ(balancer_.waitFor(only(0)), seconds(7));
    clock_.advance(seconds(7));
  }
  EXPECT_EQ(status(0).rate_limited, 5U);
  EXPECT_TRUE(choose({1}));
}

TEST_F(Balancing, BacksOffOneSecondWithoutRetryAfter) {
  choose({1})->rateLimited(std::nullopt);
  EXPECT_EQ(balancer_.waitFor(only(0)), seconds(1));
}

TEST_F(Balancing, LimitsRetryAfterToFiveMinutes) {
  choose({1})->rateLimited(std::chrono::hours(24));
  EXPECT_EQ(balancer_.waitFor(only(0)), std::chrono::minutes(5));
  choose({0})->rateLimited(seconds(-1));
  EXPECT_FALSE(balancer_.waitFor(only(1)));
}

TEST_F(Balancing, ReturnsTheTimeUntilTheFirstReplicaIsReady) {
  fail(0, 3);
  choose({0})->rateLimited(seconds(20));
  EXPECT_FALSE(choose());
  EXPECT_EQ(balancer_.waitFor(tier_), seconds(1));
  EXPECT_EQ(balancer_.waitFor(only(1)), seconds(20));
}

TEST_F(Balancing, IsUnhealthyAfterTwoFailedProbesAndHealthyAfterOneSuccess) {
  balancer_.probed(tier_[0], false);
  EXPECT_TRUE(choose({1}));
  balancer_.probed(tier_[0], false);
  EXPECT_FALSE(status(0).healthy);
  EXPECT_FALSE(choose({1}));
  EXPECT_EQ(choose({1}, ReplicaFilter::kAll)->index(), 0U);
  balancer_.probed(tier_[0], true);
  EXPECT_TRUE(choose({1}));
  balancer_.probed(tier_[0], false);
  EXPECT_TRUE(choose({1}));
}

TEST_F(Balancing, UnhealthyReplicasWithAnOpenCircuitAreNotChosen) {
  fail(0, 3);
  balancer_.probed(tier_[0], false);
  balancer_.probed(tier_[0], false);
  EXPECT_FALSE(choose({1}, ReplicaFilter::kAll));
}

TEST_F(Balancing, ASuccessfulProbeDoesNotCloseTheCircuit) {
  fail(0, 3);
  balancer_.probed(tier_[0], true);
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
}

TEST_F(Balancing, IdentifiesReplicasByUpstreamAndUrl) {
  fail(0, 3);
  const std::vector<Candidate> other_upstream = {{"up2", "http://a/v1"}};
  EXPECT_TRUE(balancer_.choose(other_upstream));
  // The same replica in a tier of another model.
  const std::string id = "up1";
  const std::string url = "http://a/v1";
  const std::vector<Candidate> again = {{id, url}};
  EXPECT_FALSE(balancer_.choose(again));
}

TEST_F(Balancing, ARequestEndsOnce) {
  std::optional<Balancer::OutstandingRequest> outstanding_request = choose({1});
  outstanding_request->succeeded();
  outstanding_request->failed(FailureKind::kConnect);
  outstanding_request->rateLimited(seconds(9));
  outstanding_request.reset();
  EXPECT_EQ(status(0).outstanding, 0);
  EXPECT_EQ(status(0).succeeded, 1U);
  EXPECT_EQ(status(0).abandoned, 0U);
  EXPECT_TRUE(choose({1}));
}

TEST_F(Balancing, AReplacedRequestIsAbandoned) {
  std::optional<Balancer::OutstandingRequest> a = choose({1});
  std::optional<Balancer::OutstandingRequest> b = choose({0});
  *a = *std::move(b);
  EXPECT_EQ(status(0).abandoned, 1U);
  EXPECT_EQ(status(1).outstanding, 1);
  a->succeeded();
  EXPECT_EQ(status(1).succeeded, 1U);
  EXPECT_EQ(status(1).outstanding, 0);
}

TEST_F(Balancing, NamesItsStates) {
  EXPECT_EQ(textOf(CircuitState::kClosed), "closed");
  EXPECT_EQ(textOf(CircuitState::kOpen), "open");
  EXPECT_EQ(textOf(CircuitState::kHalfOpen), "half_open");
}

TEST_F(Balancing, CountsCorrectlyWithConcurrentThreads) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 5'000;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kRequests; ++i) {
        std::optional<Balancer::OutstandingRequest> outstanding_request = choose();
        if (!outstanding_request) continue;
        if ((i + t) % 4 == 0) outstanding_request->failed(FailureKind::kTimeout);
        if ((i + t) % 4 == 1) continue;
        outstanding_request->succeeded();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t index : {0U, 1U}) EXPECT_EQ(status(index).outstanding, 0);
}

}  // namespace
}  // namespace spindle::inference
