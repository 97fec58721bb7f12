#pragma once

#include <chrono>

#include <gtest/gtest.h>

#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "feedback/clickhouse/clickhouse_feedback_store.h"
#include "feedback/clickhouse/feedback_table.h"
#include "query/store_contract_for_test.h"

namespace spindle::feedback {

/// An empty store in a database of its own.
class ClickHouseFeedbackForTest final : public query::StoreForContract<FeedbackStore> {
 public:
  ClickHouseFeedbackForTest() {
    const clickhouse::TableOptions tables;
    const Result<void> migrated =
        clickhouse::migrate(client(), tables, {feedbackTables(tables)}, SystemClock().now());
    EXPECT_TRUE(migrated) << migrated.error().message();
  }
  ClickHouseFeedbackStore& store() override { return feedback_; }
  /// Merges the parts of the table, as ClickHouse does in the background.
  void flush() override {
    const Result<void> merged = client().execute("OPTIMIZE TABLE feedback FINAL");
    ASSERT_TRUE(merged) << merged.error().message();
  }

  clickhouse::Client& client() { return database_.client(); }
  ManualClock& clock() { return clock_; }

 private:
  /// Sends each group of rows after a millisecond.
  static clickhouse::GroupOptions quickGroups() {
    clickhouse::GroupOptions options;
    options.linger = std::chrono::milliseconds(1);
    return options;
  }

  clickhouse::DatabaseForTest database_;
  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  MetricRegistry metrics_;
  ClickHouseFeedbackStore feedback_{database_.client(), metrics_, clock_, quickGroups()};
};

}  // namespace spindle::feedback
