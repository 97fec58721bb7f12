// Tests that the journal of a node arrives in ClickHouse exactly once, whatever fails on the way.

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"
#include "base/core/log.h"
#include "inference/clickhouse/clickhouse_usage_for_test.h"
#include "inference/usage/recorder.h"
#include "inference/usage/usage_journal.h"

namespace spindle::inference {
namespace {

/// Passes records on, and loses all acknowledgements until `heal()`.
class UnreliableSink final : public UsageSink {
 public:
  explicit UnreliableSink(UsageSink& store) : store_(store) {}

  Result<void> write(const std::vector<UsageRecord>& records) override {
    TRY(store_.write(records));
    const MutexLock lock(mutex_);
    ++writes_;
    changed_.notifyAll();
    if (lost_) return Error::unavailable("the acknowledgement is lost");
    for (const UsageRecord& record : records) acknowledged_.insert(record.id);
    return {};
  }
  void heal() {
    const MutexLock lock(mutex_);
    lost_ = false;
  }
  void awaitWrite() {
    const MutexLock lock(mutex_);
    while (writes_ == 0) changed_.wait(mutex_);
  }
  void awaitAcknowledged(std::size_t count) {
    const MutexLock lock(mutex_);
    while (acknowledged_.size() < count) changed_.wait(mutex_);
  }

 private:
  UsageSink& store_;
  Mutex mutex_;
  Condition changed_;
  int writes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool lost_ SPINDLE_GUARDED_BY(mutex_) = true;
  std::set<std::string> acknowledged_ SPINDLE_GUARDED_BY(mutex_);
};

class UsageForwarding : public ::testing::Test {
 protected:
  static constexpr int kRequests = 40;

  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    opened_ = std::make_unique<ClickHouseUsageForTest>();
  }

  std::unique_ptr<Recorder> recorderIn(const std::string& folder, UsageSink& sink) {
    UsageJournal::Options options;
    options.folder = folder;
    return std::make_unique<Recorder>(
        sink, [](const std::vector<TracedCompletion>& /*traces*/) -> Result<void> { return {}; },
        std::make_unique<UsageJournal>(std::move(options)), metrics_);
  }
  static void record(Recorder& recorder) {
    for (int i = 0; i < kRequests; ++i) {
      FinishedCompletion completion;
      completion.usage.id = newUuid(SystemClock().now());
      completion.usage.started_at = SystemClock().now();
      completion.usage.project_id = "prj";
      completion.usage.key_id = "spk";
      completion.usage.status = 200;
      completion.usage.cost = 0.5;
      recorder.record(std::move(completion));
    }
  }
  void expectEveryRequestOnce() {
    for (const bool is_merged : {false, true}) {
      if (is_merged) opened_->reopen();
      const auto spent = opened_->store().spentSince(LimitScope::kProject, "prj", {});
      ASSERT_TRUE(spent);
      EXPECT_DOUBLE_EQ(usdOf(*spent), kRequests * 0.5);
      UsageReportQuery all;
      all.to = SystemClock().now() + std::chrono::hours(1);
      all.scope.everything = true;
      const auto report = opened_->store().report(
          all, [](std::string_view) -> Result<std::shared_ptr<const pricing::ProjectPrices>> {
            return std::make_shared<const pricing::ProjectPrices>(pricing::ProjectPrices::Tables{
                std::make_shared<const pricing::PriceTable>(std::vector<pricing::Price>())});
          });
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->rows.at(0).requests, kRequests);
    }
  }

  FolderForTest folder_;
  MetricRegistry metrics_;
  std::unique_ptr<ClickHouseUsageForTest> opened_;
};

TEST_F(UsageForwarding, LostAcknowledgementsCountNoRequestTwice) {
  UnreliableSink sink(opened_->store());
  const std::unique_ptr<Recorder> recorder = recorderIn(folder_.path(), sink);
  record(*recorder);
  sink.awaitWrite();
  sink.heal();
  sink.awaitAcknowledged(kRequests);
  expectEveryRequestOnce();
}

TEST_F(UsageForwarding, TheNextStartForwardsTheJournalOfAKilledProcess) {
  const std::string journal = folder_.path() + "/journal";
  const std::string left = folder_.path() + "/left";
  UnreliableSink sink(opened_->store());
  std::unique_ptr<Recorder> killed = recorderIn(journal, sink);
  record(*killed);
  sink.awaitWrite();
  // What a process leaves that is killed now.
  std::filesystem::copy(journal, left);
  const std::unique_ptr<Recorder> next = recorderIn(left, opened_->store());
  ASSERT_TRUE(next->flush());
  expectEveryRequestOnce();
  sink.heal();
  killed.reset();
  expectEveryRequestOnce();
}

}  // namespace
}  // namespace spindle::inference
