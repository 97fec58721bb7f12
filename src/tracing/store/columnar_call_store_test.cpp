#include "tracing/store/columnar_call_store.h"

#include <memory>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "tracing/store/call_lists_contract_for_test.h"
#include "tracing/store/call_row.h"
#include "tracing/store/call_stats_contract_for_test.h"
#include "tracing/store/call_store_contract_for_test.h"
#include "tracing/store/otel_resource_store.h"
#include "tracing/store/ref_values_for_test.h"

namespace spindle::tracing {
namespace {

class ColumnarCallsForTest final : public query::StoreForContract<CallStore> {
 public:
  CallStore& store() override { return calls_; }
  void flush() override { ASSERT_TRUE(columnar_->flush()); }

 private:
  columnar::StoreForTest columnar_{{callFamily(), otelResourceFamily()}};
  NoRefValuesForTest values_;
  ColumnarCallStore calls_{*columnar_, 0, 1, CallJoins{values_}};
};

INSTANTIATE_TEST_SUITE_P(Columnar, CallStoreContract, ::testing::Values([] {
                           return std::make_unique<ColumnarCallsForTest>();
                         }));
INSTANTIATE_TEST_SUITE_P(Columnar, CallStatsContract, ::testing::Values([] {
                           return std::make_unique<ColumnarCallsForTest>();
                         }));

}  // namespace
}  // namespace spindle::tracing
