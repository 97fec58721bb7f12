// Compares generated reports of usage on the embedded store and on ClickHouse.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "columnar/testing/store_for_test.h"
#include "inference/clickhouse/clickhouse_usage_for_test.h"
#include "inference/usage/columnar_usage_store.h"

namespace spindle::inference {
namespace {

class UsageComparison : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    opened_ = std::make_unique<ClickHouseUsageForTest>();
    std::vector<UsageRecord> records;
    for (int i = 0; i < 2'000; ++i) records.push_back(record());
    ASSERT_TRUE(opened_->store().write(records));
    ASSERT_TRUE(embedded_.write(records));
  }

  std::size_t below(std::size_t end) { return random_() % end; }
  std::string numbered(const std::string& name, std::size_t end) {
    return name + std::to_string(below(end));
  }
  template <class T>
  const T& oneOf(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  Timestamp moment() {
    return kStart + std::chrono::microseconds(below(std::size_t{5} * 24 * 3600 * 1'000'000));
  }

  UsageRecord record() {
    UsageRecord record;
    record.started_at = moment();
    record.id = newUuid(record.started_at);
    record.team_id = numbered("team_", 3);
    record.project_id = numbered("prj_", 5);
    record.user_id = numbered("usr_", 4);
    record.key_id = numbered("spk_", 6);
    record.model = oneOf<std::string>({"small", "large", "Größe", "free", ""});
    record.status = oneOf<int>({200, 200, 200, 400, 429, 499, 503});
    record.tokens = {static_cast<std::int64_t>(below(5'000)), static_cast<std::int64_t>(below(500)),
                     static_cast<std::int64_t>(below(100)), static_cast<std::int64_t>(below(50))};
    record.cost = static_cast<double>(below(1'000)) / 1'024;
    record.latency = std::chrono::microseconds(below(9'000'000));
    if (below(3) > 0) record.first_token = std::chrono::microseconds(below(900'000));
    return record;
  }

  UsageReportQuery query() {
    UsageReportQuery query;
    query.from = moment();
    query.to = query.from + std::chrono::hours(below(96));
    for (const UsageKey key : {UsageKey::kDay, UsageKey::kModel, UsageKey::kProject,
                               UsageKey::kUser, UsageKey::kApiKey}) {
      if (below(3) == 0) query.group_by.push_back(key);
    }
    if (below(5) == 0) query.model = "small";
    if (below(5) == 0) query.project_id = numbered("prj_", 6);
    if (below(6) == 0) query.user_id = numbered("usr_", 5);
    if (below(6) == 0) query.key_id = numbered("spk_", 7);
    query.scope.everything = below(2) == 0;
    query.scope.user_id = numbered("usr_", 5);
    if (below(2) == 0) query.scope.team_ids = {numbered("team_", 4)};
    if (below(2) == 0) query.scope.project_ids = {"prj_0", numbered("prj_", 6)};
    query.limit = 1 + below(60);
    return query;
  }

  static Result<std::shared_ptr<const pricing::ProjectPrices>> pricesOf(std::string_view project) {
    pricing::Price price;
    price.llm_id = "small";
    price.tokens.prompt = project == "prj_2" ? 2.0 : 1.0;
    price.tokens.completion = 10.0;
    price.tokens.cache_read = 0.5;
    return std::make_shared<const pricing::ProjectPrices>(pricing::ProjectPrices::Tables{
        std::make_shared<const pricing::PriceTable>(std::vector<pricing::Price>{price})});
  }

  static UsageReport reportOf(const UsageStore& store, const UsageReportQuery& asked) {
    Result<UsageReport> report = store.report(asked, pricesOf);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *std::move(report) : UsageReport();
  }
  static void expectNear(const std::optional<double>& one, const std::optional<double>& other) {
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) return;
    EXPECT_NEAR(*one, *other, 1e-9 * std::max(1.0, std::abs(*other)));
  }
  static void expectSame(const UsageRow& one, const UsageRow& other) {
    EXPECT_EQ(one.keys, other.keys);
    EXPECT_EQ(one.requests, other.requests);
    EXPECT_EQ(one.errors, other.errors);
    EXPECT_EQ(one.cancelled, other.cancelled);
    EXPECT_EQ(one.tokens, other.tokens);
    EXPECT_EQ(one.unpriced, other.unpriced);
    // The order of a sum changes its last digits.
    expectNear(one.cost, other.cost);
    expectNear(one.latency_mean, other.latency_mean);
    expectNear(one.latency_p50, other.latency_p50);
    expectNear(one.latency_p95, other.latency_p95);
    expectNear(one.latency_p99, other.latency_p99);
    expectNear(one.first_token_p50, other.first_token_p50);
    expectNear(one.first_token_p95, other.first_token_p95);
  }

  static constexpr Timestamp kStart =
      std::chrono::sys_days(std::chrono::year(2026) / 11 / 11) + std::chrono::hours(7);
  std::mt19937_64 random_{17};
  std::unique_ptr<ClickHouseUsageForTest> opened_;
  columnar::StoreForTest columnar_{{usageFamily()}};
  ColumnarUsageStore embedded_{*columnar_, 0};
};

TEST_F(UsageComparison, GeneratedReportsAreTheSame) {
  std::size_t rows = 0;
  for (int i = 0; i < 120; ++i) {
    const UsageReportQuery asked = query();
    const UsageReport expected = reportOf(embedded_, asked);
    const UsageReport found = reportOf(opened_->store(), asked);
    ASSERT_EQ(found.rows.size(), expected.rows.size()) << "query " << i;
    EXPECT_EQ(found.has_more, expected.has_more);
    for (std::size_t row = 0; row < found.rows.size(); ++row)
      expectSame(found.rows[row], expected.rows[row]);
    ASSERT_FALSE(HasFailure()) << "query " << i;
    rows += found.rows.size();
  }
  EXPECT_GT(rows, 500U);
}

TEST_F(UsageComparison, SpentCostsAreTheSame) {
  for (const bool rolled_up : {false, true}) {
    if (rolled_up) {
      opened_->storeEarlier(2);
      ASSERT_GT(*opened_->store().rollUp(), 0);
    }
    for (int i = 0; i < 25; ++i) {
      const LimitScope scope = i % 2 == 0 ? LimitScope::kKey : LimitScope::kProject;
      const std::string subject =
          scope == LimitScope::kKey ? numbered("spk_", 6) : numbered("prj_", 5);
      const Timestamp since =
          i % 3 == 0 ? moment() : std::chrono::floor<std::chrono::days>(moment());
      EXPECT_EQ(*opened_->store().spentSince(scope, subject, since),
                *embedded_.spentSince(scope, subject, since));
    }
  }
}

}  // namespace
}  // namespace spindle::inference
