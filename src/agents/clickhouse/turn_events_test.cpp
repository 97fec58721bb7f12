// Tests that several servers with one ClickHouse publish the event of each turn once.

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/clickhouse/clickhouse_spans_for_test.h"
#include "agents/store/agents_migrations.h"
#include "agents/store/shared_turn_publisher.h"
#include "agents/store/turn_event_publisher.h"
#include "agents/store/turn_repository.h"
#include "events/migrations.h"
#include "events/outbox.h"
#include "identity/store/identity_for_test.h"

namespace spindle::agents {
namespace {

/// Fixture: servers with one ClickHouse and one metadata database.
class ClickHouseTurnEvents : public identity::TwoProjectsTest, protected SpansForTest {
 protected:
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    TwoProjectsTest::SetUp();
    spans_ = std::make_unique<ClickHouseSpansForTest>();
  }
  std::vector<storage::AreaSchema> schemas() const override {
    return {events::eventsSchema(), identity::identitySchema(), agentsSchema()};
  }

  struct Server {
    Server(clickhouse::Client& client,
           TurnRepository& repository,
           identity::ProjectRepository& projects,
           const Clock& clock)
        : spans(client, {}, clock, metrics, ClickHouseSpansForTest::quickGroups(), &turns),
          publisher(spans, turns, repository, projects, clock) {}
    MetricRegistry metrics;
    EndedTurnTracker turns{1};
    ClickHouseSpanStore spans;
    TurnEventPublisher publisher;
  };
  std::unique_ptr<Server> server() {
    return std::make_unique<Server>(spans_->client(), repository_, projects_, system_clock_);
  }

  std::map<std::string, int> eventsByTrace() {
    std::map<std::string, int> counts;
    std::int64_t position = 0;
    while (true) {
      const Result<std::vector<events::Event>> more = outbox_.after(position, 1000);
      EXPECT_TRUE(more);
      if (!more || more->empty()) return counts;
      for (const events::Event& event : *more) {
        const std::size_t begin = event.data.find(R"("trace_id":")") + 12;
        ++counts[event.data.substr(begin, event.data.find('"', begin) - begin)];
        position = event.position;
      }
    }
  }

  SystemClock system_clock_;
  std::unique_ptr<ClickHouseSpansForTest> spans_;
  events::Outbox outbox_{*database_, system_clock_};
  TurnRepository repository_{*database_, outbox_};
};

TEST_P(ClickHouseTurnEvents, ServersThatReceiveTheSameSpansPublishEachTurnOnce) {
  constexpr int kTurns = 30;
  std::vector<std::unique_ptr<Server>> servers;
  for (int i = 0; i < 2; ++i) {
    servers.push_back(server());
    servers.back()->publisher.start();
  }
  std::vector<std::thread> clients;
  for (const std::unique_ptr<Server>& to : servers) {
    clients.emplace_back([&spans = to->spans, this] {
      for (int i = 0; i < kTurns; ++i)
        EXPECT_TRUE(spans.write(first_, {span("t" + std::to_string(i), "root", i, 1)}));
    });
  }
  for (std::thread& client : clients) client.join();
  for (const std::unique_ptr<Server>& one : servers) one->publisher.stop();
  const std::map<std::string, int> counts = eventsByTrace();
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(kTurns));
  for (const auto& [trace, events] : counts) EXPECT_EQ(events, 1) << trace;
}

TEST_P(ClickHouseTurnEvents, ATurnWhoseServerEndedIsFoundInClickHouse) {
  auto lost = server();
  ASSERT_TRUE(lost->spans.write(first_, {span("t1", "root", 1, 1)}));
  lost.reset();
  ManualClock later(system_clock_.now() + SharedTurnPublisher::kSettled + std::chrono::seconds(5));
  EndedTurnTracker turns{1};
  SharedTurnPublisher publisher(spans_->spans(), turns, repository_, projects_, later);
  EXPECT_TRUE(publisher.catchUp());
  EXPECT_TRUE(publisher.catchUp());
  EXPECT_EQ(eventsByTrace(), (std::map<std::string, int>{{"t1", 1}}));
}

SPINDLE_ON_BOTH_ENGINES(ClickHouseTurnEvents);

}  // namespace
}  // namespace spindle::agents
