#include <memory>

#include <gtest/gtest.h>

#include "agents/columnar/columnar_spans_for_test.h"
#include "agents/query/agent_queries_contract_for_test.h"
#include "agents/query/span_groups_contract_for_test.h"
#include "agents/query/span_lists_contract_for_test.h"
#include "agents/query/span_stats_contract_for_test.h"
#include "agents/query/span_store_contract_for_test.h"
#include "agents/query/span_traces_contract_for_test.h"

namespace spindle::agents {
namespace {

std::unique_ptr<SpanStoreUnderTest> makeColumnarSpans() {
  return std::make_unique<ColumnarSpansForTest>();
}

INSTANTIATE_TEST_SUITE_P(Columnar, SpanStoreContract, ::testing::Values(&makeColumnarSpans));

}  // namespace
}  // namespace spindle::agents
