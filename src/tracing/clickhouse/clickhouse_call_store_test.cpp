#include "tracing/clickhouse/clickhouse_call_store.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/store/call_lists_contract_for_test.h"
#include "tracing/store/call_stats_contract_for_test.h"
#include "tracing/store/call_store_contract_for_test.h"
#include "tracing/store/ref_values_for_test.h"

namespace spindle::tracing {
namespace {

class ClickHouseCallsForTest final : public query::StoreForContract<CallStore> {
 public:
  ClickHouseCallsForTest() {
    const clickhouse::TableOptions tables;
    const Result<void> migrated =
        clickhouse::migrate(database_.client(), tables, {callTables(tables)}, clock_.now());
    EXPECT_TRUE(migrated) << migrated.error().message();
  }
  CallStore& store() override { return calls_; }
  /// Merges the parts of the table, as ClickHouse does in the background.
  void flush() override {
    const Result<void> merged = database_.client().execute("OPTIMIZE TABLE calls FINAL");
    ASSERT_TRUE(merged) << merged.error().message();
  }

 private:
  static clickhouse::GroupOptions quick() {
    clickhouse::GroupOptions options;
    options.linger = std::chrono::milliseconds(1);
    return options;
  }

  clickhouse::DatabaseForTest database_;
  SystemClock clock_;
  MetricRegistry metrics_;
  ProcessCallLocks locks_;
  NoRefValuesForTest values_;
  ClickHouseCallStore calls_{database_.client(), locks_, values_, clock_, metrics_, quick()};
};

/// Suites of a server that is not available have no tests.
std::vector<std::function<std::unique_ptr<query::StoreForContract<CallStore>>()>> stores() {
  if (!clickhouse::DatabaseForTest::isAvailable()) return {};
  return {[] { return std::make_unique<ClickHouseCallsForTest>(); }};
}

INSTANTIATE_TEST_SUITE_P(ClickHouse, CallStoreContract, ::testing::ValuesIn(stores()));
INSTANTIATE_TEST_SUITE_P(ClickHouse, CallStatsContract, ::testing::ValuesIn(stores()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CallStoreContract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CallStatsContract);

}  // namespace
}  // namespace spindle::tracing
