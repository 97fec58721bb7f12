#include "runs/store/columnar_history_store.h"

#include <memory>

#include <gtest/gtest.h>

#include "query/columnar_contract_for_test.h"
#include "runs/history_store_contract_for_test.h"
#include "runs/store/history_row.h"

namespace spindle::runs {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Columnar, HistoryStoreContract, ::testing::Values([] {
      return std::make_unique<query::ColumnarForContract<HistoryStore, ColumnarHistoryStore>>(
          historyFamily());
    }));

}  // namespace
}  // namespace spindle::runs
