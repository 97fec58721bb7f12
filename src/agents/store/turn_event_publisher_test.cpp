#include "agents/store/turn_event_publisher.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agents/columnar/columnar_span_store.h"
#include "agents/sql/span_row.h"
#include "agents/store/agents_migrations.h"
#include "agents/store/turn_repository.h"
#include "columnar/testing/store_for_test.h"
#include "events/migrations.h"
#include "events/outbox.h"
#include "identity/store/identity_for_test.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {
namespace {

using std::chrono::seconds;

/// Fixture: the stores of a server, which can be restarted.
class TurnEventPublisherTest : public identity::TwoProjectsTest {
 protected:
  void SetUp() override {
    TwoProjectsTest::SetUp();
    restart();
  }
  std::vector<storage::AreaSchema> schemas() const override {
    return {events::eventsSchema(), identity::identitySchema(), agentsSchema()};
  }

  struct Server {
    Server(columnar::Store& store, std::int64_t epoch)
        : turns(epoch), spans(store, {0, 1}, &turns) {}
    EndedTurnTracker turns;
    ColumnarSpanStore spans;
  };

  /// Restarts as after a crash: data that was only in memory is lost.
  void restart() {
    server_.reset();
    store_.reopen();
    const Result<std::int64_t> epoch = TurnRepository::beginEpoch(*database_);
    ASSERT_TRUE(epoch);
    server_ = std::make_unique<Server>(*store_, *epoch);
    const Result<std::vector<std::string>> projects = server_->spans.projects();
    ASSERT_TRUE(projects);
    for (const std::string& id : *projects) server_->turns.addProject(id);
  }

  AgentSpan root(const std::string& trace, const std::string& id) const {
    AgentSpan span;
    span.trace_id = trace;
    span.span_id = id;
    span.span_name = "invoke_agent x";
    span.operation_name = "invoke_agent";
    span.status_code = "OK";
    span.started_at = clock_.now();
    span.ended_at = clock_.now() + seconds(1);
    return span;
  }

  void write(std::vector<AgentSpan> spans) { write(first_, std::move(spans)); }
  void write(const std::string& project_id, std::vector<AgentSpan> spans) {
    ASSERT_TRUE(server_->spans.write(project_id, std::move(spans)));
  }

  bool publish() {
    return TurnEventPublisher(server_->spans, server_->turns, repository_, projects_, clock_)
        .publishPending();
  }

  std::vector<events::Event> publishedEvents() {
    EXPECT_TRUE(publish());
    std::vector<events::Event> all;
    while (true) {
      const Result<std::vector<events::Event>> more =
          outbox_.after(all.empty() ? 0 : all.back().position, 1000);
      EXPECT_TRUE(more);
      if (!more || more->empty()) return all;
      all.insert(all.end(), more->begin(), more->end());
    }
  }

  /// Returns the total number of events.
  std::size_t count() { return publishedEvents().size(); }

  columnar::StoreForTest store_{{spanFamily(), tracing::otelResourceFamily()}};
  events::Outbox outbox_{*database_, clock_};
  TurnRepository repository_{*database_, outbox_};
  std::unique_ptr<Server> server_;
};

TEST_P(TurnEventPublisherTest, EventOfAnEndedRootHasTheDataForScoring) {
  AgentSpan turn = root("t1", "s1");
  turn.status_code = "ERROR";
  turn.conversation_id = "c1";
  write({turn});
  const std::vector<events::Event> events = publishedEvents();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, events::EventType::kAgentTurnEnded);
  EXPECT_EQ(events[0].subject.project_id, first_);
  EXPECT_EQ(events[0].subject.team_id, team_id_);
  EXPECT_EQ(events[0].author_id, "");
  EXPECT_EQ(events[0].data,
            R"({"event_type":"svc.genai.turn_ended","status_code":"ERROR","project_id":")" +
                first_ +
                R"(","entity_name":"research","trace_id":"t1","span_id":"s1",)"
                R"("operation_name":"invoke_agent","parent_span_id":null,"conversation_id":"c1"})");
}

TEST_P(TurnEventPublisherTest, ConversationIdIsNullWithoutAConversation) {
  write({root("t1", "s1")});
  const std::vector<events::Event> events = publishedEvents();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].data.find(R"("conversation_id":null)"), std::string::npos);
}

TEST_P(TurnEventPublisherTest, ChildSpansAndOpenSpansHaveNoEvent) {
  AgentSpan child = root("t1", "child");
  child.parent_span_id = "s1";
  AgentSpan open = root("t1", "s1");
  open.ended_at = std::nullopt;
  write({child, open});
  EXPECT_EQ(count(), 0U);
}

TEST_P(TurnEventPublisherTest, EveryRootOfATraceIsPublishedInTheOrderOfArrival) {
  write({root("t1", "b"), root("t1", "a")});
  write({root("t2", "c")});
  const std::vector<events::Event> events = publishedEvents();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_NE(events[0].data.find(R"("span_id":"b")"), std::string::npos);
  EXPECT_NE(events[1].data.find(R"("span_id":"a")"), std::string::npos);
  EXPECT_NE(events[2].data.find(R"("span_id":"c")"), std::string::npos);
}

TEST_P(TurnEventPublisherTest, AnOpenTurnIsPublishedWhenItEnds) {
  AgentSpan open = root("t1", "s1");
  open.ended_at = std::nullopt;
  write({open});
  EXPECT_EQ(count(), 0U);
  ASSERT_TRUE(store_->flush());
  write({root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
}

TEST_P(TurnEventPublisherTest, ALateRootIsPublishedAndLateChildrenAreNot) {
  AgentSpan child = root("t1", "child");
  child.parent_span_id = "s1";
  write({child});
  EXPECT_EQ(count(), 0U);
  write({root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
  child.span_id = "later";
  write({child});
  EXPECT_EQ(count(), 1U);
}

TEST_P(TurnEventPublisherTest, ARepeatedSpanIsPublishedOnce) {
  write({root("t1", "s1"), root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
  write({root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
  ASSERT_TRUE(store_->flush());
  AgentSpan other_start = root("t1", "s1");
  other_start.started_at -= seconds(5);
  write({other_start});
  EXPECT_EQ(count(), 1U);
  restart();
  write({root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
}

TEST_P(TurnEventPublisherTest, ASpanRepeatedBeforePublicationIsStillPublished) {
  write({root("t1", "s1")});
  ASSERT_TRUE(store_->flush());
  write({root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
}

TEST_P(TurnEventPublisherTest, TurnsStoredBeforeACrashArePublishedAfterIt) {
  write({root("t1", "s1")});
  restart();
  EXPECT_EQ(count(), 1U);
  restart();
  EXPECT_EQ(count(), 1U);
  write({root("t2", "s2")});
  restart();
  EXPECT_EQ(count(), 2U);
}

TEST_P(TurnEventPublisherTest, SpansMayBeNewerThanRestoredMetadata) {
  for (int starts = 0; starts < 3; ++starts) restart();
  write({root("t1", "s1")});
  server_.reset();
  server_ = std::make_unique<Server>(*store_, 1);
  server_->turns.addProject(first_);
  EXPECT_EQ(count(), 1U);
  write({root("t2", "s2")});
  EXPECT_EQ(count(), 2U);
}

TEST_P(TurnEventPublisherTest, ProjectsArePublishedIndependently) {
  write(first_, {root("t1", "s1")});
  EXPECT_EQ(count(), 1U);
  write(second_, {root("t1", "s1")});
  const std::vector<events::Event> events = publishedEvents();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].subject.project_id, second_);
}

TEST_P(TurnEventPublisherTest, MoreTurnsThanOneBatchAreAllPublished) {
  std::vector<AgentSpan> many;
  many.reserve(2500);
  for (int i = 0; i < 2500; ++i) many.push_back(root("t" + std::to_string(i), "s"));
  write(std::move(many));
  EXPECT_EQ(count(), 2500U);
}

TEST_P(TurnEventPublisherTest, TurnsOfADeletedProjectAreNotPublished) {
  ASSERT_TRUE(projects_.remove(second_));
  write(second_, {root("t1", "s1")});
  EXPECT_EQ(count(), 0U);
}

TEST_P(TurnEventPublisherTest, TheThreadPublishesOldAndNewTurns) {
  write({root("t1", "s1")});
  const std::uint64_t before = outbox_.signals();
  TurnEventPublisher publisher(server_->spans, server_->turns, repository_, projects_, clock_);
  publisher.start();
  EXPECT_TRUE(outbox_.wait(before, std::chrono::minutes(1)));
  const std::uint64_t between = outbox_.signals();
  write({root("t2", "s2")});
  EXPECT_TRUE(outbox_.wait(between, std::chrono::minutes(1)));
  publisher.stop();
  EXPECT_EQ(count(), 2U);
}

SPINDLE_ON_BOTH_ENGINES(TurnEventPublisherTest);

}  // namespace
}  // namespace spindle::agents
