#include "inference/balancer.h"

#include <map>
#include <thread>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Among = Balancer::Among;

constexpr Timestamp kNow{std::chrono::microseconds(1'700'000'000'000'000)};

class Balancing : public ::testing::Test {
 protected:
  static CircuitOptions options() {
    return {.failures_in_a_row = 3,
            .error_rate = 0.5,
            .least_requests = 10,
            .window = seconds(10),
            .first_pause = seconds(1),
            .longest_pause = seconds(4)};
  }

  std::optional<Balancer::Ticket> choose(std::vector<std::size_t> tried = {},
                                         Among among = Among::kHealthy) {
    return balancer_.choose(tier_, tried, among);
  }
  /// Returns the index of the chosen candidate; the request is abandoned immediately.
  std::optional<std::size_t> chosen() {
    const std::optional<Balancer::Ticket> ticket = choose();
    if (!ticket) return std::nullopt;
    return ticket->index();
  }
  /// Sends failing requests to one replica, one after the other.
  void fail(std::size_t index, int times) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < tier_.size(); ++i) {
      if (i != index) others.push_back(i);
    }
    for (int i = 0; i < times; ++i) {
      std::optional<Balancer::Ticket> ticket = choose(others);
      ASSERT_TRUE(ticket) << i;
      ticket->failed(FailureKind::kStatus);
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
  std::vector<Balancer::Ticket> held;
  for (int i = 0; i < 9; ++i) held.push_back(*choose());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(status(i).outstanding, 3) << i;

  std::size_t freed = held[4].index();
  held[4].succeeded();
  EXPECT_EQ(chosen(), freed);
  EXPECT_EQ(chosen(), freed);
}

TEST_F(Balancing, TakesTurnsAmongEquals) {
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 10; ++i) counts[*chosen()] += 1;
  EXPECT_EQ(counts[0], 5);
  EXPECT_EQ(counts[1], 5);
}

TEST_F(Balancing, LeavesOutThoseThatWereTried) {
  EXPECT_EQ(choose({0})->index(), 1U);
  EXPECT_EQ(choose({1})->index(), 0U);
  EXPECT_FALSE(choose({0, 1}));
}

TEST_F(Balancing, OfNothingIsNothing) {
  EXPECT_FALSE(balancer_.choose({}));
  EXPECT_FALSE(balancer_.waitFor({}));
}

TEST_F(Balancing, OpensTheCircuitAfterFailuresInARow) {
  fail(0, 2);
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  fail(0, 1);
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
  EXPECT_EQ(status(0).paused_until, kNow + seconds(1));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(chosen(), 1U);
  EXPECT_FALSE(choose({1}));
}

TEST_F(Balancing, ASuccessBreaksTheRow) {
  for (int i = 0; i < 6; ++i) {
    fail(0, 2);
    choose({1})->succeeded();
    clock_.advance(seconds(20));
  }
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
}

TEST_F(Balancing, OpensTheCircuitWhenTooManyFailWithinTheWindow) {
  // Two of three requests fail, never three consecutive ones.
  for (int i = 0; i < 3; ++i) {
    choose({1})->succeeded();
    fail(0, 2);
    clock_.advance(seconds(1));
  }
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  choose({1})->succeeded();
  fail(0, 1);
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
  EXPECT_EQ(status(0).failed[static_cast<std::size_t>(FailureKind::kStatus)], 7U);
}

TEST_F(Balancing, ForgetsWhatIsBehindTheWindow) {
  for (int i = 0; i < 20; ++i) {
    choose({1})->succeeded();
    fail(0, 2);
    clock_.advance(seconds(6));
  }
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
}

TEST_F(Balancing, LetsExactlyOneTrialThroughWhenThePauseIsOver) {
  fail(0, 3);
  clock_.advance(seconds(1) - std::chrono::microseconds(1));
  EXPECT_FALSE(choose({1}));
  clock_.advance(std::chrono::microseconds(1));
  EXPECT_EQ(status(0).circuit, CircuitState::kHalfOpen);
  std::optional<Balancer::Ticket> trial = choose({1});
  ASSERT_TRUE(trial);
  EXPECT_FALSE(choose({1}));
  trial->succeeded();
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  const std::optional<Balancer::Ticket> first = choose({1});
  const std::optional<Balancer::Ticket> second = choose({1});
  EXPECT_TRUE(first && second);
}

TEST_F(Balancing, PausesTwiceAsLongAfterEveryTrialThatFails) {
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

TEST_F(Balancing, ATrialWhoseClientLeftMakesRoomForAnother) {
  fail(0, 3);
  clock_.advance(seconds(1));
  choose({1})->abandoned();
  EXPECT_EQ(status(0).circuit, CircuitState::kHalfOpen);
  { const std::optional<Balancer::Ticket> dropped = choose({1}); }
  choose({1})->succeeded();
  EXPECT_EQ(status(0).circuit, CircuitState::kClosed);
  EXPECT_EQ(status(0).abandoned, 2U);
}

TEST_F(Balancing, RequestsThatWereUnderWayDoNotProlongThePause) {
  std::vector<Balancer::Ticket> held;
  for (int i = 0; i < 6; ++i) held.push_back(*choose({1}));
  for (Balancer::Ticket& ticket : held) {
    ticket.failed(FailureKind::kBroken);
    clock_.advance(milliseconds(100));
  }
  EXPECT_EQ(status(0).paused_until, kNow + milliseconds(200) + seconds(1));
}

TEST_F(Balancing, ASuccessThatWasUnderWayDoesNotCloseTheCircuit) {
  std::optional<Balancer::Ticket> slow = choose({1});
  fail(0, 3);
  slow->succeeded();
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
}

TEST_F(Balancing, LeavesABusyReplicaAloneForAsLongAsItAsked) {
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

TEST_F(Balancing, ABusyReplicaThatDoesNotSayHowLongRestsASecond) {
  choose({1})->rateLimited(std::nullopt);
  EXPECT_EQ(balancer_.waitFor(only(0)), seconds(1));
}

TEST_F(Balancing, NobodyIsLeftAloneForMoreThanFiveMinutes) {
  choose({1})->rateLimited(std::chrono::hours(24));
  EXPECT_EQ(balancer_.waitFor(only(0)), std::chrono::minutes(5));
  choose({0})->rateLimited(seconds(-1));
  EXPECT_FALSE(balancer_.waitFor(only(1)));
}

TEST_F(Balancing, TellsHowLongUntilTheFirstCanBeAskedAgain) {
  fail(0, 3);
  choose({0})->rateLimited(seconds(20));
  EXPECT_FALSE(choose());
  EXPECT_EQ(balancer_.waitFor(tier_), seconds(1));
  EXPECT_EQ(balancer_.waitFor(only(1)), seconds(20));
}

TEST_F(Balancing, IsDeadAfterTwoSilencesAndAliveAfterOneAnswer) {
  balancer_.probed(tier_[0], false);
  EXPECT_TRUE(choose({1}));
  balancer_.probed(tier_[0], false);
  EXPECT_FALSE(status(0).healthy);
  EXPECT_FALSE(choose({1}));
  EXPECT_EQ(choose({1}, Among::kAll)->index(), 0U);
  balancer_.probed(tier_[0], true);
  EXPECT_TRUE(choose({1}));
  balancer_.probed(tier_[0], false);
  EXPECT_TRUE(choose({1}));
}

TEST_F(Balancing, TheDeadAreNotAskedWhileTheirCircuitIsOpenEither) {
  fail(0, 3);
  balancer_.probed(tier_[0], false);
  balancer_.probed(tier_[0], false);
  EXPECT_FALSE(choose({1}, Among::kAll));
}

TEST_F(Balancing, AnAnswerToTheHealthCheckDoesNotCloseTheCircuit) {
  fail(0, 3);
  balancer_.probed(tier_[0], true);
  EXPECT_EQ(status(0).circuit, CircuitState::kOpen);
}

TEST_F(Balancing, KnowsReplicasByUpstreamAndUrl) {
  fail(0, 3);
  const std::vector<Candidate> other_upstream = {{"up2", "http://a/v1"}};
  EXPECT_TRUE(balancer_.choose(other_upstream));
  // The same replica in a tier of another model.
  const std::string id = "up1";
  const std::string url = "http://a/v1";
  const std::vector<Candidate> again = {{id, url}};
  EXPECT_FALSE(balancer_.choose(again));
}

TEST_F(Balancing, ATicketEndsOnce) {
  std::optional<Balancer::Ticket> ticket = choose({1});
  ticket->succeeded();
  ticket->failed(FailureKind::kConnect);
  ticket->rateLimited(seconds(9));
  ticket.reset();
  EXPECT_EQ(status(0).outstanding, 0);
  EXPECT_EQ(status(0).succeeded, 1U);
  EXPECT_EQ(status(0).abandoned, 0U);
  EXPECT_TRUE(choose({1}));
}

TEST_F(Balancing, ATicketThatIsReplacedIsAbandoned) {
  std::optional<Balancer::Ticket> a = choose({1});
  std::optional<Balancer::Ticket> b = choose({0});
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

TEST_F(Balancing, CountsRightWhateverTheThreadsDo) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 5'000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kRequests; ++i) {
        std::optional<Balancer::Ticket> ticket = choose();
        if (!ticket) continue;
        if ((i + t) % 4 == 0) ticket->failed(FailureKind::kTimeout);
        if ((i + t) % 4 == 1) continue;
        ticket->succeeded();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t index : {0U, 1U}) EXPECT_EQ(status(index).outstanding, 0);
}

}  // namespace
}  // namespace spindle::inference
