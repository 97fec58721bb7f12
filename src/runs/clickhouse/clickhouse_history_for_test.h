#pragma once

#include <chrono>

#include <gtest/gtest.h>

#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "query/store_contract_for_test.h"
#include "runs/clickhouse/clickhouse_history_store.h"
#include "runs/clickhouse/history_table.h"

namespace spindle::runs {

/// An empty store in a database of its own.
class ClickHouseHistoryForTest final : public query::StoreForContract<HistoryStore> {
 public:
  ClickHouseHistoryForTest() {
    const clickhouse::TableOptions tables;
    const Result<void> migrated =
        clickhouse::migrate(client(), tables, {historyTables(tables)}, SystemClock().now());
    EXPECT_TRUE(migrated) << migrated.error().message();
  }
  HistoryStore& store() override { return history_; }
  /// Merges the parts of the table, as ClickHouse does in the background.
  void flush() override {
    const Result<void> merged = client().execute("OPTIMIZE TABLE run_history FINAL");
    ASSERT_TRUE(merged) << merged.error().message();
  }

  clickhouse::Client& client() { return database_.client(); }
  /// Returns the number of INSERT statements.
  std::uint64_t inserts() {
    return metrics_
        .counter("spindle_clickhouse_inserts_total",
                 "INSERT statements that ClickHouse acknowledged.", {{"table", "run_history"}})
        .value();
  }

 private:
  /// Sends each group of rows after a millisecond.
  static clickhouse::GroupOptions quickGroups() {
    clickhouse::GroupOptions options;
    options.linger = std::chrono::milliseconds(1);
    return options;
  }

  clickhouse::DatabaseForTest database_;
  MetricRegistry metrics_;
  ClickHouseHistoryStore history_{database_.client(), metrics_, quickGroups()};
};

}  // namespace spindle::runs
