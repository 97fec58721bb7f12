#include "inference/clickhouse/usage_rollup.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/crypto/id.h"
#include "inference/clickhouse/clickhouse_usage_for_test.h"
#include "jobs/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::inference {
namespace {

class UsageRollup : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    opened_ = std::make_unique<ClickHouseUsageForTest>();
  }
  ClickHouseUsageStore& usage() { return opened_->store(); }

  static UsageRecord recordOf(const std::string& project_id, Timestamp started_at, double cost) {
    UsageRecord record;
    record.id = newUuid(started_at);
    record.started_at = started_at;
    record.project_id = project_id;
    record.key_id = "spk_" + project_id;
    record.model = "small";
    record.status = 200;
    record.cost = cost;
    return record;
  }
  double spent(const std::string& project_id, Timestamp since) {
    const Result<NanoDollars> of_project =
        usage().spentSince(LimitScope::kProject, project_id, since);
    const Result<NanoDollars> of_key =
        usage().spentSince(LimitScope::kKey, "spk_" + project_id, since);
    EXPECT_TRUE(of_project && of_key);
    if (!of_project || !of_key) return -1;
    EXPECT_EQ(*of_project, *of_key);
    return usdOf(*of_project);
  }

  static constexpr Timestamp kNoon =
      std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + std::chrono::hours(12);
  std::unique_ptr<ClickHouseUsageForTest> opened_;
};

TEST_F(UsageRollup, TotalsReplaceTheRequestsOfHoursThatAreOver) {
  const std::chrono::minutes half(30);
  ASSERT_TRUE(usage().write({recordOf("a", kNoon, 1), recordOf("a", kNoon + half, 2),
                             recordOf("b", kNoon, 4), recordOf("a", kNoon + 3 * half, 8)}));
  EXPECT_EQ(*usage().rollUp(), 0) << "the hour is not over";
  EXPECT_DOUBLE_EQ(spent("a", {}), 11);
  opened_->storeEarlier(3);
  EXPECT_GT(*usage().rollUp(), 0);
  EXPECT_EQ(*usage().rollUp(), 0);
  EXPECT_EQ(opened_->countOf("inference_usage_hours"), 3);
  EXPECT_DOUBLE_EQ(spent("a", {}), 11);
  EXPECT_DOUBLE_EQ(spent("b", kNoon), 4);
  // The requests of a part of an hour are added to the totals of the later hours.
  EXPECT_DOUBLE_EQ(spent("a", kNoon + half), 10);
  EXPECT_DOUBLE_EQ(spent("a", kNoon + half + std::chrono::microseconds(1)), 8);
  EXPECT_DOUBLE_EQ(spent("a", kNoon + 4 * half), 0);
  // Budgets without a period remember the cost of removed requests.
  EXPECT_EQ(*usage().removeBefore(kNoon + std::chrono::days(1)), 4);
  EXPECT_DOUBLE_EQ(spent("a", {}), 11);
}

TEST_F(UsageRollup, RequestsThatArriveLateCountOnce) {
  const UsageRecord first = recordOf("a", kNoon, 1);
  ASSERT_TRUE(usage().write({first}));
  opened_->storeEarlier(2);
  ASSERT_GT(*usage().rollUp(), 0);
  // Another node forwards a request of the same hour later, and forwards the known one again.
  ASSERT_TRUE(usage().write({recordOf("a", kNoon, 2), first}));
  EXPECT_DOUBLE_EQ(spent("a", {}), 3);
  // The totals of the current hour, as if it were over.
  EXPECT_GT(*usage().rollUp(-std::chrono::hours(1)), 0);
  EXPECT_DOUBLE_EQ(spent("a", {}), 3);
  opened_->reopen();
  EXPECT_DOUBLE_EQ(spent("a", {}), 3);
}

TEST_F(UsageRollup, TotalsAreRightWhileJobsRun) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 300; ++i)
    records.push_back(recordOf("a", kNoon + std::chrono::minutes(i), 1));
  ASSERT_TRUE(usage().write(records));
  opened_->storeEarlier(30);
  std::atomic<bool> ended = false;
  std::vector<std::thread> nodes;
  for (int node = 0; node < 2; ++node)
    nodes.emplace_back([this, &ended] {
      EXPECT_TRUE(usage().rollUp());
      ended = true;
    });
  while (!ended) EXPECT_DOUBLE_EQ(spent("a", {}), 300);
  for (std::thread& node : nodes) node.join();
  EXPECT_DOUBLE_EQ(spent("a", {}), 300);
}

TEST_F(UsageRollup, NodesShareOneJobPerHour) {
  ManualClock clock(kNoon);
  storage::DatabaseForTest database(storage::Engine::kSqlite);
  database->migrate({jobs::jobsSchema()}, clock.now());
  jobs::JobQueue queue(*database, clock);
  for (int node = 0; node < 3; ++node) ASSERT_TRUE(enqueueUsageRollup(queue, clock.now()));
  EXPECT_FALSE(*queue.hasReady(kUsageRollupJob)) << "the hour is not over long enough";
  clock.advance(std::chrono::minutes(20));
  ASSERT_TRUE(enqueueUsageRollup(queue, clock.now()));
  ASSERT_TRUE(*queue.lease(kUsageRollupJob, "node", std::chrono::seconds(30)));
  EXPECT_FALSE(*queue.hasReady(kUsageRollupJob));
  EXPECT_EQ(rollUpUsage(usage(), clock).kind, jobs::JobOutcome::Kind::kDone);
}

}  // namespace
}  // namespace spindle::inference
