#include "runs/store/columnar_history_store.h"

#include <memory>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "runs/history_store_contract_for_test.h"

namespace spindle::runs {
namespace {

class ColumnarHistoryForTest final : public HistoryStoreForTest {
 public:
  HistoryStore& store() override { return store_; }
  void flush() override { ASSERT_TRUE(columnar_->flush()); }

 private:
  columnar::StoreForTest columnar_{{historyFamily()}};
  ColumnarHistoryStore store_{*columnar_, 0};
};

INSTANTIATE_TEST_SUITE_P(Columnar, HistoryStoreContract, ::testing::Values([] {
                           return std::make_unique<ColumnarHistoryForTest>();
                         }));

}  // namespace
}  // namespace spindle::runs
