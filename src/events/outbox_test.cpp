#include "events/outbox.h"

#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "events/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::events {
namespace {

using std::chrono::hours, std::chrono::milliseconds, std::chrono::minutes;
using storage::Session;

class OutboxContract : public ::testing::TestWithParam<storage::Engine> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override { database_->migrate({eventsSchema()}, clock_.now()); }

  static NewEvent named(const std::string& name) {
    return {.type = EventType::kCreateArtifact, .data = R"({"name":")" + name + R"("})"};
  }
  Result<std::string> append(const std::string& name) {
    return outbox_.write([&](Session& session) { return outbox_.append(session, named(name)); });
  }
  std::vector<Event> after(std::int64_t position, int limit = 100) {
    Result<std::vector<Event>> events = outbox_.after(position, limit);
    EXPECT_TRUE(events);
    return events ? *std::move(events) : std::vector<Event>();
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{GetParam()};
  Outbox outbox_{*database_, clock_};
};

TEST_P(OutboxContract, StoresAllFieldsOfAnEvent) {
  NewEvent fresh;
  fresh.type = EventType::kAddArtifactAlias;
  fresh.subject = {.team_id = "team",
                   .project_id = "project",
                   .registry_id = "registry",
                   .collection_id = "collection",
                   .artifact_id = 7,
                   .run_id = "run"};
  fresh.author_id = "usr_1";
  fresh.author = "anna";
  fresh.data = R"({"alias":"☃"})";
  fresh.change_id = "change";
  const Result<std::string> id =
      outbox_.write([&](Session& session) { return outbox_.append(session, fresh); });
  ASSERT_TRUE(id);
  EXPECT_TRUE(id->starts_with("evt_"));
  EXPECT_EQ(id->size(), 30U);
  const std::vector<Event> events = after(0);
  ASSERT_EQ(events.size(), 1U);
  const Event& event = events[0];
  EXPECT_EQ(event.id, *id);
  EXPECT_EQ(event.position, 1);
  EXPECT_EQ(event.type, EventType::kAddArtifactAlias);
  EXPECT_EQ(event.subject.team_id, "team");
  EXPECT_EQ(event.subject.project_id, "project");
  EXPECT_EQ(event.subject.registry_id, "registry");
  EXPECT_EQ(event.subject.collection_id, "collection");
  EXPECT_EQ(event.subject.artifact_id, 7);
  EXPECT_EQ(event.subject.run_id, "run");
  EXPECT_EQ(event.author_id, "usr_1");
  EXPECT_EQ(event.author, "anna");
  EXPECT_EQ(event.data, R"({"alias":"☃"})");
  EXPECT_EQ(event.change_id, "change");
  EXPECT_EQ(event.time, clock_.now());
  const Result<Event> found = outbox_.find(*id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->data, event.data);
}

TEST_P(OutboxContract, DropsEventsOfAFailedTransaction) {
  const Result<std::string> failed = outbox_.write([&](Session& session) -> Result<std::string> {
    TRY(outbox_.append(session, named("lost")));
    return Error::conflict("no");
  });
  EXPECT_FALSE(failed);
  EXPECT_TRUE(after(0).empty());
}

TEST_P(OutboxContract, ReadsAfterAPosition) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(append(name));
  const std::vector<Event> first = after(0, 2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].data, R"({"name":"a"})");
  const std::vector<Event> rest = after(first.back().position);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].data, R"({"name":"c"})");
  EXPECT_EQ(rest[0].position, 3);
  EXPECT_TRUE(after(3).empty());
  EXPECT_EQ(after(0).size(), 3U);
}

TEST_P(OutboxContract, KeepsTheOrderWithinATransaction) {
  ASSERT_TRUE(outbox_.write([&](Session& session) -> Result<void> {
    for (const char* name : {"create", "alias", "tag"}) {
      TRY(outbox_.append(session, named(name)));
    }
    return {};
  }));
  const std::vector<Event> events = after(0);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].data, R"({"name":"create"})");
  EXPECT_EQ(events[1].data, R"({"name":"alias"})");
  EXPECT_EQ(events[2].data, R"({"name":"tag"})");
}

TEST_P(OutboxContract, ReturnsEachEventOnceDuringConcurrentAppends) {
  constexpr int kWriters = 4;
  constexpr int kEach = 25;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < kEach; ++i) {
        EXPECT_TRUE(append(std::to_string(writer) + "-" + std::to_string(i)));
      }
    });
  }
  std::set<std::string> names;
  std::int64_t position = 0;
  while (position < std::int64_t{kWriters} * kEach) {
    const std::uint64_t seen = outbox_.signals();
    const std::vector<Event> events = after(position, 10);
    for (const Event& event : events) {
      EXPECT_EQ(event.position, position + 1);
      position = event.position;
      EXPECT_TRUE(names.insert(event.data).second) << event.data;
    }
    if (events.empty()) outbox_.wait(seen, minutes(1));
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kWriters * kEach));
}

TEST_P(OutboxContract, ReadsInsideTheTransactionOfTheCaller) {
  ASSERT_TRUE(append("a"));
  const Result<std::vector<Event>> undone =
      database_->write([&](Session& session) -> Result<std::vector<Event>> {
        const Result<std::vector<Event>> events = Outbox::after(session, 0, 10);
        EXPECT_TRUE(events);
        EXPECT_EQ(events->size(), 1U);
        return Error::conflict("no");
      });
  EXPECT_FALSE(undone);
  const std::vector<Event> again = after(0);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].position, 1);
}

TEST_P(OutboxContract, RemovesOldEventsThatAllConsumersHaveRead) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(append(name));
  EXPECT_EQ(after(0).size(), 3U);
  clock_.advance(hours(48));
  ASSERT_TRUE(append("d"));
  const Result<std::int64_t> none = outbox_.removeOlderThan(clock_.now() - hours(72), 4);
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, 0);
  const Result<std::int64_t> two = outbox_.removeOlderThan(clock_.now() - hours(24), 2);
  ASSERT_TRUE(two);
  EXPECT_EQ(*two, 2);
  const std::vector<Event> left = after(0);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].position, 3);
  const std::vector<Event> fresh = after(3);
  ASSERT_EQ(fresh.size(), 1U);
  EXPECT_EQ(fresh[0].position, 4);
}

TEST_P(OutboxContract, WaitsForNewEvents) {
  const std::uint64_t seen = outbox_.signals();
  EXPECT_FALSE(outbox_.wait(seen, milliseconds(0)));
  std::thread writer([this] { EXPECT_TRUE(append("a")); });
  EXPECT_TRUE(outbox_.wait(seen, minutes(1)));
  writer.join();
  EXPECT_EQ(after(0).size(), 1U);
}

TEST_P(OutboxContract, ReturnsNotFoundForUnknownIds) {
  const Result<Event> missing = outbox_.find("evt_x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

TEST_P(OutboxContract, ListsTheNewestFirst) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(append(name));
  NewEvent other = named("other");
  other.type = EventType::kRunState;
  other.subject = {.team_id = "t", .project_id = "p", .collection_id = "c", .run_id = "r"};
  clock_.advance(hours(1));
  ASSERT_TRUE(outbox_.write([&](Session& session) { return outbox_.append(session, other); }));
  const auto listed = [&](const EventFilter& filter, std::int64_t before = 1000, int limit = 10) {
    std::string names;
    const Result<std::vector<Event>> events = outbox_.list(filter, before, limit);
    EXPECT_TRUE(events);
    for (const Event& event : *events) names += std::to_string(event.position) + " ";
    return names;
  };
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(after(0).size(), 4U);
  EXPECT_EQ(listed({}), "4 3 2 1 ");
  EXPECT_EQ(listed({}, 4, 2), "3 2 ");
  EXPECT_EQ(listed({.type = EventType::kRunState}), "4 ");
  EXPECT_EQ(listed({.team_id = "t"}), "4 ");
  EXPECT_EQ(listed({.project_id = "p", .run_id = "r"}), "4 ");
  EXPECT_EQ(listed({.project_id = "p", .run_id = "s"}), "");
  EXPECT_EQ(listed({.collection_id = "c"}), "4 ");
  EXPECT_EQ(listed({.registry_id = "x"}), "");
  EXPECT_EQ(listed({.since = clock_.now()}), "4 ");
}

/// Cases that need a database engine with several concurrent writers.
class OutboxOfManyWriters : public OutboxContract {};

TEST_P(OutboxOfManyWriters, LosesNoEventOfATransactionThatCommitsLate) {
  const std::unique_ptr<storage::Database> other = database_.openAgain();
  Outbox second(*other, clock_);
  // The first transaction writes its event, and then lets the second one overtake it.
  ASSERT_TRUE(outbox_.write([&](Session& session) -> Result<std::string> {
    std::string late = TRY(outbox_.append(session, named("late")));
    const Result<std::string> early = second.write(
        [&](Session& overtaking) { return second.append(overtaking, named("early")); });
    EXPECT_TRUE(early);
    const Result<std::vector<Event>> seen = second.after(0, 100);
    EXPECT_TRUE(seen);
    if (seen && seen->size() == 1) {
      EXPECT_EQ((*seen)[0].data, R"({"name":"early"})");
    } else {
      ADD_FAILURE() << "exactly the committed event is there";
    }
    return late;
  }));
  const std::vector<Event> events = after(1);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].data, R"({"name":"late"})");
  EXPECT_EQ(events[0].position, 2);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         OutboxOfManyWriters,
                         ::testing::Values(storage::Engine::kPostgres),
                         [](const auto& engine) { return storage::nameOfEngine(engine.param); });

INSTANTIATE_TEST_SUITE_P(Engines,
                         OutboxContract,
                         ::testing::Values(storage::Engine::kSqlite, storage::Engine::kPostgres),
                         [](const auto& engine) { return storage::nameOfEngine(engine.param); });

TEST(EventTypes, AreParsedIgnoringCase) {
  for (int i = 0; i <= static_cast<int>(EventType::kTraceMetricThreshold); ++i) {
    const auto type = static_cast<EventType>(i);
    EXPECT_EQ(eventTypeOf(textOf(type)), type);
  }
  using TextAndType = std::pair<std::string_view, EventType>;
  for (const auto& [text, type] : {TextAndType{"link_artifact", EventType::kLinkArtifact},
                                   TextAndType{"Run_State", EventType::kRunState},
                                   TextAndType{"LINK_MODEL", EventType::kLinkArtifact},
                                   TextAndType{"RUN_METRIC", EventType::kRunMetricThreshold}}) {
    EXPECT_EQ(eventTypeOf(text), type) << text;
  }
  for (const std::string_view text : {"UPDATE_ARTIFACT_ALIAS", ""}) {
    EXPECT_EQ(eventTypeOf(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spindle::events
