#include "backup/backup_holds.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "backup/families_for_test.h"
#include "columnar/store/store.h"
#include "columnar/testing/store_for_test.h"

namespace spindle::backup {
namespace {

using std::chrono::seconds;

class BackupHoldsTest : public ::testing::Test {
 protected:
  std::string begun() {
    Result<std::string> id = holds_.begin();
    EXPECT_TRUE(id) << id.error().message();
    return id ? *id : std::string();
  }
  bool maintained() {
    bool ran = false;
    const bool told = holds_.maintain([&ran] { ran = true; });
    EXPECT_EQ(told, ran);
    return ran;
  }

  columnar::StoreForTest store_{noteFamilies()};
  std::atomic<seconds> elapsed_{seconds(0)};
  BackupHolds holds_{[this] { return store_->hold(); },
                     [this] { return std::chrono::steady_clock::time_point(elapsed_.load()); }};
};

TEST_F(BackupHoldsTest, IsMarkedAndEnded) {
  const std::string id = begun();
  const Result<std::vector<columnar::HeldFile>> files = holds_.mark(id);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->front().name, "traces.duckdb");
  EXPECT_GT(files->front().bytes, 0U);
  EXPECT_TRUE(holds_.end(id));
  EXPECT_EQ(holds_.end(id).error().code(), ErrorCode::kNotFound);
}

TEST_F(BackupHoldsTest, RefusesASecondHold) {
  const std::string id = begun();
  EXPECT_EQ(holds_.begin().error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(holds_.end(id));
  EXPECT_TRUE(holds_.begin());
}

TEST_F(BackupHoldsTest, RefusesOtherIds) {
  begun();
  EXPECT_EQ(holds_.mark("other").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(holds_.renew("").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(holds_.end("other").error().code(), ErrorCode::kNotFound);
}

TEST_F(BackupHoldsTest, EndsWithItsLease) {
  const std::string id = begun();
  elapsed_ = BackupHolds::kLease - seconds(1);
  EXPECT_TRUE(holds_.renew(id));
  elapsed_ = 2 * BackupHolds::kLease - seconds(2);
  EXPECT_TRUE(holds_.mark(id));
  elapsed_ = 4 * BackupHolds::kLease;
  EXPECT_EQ(holds_.renew(id).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(holds_.end(id).error().code(), ErrorCode::kNotFound);
  // A new hold does not wait for maintenance to end the expired one.
  EXPECT_TRUE(holds_.begin());
}

TEST_F(BackupHoldsTest, PreventsMaintenance) {
  EXPECT_TRUE(maintained());
  const std::string id = begun();
  EXPECT_FALSE(maintained());
  EXPECT_TRUE(holds_.end(id));
  EXPECT_TRUE(maintained());
}

TEST_F(BackupHoldsTest, MaintenanceEndsAnExpiredHold) {
  begun();
  elapsed_ = 2 * BackupHolds::kLease;
  EXPECT_TRUE(maintained());
  const Result<std::unique_ptr<columnar::StoreHold>> again = store_->hold();
  EXPECT_TRUE(again);
}

TEST_F(BackupHoldsTest, BeginsWhenMaintenanceHasEnded) {
  std::atomic<bool> ended{false};
  std::thread client;
  holds_.maintain([&] {
    client = std::thread([&] {
      EXPECT_TRUE(holds_.begin());
      EXPECT_TRUE(ended);
    });
    // Gives the client a chance to return too early.
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    ended = true;
  });
  client.join();
}

}  // namespace
}  // namespace spindle::backup
