#pragma once

#include <chrono>
#include <string_view>

#include <gtest/gtest.h>

#include "agents/clickhouse/clickhouse_span_store.h"
#include "agents/clickhouse/span_table.h"
#include "agents/query/span_store_contract_for_test.h"
#include "agents/store/ended_turn_tracker.h"
#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "feedback/clickhouse/clickhouse_feedback_store.h"
#include "feedback/clickhouse/feedback_table.h"

namespace spindle::agents {

/// Spans and feedback in a ClickHouse database of their own.
class ClickHouseSpansForTest final : public SpanStoreUnderTest {
 public:
  ClickHouseSpansForTest() {
    const clickhouse::TableOptions options;
    const Result<void> migrated = clickhouse::migrate(
        database_.client(), options, {spanTables(options), feedback::feedbackTables(options)},
        SystemClock().now());
    EXPECT_TRUE(migrated) << migrated.error().message();
  }
  ClickHouseSpanStore& spans() override { return spans_; }
  feedback::FeedbackStore& feedback() override { return feedback_; }
  /// Merges the parts of the tables, as ClickHouse does in the background.
  Result<void> flush() override {
    TRY(client().execute("OPTIMIZE TABLE spans FINAL"));
    TRY(client().execute("OPTIMIZE TABLE span_traces FINAL"));
    return client().execute("OPTIMIZE TABLE span_turns FINAL");
  }
  clickhouse::Client& client() { return database_.client(); }
  EndedTurnTracker& turns() { return turns_; }

  /// Sends each group of rows after a millisecond.
  static clickhouse::GroupOptions quickGroups() {
    clickhouse::GroupOptions options;
    options.linger = std::chrono::milliseconds(1);
    return options;
  }

 private:
  clickhouse::DatabaseForTest database_;
  SystemClock clock_;
  MetricRegistry metrics_;
  EndedTurnTracker turns_{1};
  ClickHouseSpanStore spans_{
      database_.client(),
      SpanJoins{[](std::string_view project) { return feedback::clickHouseFeedbackRows(project); }},
      clock_,
      metrics_,
      quickGroups(),
      &turns_};
  feedback::ClickHouseFeedbackStore feedback_{database_.client(), metrics_, clock_, quickGroups()};
};

}  // namespace spindle::agents
