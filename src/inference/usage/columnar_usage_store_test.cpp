#include "inference/usage/columnar_usage_store.h"

#include <memory>
#include <optional>
#include <utility>

#include "columnar/testing/store_for_test.h"
#include "inference/usage/usage_store_contract_for_test.h"

namespace spindle::inference {
namespace {

class ColumnarUsageStoreUnderTest final : public UsageStoreUnderTest {
 public:
  UsageStore& store() override { return *usage_; }
  void reopen() override {
    ASSERT_TRUE(store_->flush());
    store_.reopen();
    usage_.emplace(*store_, 0);
  }

 private:
  columnar::StoreForTest store_{{usageFamily()}};
  std::optional<ColumnarUsageStore> usage_{std::in_place, *store_, 0};
};

std::unique_ptr<UsageStoreUnderTest> columnarUsageStore() {
  return std::make_unique<ColumnarUsageStoreUnderTest>();
}

INSTANTIATE_TEST_SUITE_P(Columnar, UsageStoreContract, ::testing::Values(columnarUsageStore));

}  // namespace
}  // namespace spindle::inference
