#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "inference/clickhouse/clickhouse_usage_store.h"
#include "inference/clickhouse/usage_table.h"
#include "inference/usage/usage_store_contract_for_test.h"

namespace spindle::inference {

/// An empty store in a database of its own.
class ClickHouseUsageForTest final : public UsageStoreUnderTest {
 public:
  ClickHouseUsageForTest() {
    const clickhouse::TableOptions tables;
    const Result<void> migrated =
        clickhouse::migrate(client(), tables, {usageTables(tables)}, SystemClock().now());
    EXPECT_TRUE(migrated) << migrated.error().message();
  }
  ClickHouseUsageStore& store() override { return *usage_; }
  /// Merges the parts of the table, as ClickHouse does in the background.
  void reopen() override {
    execute("OPTIMIZE TABLE inference_usage FINAL");
    usage_.emplace(client(), metrics_, quickGroups());
  }

  clickhouse::Client& client() { return database_.client(); }
  void execute(SqlView sql) {
    const Result<void> done = client().execute(sql);
    EXPECT_TRUE(done) << done.error().message();
  }
  /// Makes all requests look as if ClickHouse had stored them some hours earlier.
  void storeEarlier(int hours) {
    execute("CREATE TABLE moved AS inference_usage");
    execute("INSERT INTO moved SELECT * REPLACE (stored_at - toIntervalHour(" +
            SqlText::number(hours) + ") AS stored_at, version + " + SqlText::number(hours * 3600) +
            " AS version) FROM inference_usage");
    execute("EXCHANGE TABLES moved AND inference_usage");
    execute("DROP TABLE moved SYNC");
  }
  std::int64_t countOf(SqlView table) {
    std::int64_t count = -1;
    const Result<void> read =
        forEachRow(client().query("SELECT toInt64(count()) FROM " + SqlText(table)),
                   [&count](const clickhouse::Cursor& row) { count = row.integer(0); });
    EXPECT_TRUE(read);
    return count;
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
  std::optional<ClickHouseUsageStore> usage_{std::in_place, client(), metrics_, quickGroups()};
};

}  // namespace spindle::inference
