#include "agents/clickhouse/clickhouse_span_store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/clickhouse/clickhouse_spans_for_test.h"
#include "agents/clickhouse/known_resources.h"
#include "clickhouse/schema/project_rows.h"

namespace spindle::agents {
namespace {

/// Fixture: behaviour of this store beyond the contract of span stores.
class ClickHouseSpanStoreTest : public ::testing::Test, protected SpansForTest {
 protected:
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    spans_ = std::make_unique<ClickHouseSpansForTest>();
  }

  /// Returns another server on the same database.
  std::unique_ptr<ClickHouseSpanStore> otherServer(EndedTurnTracker* turns = nullptr) {
    return std::make_unique<ClickHouseSpanStore>(spans_->client(), SpanJoins{}, clock_, metrics_,
                                                 ClickHouseSpansForTest::quickGroups(), turns);
  }
  ClickHouseSpanStore& store() { return spans_->spans(); }
  void write(std::vector<AgentSpan> spans) { ASSERT_TRUE(store().write("prj", std::move(spans))); }
  std::int64_t numberOf(SqlView sql) {
    std::int64_t number = -1;
    const Result<void> read = clickhouse::forEachRow(
        spans_->client().query(sql), [&number](const auto& row) { number = row.integer(0); });
    EXPECT_TRUE(read) << read.error().message();
    return number;
  }
  static AgentSpan withResource(const std::string& id, Timestamp seen_at) {
    AgentSpan made = span("t1", id, 1, 1);
    made.raw_span_dump = R"({"n":1})";
    made.resource = tracing::makeOtelResource(R"({"service":"x"})", 0, seen_at);
    made.resource_digest = made.resource->digest;
    return made;
  }
  std::string dumpOf(const SpanStore& from, const std::string& id) {
    SpanQuery query;
    query.details = true;
    query.filter.query = queryOf(is("span_id", "\"" + id + "\""));
    const Result<SpanList> list = from.listSpans("prj", query, prices_);
    EXPECT_TRUE(list);
    return list && !list->spans.empty() ? list->spans.front().span.raw_span_dump : "";
  }

  SystemClock clock_;
  MetricRegistry metrics_;
  std::unique_ptr<ClickHouseSpansForTest> spans_;
  const pricing::ProjectPrices prices_{{}};
};

TEST_F(ClickHouseSpanStoreTest, ServersSeeTheSpansOfEachOther) {
  const auto other = otherServer();
  write({span("t1", "a", 1, 1)});
  ASSERT_TRUE(other->write("prj", {span("t1", "b", 2, 1)}));
  EXPECT_EQ(idsOf(*store().readTrace("prj", "t1")), (Texts{"a", "b"}));
  EXPECT_EQ(idsOf(*other->readTrace("prj", "t1")), (Texts{"a", "b"}));
}

TEST_F(ClickHouseSpanStoreTest, ATraceContainsTheNewestVersionOfASpanThatChangedItsStart) {
  write({span("t1", "a", 1, 1), span("t1", "b", 2, 1)});
  AgentSpan moved = span("t1", "a", 4000, 1);
  moved.span_name = "moved";
  write({moved});
  for (int merged = 0; merged < 2; ++merged) {
    const Result<std::vector<AgentSpan>> trace = store().readTrace("prj", "t1");
    ASSERT_TRUE(trace);
    EXPECT_EQ(idsOf(*trace), (Texts{"b", "a"}));
    EXPECT_EQ(trace->back().span_name, "moved");
    EXPECT_EQ(store().readOutline("prj", "t1", 10)->size(), 2U);
    ASSERT_TRUE(spans_->flush());
  }
}

TEST_F(ClickHouseSpanStoreTest, TimesThatNoClockHasAreStored) {
  AgentSpan first = span("t1", "a", 1, 1);
  first.started_at = Timestamp();
  AgentSpan last = span("t1", "b", 1, 1);
  last.started_at = Timestamp(std::chrono::hours(24) * 60'000);
  last.ended_at = last.started_at;
  write({first, last, span("t1", "c", 5, 1)});
  EXPECT_EQ(idsOf(*store().readTrace("prj", "t1")), (Texts{"a", "c", "b"}));
  const Result<SpanList> list = store().listSpans("prj", {}, prices_);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->spans.size(), 3U);
}

TEST_F(ClickHouseSpanStoreTest, AResourceIsStoredOnce) {
  const Timestamp now = clock_.now();
  write({withResource("a", now), withResource("b", now)});
  write({withResource("c", now)});
  EXPECT_EQ(numberOf("SELECT count() FROM span_resources"), 1);
  const auto other = otherServer();
  ASSERT_TRUE(other->write("prj", {withResource("d", now)}));
  EXPECT_EQ(numberOf("SELECT count() FROM span_resources FINAL"), 1);
  for (const std::string id : {"a", "d"})
    EXPECT_EQ(dumpOf(*other, id), R"({"n":1,"resource":{"service":"x"}})");
}

TEST_F(ClickHouseSpanStoreTest, ResourcesThatNoSpanRefersToAreRemovedAfterADay) {
  const Timestamp now = clock_.now();
  write({withResource("a", now)});
  AgentSpan other = withResource("b", now);
  other.resource = tracing::makeOtelResource(R"({"service":"y"})", 0, now);
  other.resource_digest.clear();
  write({other});
  EXPECT_EQ(store().removeUnusedResources(now + std::chrono::hours(23)).value(), 0);
  EXPECT_EQ(store().removeUnusedResources(now + std::chrono::hours(25)).value(), 1);
  EXPECT_EQ(dumpOf(store(), "a"), R"({"n":1,"resource":{"service":"x"}})");
}

TEST_F(ClickHouseSpanStoreTest, EndedTurnsReachThePublisherAndTheLog) {
  AgentSpan child = span("t1", "child", 2, 1);
  child.parent_span_id = "a";
  AgentSpan open = span("t1", "open", 3, 1);
  open.ended_at.reset();
  AgentSpan of_other_store = span("t2", "b", 4, 1);
  of_other_store.turn_number = 5;
  AgentSpan turn = span("t1", "a", 1, 1);
  turn.conversation_id = "c1";
  const std::int64_t before = microsOf(clock_.now());
  write({turn, child, open, of_other_store});
  const std::vector<EndedTurn> pending = spans_->turns().takeTurns(10);
  ASSERT_EQ(idsOf(pending), (Texts{"a"}));
  EXPECT_EQ(pending.front().project_id, "prj");
  EXPECT_EQ(pending.front().conversation_id, "c1");
  EXPECT_GE(pending.front().number, before);

  const std::int64_t later = microsOf(clock_.now()) + 1'000'000;
  const Result<std::vector<EndedTurn>> logged = store().turnsStored(0, later, 10);
  ASSERT_TRUE(logged);
  ASSERT_EQ(idsOf(*logged), (Texts{"a"}));
  EXPECT_EQ(logged->front().number, pending.front().number);
  EXPECT_EQ(logged->front().conversation_id, "c1");
  EXPECT_EQ(logged->front().status_code, "OK");
  EXPECT_TRUE(store().turnsStored(pending.front().number, later, 10)->empty());
  EXPECT_TRUE(store().turnsStored(0, pending.front().number - 1, 10)->empty());
}

TEST_F(ClickHouseSpanStoreTest, TheLogIsReadInBatchesInTheOrderOfStorage) {
  std::vector<AgentSpan> turns;
  for (int i = 0; i < 5; ++i) turns.push_back(span("t" + std::to_string(i), "s", 9 - i, 1));
  write(std::move(turns));
  const std::int64_t later = microsOf(clock_.now()) + 1'000'000;
  std::int64_t position = 0;
  Texts traces;
  while (true) {
    const Result<std::vector<EndedTurn>> batch = store().turnsStored(position, later, 2);
    ASSERT_TRUE(batch);
    if (batch->empty()) break;
    EXPECT_LE(batch->size(), 2U);
    for (const EndedTurn& turn : *batch) traces.push_back(turn.trace_id);
    position = batch->back().number;
  }
  EXPECT_EQ(traces, (Texts{"t0", "t1", "t2", "t3", "t4"}));
}

TEST_F(ClickHouseSpanStoreTest, ClickHouseDeletesExpiredSpansWhenItMerges) {
  AgentSpan expired = span("t1", "a", 1, 1);
  expired.expire_at = at(2);
  write({expired, span("t1", "b", 2, 1)});
  ASSERT_TRUE(spans_->flush());
  EXPECT_EQ(idsOf(*store().readTrace("prj", "t1")), (Texts{"b"}));
}

TEST_F(ClickHouseSpanStoreTest, SpansOfADeletedProjectAreDeleted) {
  write({withResource("a", clock_.now())});
  ASSERT_TRUE(store().write("kept", {span("t1", "b", 1, 1)}));
  const clickhouse::TableOptions options;
  ASSERT_TRUE(clickhouse::removeProjects(spans_->client(), {spanTables(options)}, {"prj"}));
  EXPECT_TRUE(store().readTrace("prj", "t1")->empty());
  EXPECT_EQ(numberOf("SELECT count() FROM span_resources"), 0);
  EXPECT_EQ(idsOf(*store().readTrace("kept", "t1")), (Texts{"b"}));
  EXPECT_EQ(*store().projects(), (Texts{"kept"}));
}

TEST(KnownResources, AreStoredAgainAfterTheirTimeAndTheOldestAreForgotten) {
  KnownResources known(2);
  EXPECT_FALSE(known.contains("p", "a", at(0)));
  known.add("p", "a", at(0));
  EXPECT_TRUE(known.contains("p", "a", at(1)));
  EXPECT_FALSE(known.contains("q", "a", at(1)));
  EXPECT_FALSE(known.contains("p", "a", at(0) + KnownResources::kRefreshAfter));
  known.add("p", "a", at(10));
  known.add("p", "b", at(11));
  known.add("p", "c", at(12));
  EXPECT_FALSE(known.contains("p", "a", at(13)));
  EXPECT_TRUE(known.contains("p", "b", at(13)));
  EXPECT_TRUE(known.contains("p", "c", at(13)));
}

}  // namespace
}  // namespace spindle::agents
