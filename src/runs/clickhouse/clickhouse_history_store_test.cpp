#include "runs/clickhouse/clickhouse_history_store.h"

#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "runs/clickhouse/clickhouse_history_for_test.h"
#include "runs/history_store_contract_for_test.h"

namespace spindle::runs {
namespace {

/// Suites of a server that is not available have no tests.
std::vector<std::function<std::unique_ptr<query::StoreForContract<HistoryStore>>()>> stores() {
  if (!clickhouse::DatabaseForTest::isAvailable()) return {};
  return {[] { return std::make_unique<ClickHouseHistoryForTest>(); }};
}

INSTANTIATE_TEST_SUITE_P(ClickHouse, HistoryStoreContract, ::testing::ValuesIn(stores()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HistoryStoreContract);

class ClickHouseHistory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    opened_ = std::make_unique<ClickHouseHistoryForTest>();
  }
  HistoryRange range() const {
    HistoryRange range;
    range.project_id = "p";
    range.run_number = 7;
    range.since = range.until = now_;
    return range;
  }

  const Timestamp now_ = timestampOfMicros(1'700'000'000'000'000);
  std::unique_ptr<ClickHouseHistoryForTest> opened_;
};

TEST_F(ClickHouseHistory, ABlockThatIsInsertedTwiceIsReadOnce) {
  FlatRows rows(std::nullopt, now_, {});
  NewRow row;
  row.metrics = R"({"m":1.5})";
  ASSERT_TRUE(rows.add(row, now_));
  const std::string block = newUuid(now_);
  HistoryStore& store = opened_->store();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(store.write("p", 7, Stream::kHistory, block, rows, now_));
  for (const bool is_merged : {false, true}) {
    if (is_merged) opened_->flush();
    EXPECT_EQ(*store.lines("p", block), rows.lines());
    const auto found = store.series(range(), "m", 0, 10);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front().values, std::vector<double>{1.5});
  }
}

TEST_F(ClickHouseHistory, ARequestOfTenThousandRowsIsOneInsert) {
  FlatRows rows(std::nullopt, now_, {});
  NewRow row;
  row.metrics = R"({"loss":0.25,"accuracy":0.5,"lr":1e-4,"note":"x"})";
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(rows.add(row, now_));
  HistoryStore& store = opened_->store();
  ASSERT_TRUE(store.write("p", 7, Stream::kHistory, newUuid(now_), rows, now_));
  EXPECT_EQ(opened_->inserts(), 1U);
  const auto found = store.series(range(), "lr", 0, 10'000);
  ASSERT_TRUE(found && found->size() == 1);
  EXPECT_EQ(found->front().steps.size(), 10'000U);
}

}  // namespace
}  // namespace spindle::runs
