#pragma once

#include <chrono>

#include <gtest/gtest.h>

#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "query/store_contract_for_test.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/clickhouse/clickhouse_call_store.h"
#include "tracing/store/ref_values_for_test.h"

namespace spindle::tracing {

/// Sends each group of rows after a millisecond.
inline clickhouse::GroupOptions quickGroups() {
  clickhouse::GroupOptions options;
  options.linger = std::chrono::milliseconds(1);
  return options;
}

/// Creates the tables of calls.
inline void createCallTables(clickhouse::Client& client) {
  const clickhouse::TableOptions tables;
  const Result<void> migrated =
      clickhouse::migrate(client, tables, {callTables(tables)}, SystemClock().now());
  ASSERT_TRUE(migrated) << migrated.error().message();
}

/// An empty store in a database of its own.
class ClickHouseCallsForTest final : public query::StoreForContract<CallStore> {
 public:
  ClickHouseCallsForTest() { createCallTables(database_.client()); }
  CallStore& store() override { return calls_; }
  clickhouse::Client& client() { return database_.client(); }
  /// Merges the parts of the table, as ClickHouse does in the background.
  void flush() override {
    const Result<void> merged = database_.client().execute("OPTIMIZE TABLE calls FINAL");
    ASSERT_TRUE(merged) << merged.error().message();
  }

 private:
  clickhouse::DatabaseForTest database_;
  SystemClock clock_;
  MetricRegistry metrics_;
  ProcessCallLocks locks_;
  NoRefValuesForTest values_;
  ClickHouseCallStore calls_{database_.client(), locks_,       {values_}, clock_,
                             metrics_,           quickGroups()};
};

}  // namespace spindle::tracing
