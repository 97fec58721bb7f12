#include "agents/store/shared_turn_publisher.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/store/agents_migrations.h"
#include "agents/store/ended_turn_tracker.h"
#include "base/core/mutex.h"
#include "events/migrations.h"
#include "events/outbox.h"
#include "identity/store/identity_for_test.h"

namespace spindle::agents {
namespace {

using std::chrono::seconds;

/// The turns of a store in memory.
class TurnLogForTest final : public SharedTurnLog {
 public:
  void add(const EndedTurn& turn) {
    const MutexLock lock(mutex_);
    turns_.push_back(turn);
  }
  void fail(bool fails) {
    const MutexLock lock(mutex_);
    fails_ = fails;
  }
  Result<std::vector<EndedTurn>> turnsStored(std::int64_t after,
                                             std::int64_t until,
                                             std::size_t limit) const override {
    const MutexLock lock(mutex_);
    if (fails_) return Error::unavailable("down");
    std::vector<EndedTurn> found;
    for (const EndedTurn& turn : turns_) {
      if (turn.number > after && turn.number <= until) found.push_back(turn);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const EndedTurn& a, const EndedTurn& b) { return a.number < b.number; });
    if (found.size() > limit) {
      const std::int64_t last = found[limit - 1].number;
      std::erase_if(found, [last](const EndedTurn& turn) { return turn.number > last; });
    }
    return found;
  }

 private:
  mutable Mutex mutex_;
  std::vector<EndedTurn> turns_ SPINDLE_GUARDED_BY(mutex_);
  bool fails_ SPINDLE_GUARDED_BY(mutex_) = false;
};

/// Fixture: servers with one log of turns and one metadata database.
class SharedTurnPublisherTest : public identity::TwoProjectsTest {
 protected:
  std::vector<storage::AreaSchema> schemas() const override {
    return {events::eventsSchema(), identity::identitySchema(), agentsSchema()};
  }

  /// A server. Its destruction is its sudden end: turns that only its memory has are lost.
  struct Server {
    Server(const SharedTurnLog& log,
           TurnRepository& repository,
           identity::ProjectRepository& projects,
           const Clock& clock)
        : publisher(log, turns, repository, projects, clock) {}
    EndedTurnTracker turns{1};
    SharedTurnPublisher publisher;
  };
  std::unique_ptr<Server> server() {
    return std::make_unique<Server>(log_, repository_, projects_, clock_);
  }

  EndedTurn turn(const std::string& trace, const std::string& project = {}) {
    EndedTurn made;
    made.project_id = project.empty() ? first_ : project;
    made.trace_id = trace;
    made.span_id = "root";
    made.number = microsOf(clock_.now()) + ++stored_;
    return made;
  }
  /// Stores a turn by a server.
  void store(Server& by, const EndedTurn& turn) {
    log_.add(turn);
    by.turns.addTurns({turn});
  }

  std::vector<events::Event> publishedEvents() {
    std::vector<events::Event> all;
    while (true) {
      const Result<std::vector<events::Event>> more =
          outbox_.after(all.empty() ? 0 : all.back().position, 1000);
      EXPECT_TRUE(more);
      if (!more || more->empty()) return all;
      all.insert(all.end(), more->begin(), more->end());
    }
  }
  std::size_t count() { return publishedEvents().size(); }
  /// Returns how many events each trace has.
  std::map<std::string, int> countsByTrace() {
    std::map<std::string, int> counts;
    for (const events::Event& event : publishedEvents()) {
      const std::size_t begin = event.data.find(R"("trace_id":")") + 12;
      ++counts[event.data.substr(begin, event.data.find('"', begin) - begin)];
    }
    return counts;
  }
  void expectOneEventEach(int traces) {
    const std::map<std::string, int> counts = countsByTrace();
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(traces));
    for (const auto& [trace, events] : counts) EXPECT_EQ(events, 1) << trace;
  }

  TurnLogForTest log_;
  events::Outbox outbox_{*database_, clock_};
  TurnRepository repository_{*database_, outbox_};
  std::int64_t stored_ = 0;
};

TEST_P(SharedTurnPublisherTest, AStoredTurnIsPublishedAtOnceWithTheDataForScoring) {
  const auto one = server();
  EndedTurn ended = turn("t1");
  ended.status_code = "ERROR";
  ended.operation_name = "invoke_agent";
  ended.conversation_id = "c1";
  store(*one, ended);
  EXPECT_TRUE(one->publisher.publishPending());
  const std::vector<events::Event> events = publishedEvents();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, events::EventType::kAgentTurnEnded);
  EXPECT_EQ(events[0].subject.project_id, first_);
  EXPECT_EQ(events[0].subject.team_id, team_id_);
  EXPECT_EQ(events[0].data,
            R"({"event_type":"svc.genai.turn_ended","status_code":"ERROR","project_id":")" +
                first_ +
                R"(","entity_name":"research","trace_id":"t1","span_id":"root",)"
                R"("operation_name":"invoke_agent","parent_span_id":null,"conversation_id":"c1"})");
}

TEST_P(SharedTurnPublisherTest, ATurnThatIsSentAgainToAnotherServerHasOneEvent) {
  const auto one = server();
  const auto two = server();
  store(*one, turn("t1"));
  store(*one, turn("t1"));
  store(*two, turn("t1"));
  store(*two, turn("t1", second_));
  EXPECT_TRUE(one->publisher.publishPending());
  EXPECT_TRUE(two->publisher.publishPending());
  EXPECT_EQ(count(), 2U) << "the second project has a turn of its own";
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  EXPECT_TRUE(one->publisher.catchUp());
  EXPECT_TRUE(two->publisher.catchUp());
  EXPECT_EQ(count(), 2U);
}

TEST_P(SharedTurnPublisherTest, ServersThatRacePublishEachTurnOnce) {
  constexpr int kTurns = 300;
  const auto one = server();
  const auto two = server();
  for (int i = 0; i < kTurns; ++i) {
    store(*one, turn("t" + std::to_string(i)));
  }
  // The other server has the turns in the opposite order.
  for (int i = kTurns - 1; i >= 0; --i) store(*two, turn("t" + std::to_string(i)));
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  const auto publish = [](Server& by) {
    return std::thread([&by] {
      bool done = false;
      for (int attempt = 0; attempt < 100 && !done; ++attempt)
        done = by.publisher.publishPending() && by.publisher.catchUp();
      EXPECT_TRUE(done);
    });
  };
  std::thread first = publish(*one);
  std::thread second = publish(*two);
  first.join();
  second.join();
  expectOneEventEach(kTurns);
}

TEST_P(SharedTurnPublisherTest, ATurnWhoseServerEndedIsPublishedByAnother) {
  auto one = server();
  const auto two = server();
  store(*one, turn("t1"));
  one.reset();
  EXPECT_TRUE(two->publisher.catchUp());
  EXPECT_EQ(count(), 0U) << "its server may still publish it";
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  EXPECT_TRUE(two->publisher.catchUp());
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(two->publisher.catchUp());
  EXPECT_EQ(count(), 1U);
}

TEST_P(SharedTurnPublisherTest, ServersThatEndAtAnyMomentLoseNoTurnAndRepeatNone) {
  constexpr int kRounds = 200;
  std::mt19937 random(7);
  std::vector<std::unique_ptr<Server>> servers;
  for (int i = 0; i < 3; ++i) servers.push_back(server());
  for (int i = 0; i < kRounds; ++i) {
    std::unique_ptr<Server>& by = servers[random() % servers.size()];
    const EndedTurn ended = turn("t" + std::to_string(i));
    store(*by, ended);
    // A client that got no answer sends the span again, to any server.
    if (random() % 3 == 0) store(*servers[random() % servers.size()], turn(ended.trace_id));
    if (random() % 4 == 0) by = server();
    if (random() % 3 == 0) {
      EXPECT_TRUE(servers[random() % servers.size()]->publisher.publishPending());
    }
    if (random() % 5 == 0) {
      EXPECT_TRUE(servers[random() % servers.size()]->publisher.catchUp());
    }
    clock_.advance(seconds(random() % 60));
  }
  clock_.advance(SharedTurnPublisher::kSettled + seconds(61));
  EXPECT_TRUE(server()->publisher.catchUp());
  expectOneEventEach(kRounds);
}

TEST_P(SharedTurnPublisherTest, OneServerReadsTheLogAndAnotherContinuesAfterItsLease) {
  auto one = server();
  const auto two = server();
  EXPECT_TRUE(one->publisher.catchUp());
  log_.add(turn("t1"));
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  EXPECT_TRUE(one->publisher.catchUp());
  EXPECT_EQ(count(), 1U);
  log_.add(turn("t2"));
  one.reset();
  const Result<std::optional<std::int64_t>> leased =
      repository_.leaseScan("another", clock_.now() + seconds(61), clock_.now() + seconds(900));
  ASSERT_TRUE(leased);
  EXPECT_TRUE(leased->has_value());
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  EXPECT_TRUE(two->publisher.catchUp());
  EXPECT_EQ(count(), 1U) << "another has the lease";
  clock_.advance(seconds(900));
  EXPECT_TRUE(two->publisher.catchUp());
  EXPECT_EQ(count(), 2U);
}

TEST_P(SharedTurnPublisherTest, MoreTurnsThanOneBatchAreAllPublished) {
  constexpr int kTurns = 2500;
  const std::int64_t number = turn("").number;
  for (int i = 0; i < kTurns; ++i) {
    EndedTurn ended = turn("t" + std::to_string(i));
    // Turns that several servers store in the same microsecond.
    ended.number = number + i / 7;
    log_.add(ended);
  }
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  EXPECT_TRUE(server()->publisher.catchUp());
  expectOneEventEach(kTurns);
}

TEST_P(SharedTurnPublisherTest, TurnsOfADeletedProjectAreIgnored) {
  ASSERT_TRUE(projects_.remove(second_));
  const auto one = server();
  store(*one, turn("t1", second_));
  store(*one, turn("t2"));
  EXPECT_TRUE(one->publisher.publishPending());
  EXPECT_EQ(count(), 1U);
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  EXPECT_TRUE(one->publisher.catchUp());
  EXPECT_EQ(count(), 1U);
}

TEST_P(SharedTurnPublisherTest, AFailedReadIsRepeated) {
  const auto one = server();
  log_.add(turn("t1"));
  clock_.advance(SharedTurnPublisher::kSettled + seconds(1));
  log_.fail(true);
  EXPECT_FALSE(one->publisher.catchUp());
  log_.fail(false);
  EXPECT_TRUE(one->publisher.catchUp());
  EXPECT_EQ(count(), 1U);
}

TEST_P(SharedTurnPublisherTest, PublishedTurnsAreForgottenAfterTheirTime) {
  const auto one = server();
  store(*one, turn("t1"));
  EXPECT_TRUE(one->publisher.publishPending());
  clock_.advance(SharedTurnPublisher::kRemembered - std::chrono::hours(1));
  EXPECT_TRUE(one->publisher.catchUp());
  store(*one, turn("t1"));
  EXPECT_TRUE(one->publisher.publishPending());
  EXPECT_EQ(count(), 1U);
  clock_.advance(std::chrono::hours(2));
  EXPECT_TRUE(one->publisher.catchUp());
  store(*one, turn("t1"));
  EXPECT_TRUE(one->publisher.publishPending());
  EXPECT_EQ(count(), 2U);
}

TEST_P(SharedTurnPublisherTest, AServerRemembersALimitedNumberOfTurns) {
  EndedTurnTracker turns{1};
  turns.addTurns(std::vector<EndedTurn>(EndedTurnTracker::kMaxTurns + 5));
  EXPECT_EQ(turns.takeTurns(EndedTurnTracker::kMaxTurns + 5).size(), EndedTurnTracker::kMaxTurns);
  EXPECT_TRUE(turns.takeTurns(1).empty());
}

SPINDLE_ON_BOTH_ENGINES(SharedTurnPublisherTest);

}  // namespace
}  // namespace spindle::agents
