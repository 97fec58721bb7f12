#include "inference/clickhouse/clickhouse_usage_store.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "inference/clickhouse/clickhouse_usage_for_test.h"

namespace spindle::inference {
namespace {

/// Suites of a server that is not available have no tests.
std::vector<UsageStoreFactory> stores() {
  if (!clickhouse::DatabaseForTest::isAvailable()) return {};
  return {[]() -> std::unique_ptr<UsageStoreUnderTest> {
    return std::make_unique<ClickHouseUsageForTest>();
  }};
}

INSTANTIATE_TEST_SUITE_P(ClickHouse, UsageStoreContract, ::testing::ValuesIn(stores()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UsageStoreContract);

}  // namespace
}  // namespace spindle::inference
