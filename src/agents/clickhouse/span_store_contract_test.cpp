#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "agents/clickhouse/clickhouse_spans_for_test.h"
#include "agents/query/agent_queries_contract_for_test.h"
#include "agents/query/span_groups_contract_for_test.h"
#include "agents/query/span_lists_contract_for_test.h"
#include "agents/query/span_stats_contract_for_test.h"
#include "agents/query/span_store_contract_for_test.h"
#include "agents/query/span_traces_contract_for_test.h"

namespace spindle::agents {
namespace {

std::unique_ptr<SpanStoreUnderTest> makeClickHouseSpans() {
  return std::make_unique<ClickHouseSpansForTest>();
}

/// A suite of a server that is not available has no tests.
std::vector<MakeSpanStore> stores() {
  if (!clickhouse::DatabaseForTest::isAvailable()) return {};
  return {&makeClickHouseSpans};
}

INSTANTIATE_TEST_SUITE_P(ClickHouse, SpanStoreContract, ::testing::ValuesIn(stores()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SpanStoreContract);

}  // namespace
}  // namespace spindle::agents
