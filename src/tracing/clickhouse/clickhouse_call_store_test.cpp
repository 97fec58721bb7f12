#include "tracing/clickhouse/clickhouse_call_store.h"

#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "clickhouse/testing/database_for_test.h"
#include "tracing/clickhouse/clickhouse_calls_for_test.h"
#include "tracing/store/call_lists_contract_for_test.h"
#include "tracing/store/call_stats_contract_for_test.h"
#include "tracing/store/call_store_contract_for_test.h"

namespace spindle::tracing {
namespace {

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
