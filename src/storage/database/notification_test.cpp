#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "storage/database/database.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

using namespace std::chrono_literals;

/// Messages in the order of their arrival.
class Inbox {
 public:
  void put(std::string_view text) {
    const MutexLock lock(mutex_);
    messages_.emplace_back(text);
    arrived_.notifyAll();
  }
  /// Returns the next message; fails after a time that only a defect exceeds.
  std::string next() {
    const auto end = std::chrono::steady_clock::now() + 30s;
    const MutexLock lock(mutex_);
    while (messages_.size() <= read_) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= 0s) return "nothing arrived";
      arrived_.waitFor(mutex_, left);
    }
    return messages_[read_++];
  }

 private:
  Mutex mutex_;
  Condition arrived_;
  std::vector<std::string> messages_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t read_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

bool becomesTrue(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

class Notifications : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }

  void SetUp() override {
    database_->migrate({{"test",
                         {{1, "tables",
                           "CREATE TABLE account (id TEXT PRIMARY KEY);"
                           "CREATE TABLE entry (id TEXT PRIMARY KEY);"}},
                         {"account"},
                         {"entry"}}},
                       Timestamp{});
    database_->subscribe("news", [this](std::string_view text) { inbox_.put(text); });
    database_->startListening();
    ASSERT_EQ(inbox_.next(), "");  // connected
    ASSERT_TRUE(becomesTrue([this] { return database_->changeToken().has_value(); }));
  }
  void TearDown() override { database_->stopListening(); }

  /// Waits for the change token, which a listener that was not scheduled for a while does not know.
  std::uint64_t token() {
    std::optional<std::uint64_t> known;
    EXPECT_TRUE(becomesTrue([&] { return (known = database_->changeToken()).has_value(); }));
    return known.value_or(0);
  }
  static bool write(Database& database, SqlView sql, std::string_view message = {}) {
    return database
        .write([&](Session& session) -> Result<void> {
          TRY(session.execute(sql));
          if (!message.empty()) TRY(session.notify("news", message));
          return {};
        })
        .has_value();
  }

  Inbox inbox_;
  DatabaseForTest database_{Engine::kPostgres};
  std::unique_ptr<Database> other_ = database_.openAgain();
};

TEST_F(Notifications, ArriveFromAllProcessesInTheOrderOfCommits) {
  ASSERT_TRUE(write(*other_, "INSERT INTO entry (id) VALUES ('a')", "first of two"));
  ASSERT_TRUE(write(*database_, "INSERT INTO entry (id) VALUES ('b')", "second é"));
  EXPECT_EQ(inbox_.next(), "first of two");
  EXPECT_EQ(inbox_.next(), "second é");
}

TEST_F(Notifications, AreNotSentByTransactionsThatFail) {
  ASSERT_TRUE(write(*other_, "INSERT INTO entry (id) VALUES ('a')"));
  const Result<void> failed = other_->write([](Session& session) -> Result<void> {
    TRY(session.notify("news", "lost"));
    TRY(session.execute("INSERT INTO entry (id) VALUES ('a')"));
    return {};
  });
  EXPECT_FALSE(failed);
  ASSERT_TRUE(write(*other_, "INSERT INTO entry (id) VALUES ('b')", "kept"));
  EXPECT_EQ(inbox_.next(), "kept");
}

TEST_F(Notifications, CarryTheLongestText) {
  const std::string text(Session::kMaxMessage - 5, 'x');
  ASSERT_TRUE(write(*other_, "INSERT INTO entry (id) VALUES ('a')", text));
  EXPECT_EQ(inbox_.next(), text);
}

TEST_F(Notifications, ChangeTheTokenForCachedTablesOfOtherProcesses) {
  const std::uint64_t before = token();
  ASSERT_TRUE(write(*other_, "INSERT INTO account (id) VALUES ('a')", "account"));
  EXPECT_EQ(inbox_.next(), "account");
  EXPECT_NE(token(), before);

  const std::uint64_t then = token();
  ASSERT_TRUE(write(*other_, "INSERT INTO entry (id) VALUES ('a')", "entry"));
  EXPECT_EQ(inbox_.next(), "entry");
  EXPECT_EQ(token(), then);
}

TEST_F(Notifications, ChangeTheTokenAtOnceForOwnCommits) {
  const std::uint64_t before = token();
  ASSERT_TRUE(write(*database_, "INSERT INTO entry (id) VALUES ('a')"));
  const std::uint64_t after = token();
  EXPECT_NE(after, before);
  ASSERT_TRUE(write(*database_, "DELETE FROM entry WHERE id = 'no such row'"));
  EXPECT_EQ(token(), after);
}

TEST_F(Notifications, AnnounceInsertsIntoQueues) {
  Inbox inserted;
  other_->subscribe(Database::kInsertedTopic, [&](std::string_view text) { inserted.put(text); });
  other_->startListening();
  EXPECT_EQ(inserted.next(), "");
  ASSERT_TRUE(write(*database_, "INSERT INTO account (id) VALUES ('a')"));
  ASSERT_TRUE(write(*database_, "INSERT INTO entry (id) VALUES ('a')"));
  EXPECT_EQ(inserted.next(), "entry");
  other_->stopListening();
}

TEST_F(Notifications, SurviveALostConnection) {
  const std::uint64_t before = token();
  PostgresForTest::instance().closeAllConnections();
  EXPECT_EQ(inbox_.next(), "");  // connected again
  EXPECT_NE(token(), before);
  ASSERT_TRUE(write(*other_, "INSERT INTO entry (id) VALUES ('a')", "still here"));
  EXPECT_EQ(inbox_.next(), "still here");
}

TEST_F(Notifications, EndWithStopListening) {
  database_->stopListening();
  EXPECT_EQ(database_->changeToken(), std::nullopt);
  database_->stopListening();
}

TEST_F(Notifications, NeedAListener) { EXPECT_EQ(other_->changeToken(), std::nullopt); }

TEST(SqliteNotifications, DoNothing) {
  DatabaseForTest database(Engine::kSqlite);
  bool received = false;
  database->subscribe("news", [&](std::string_view) { received = true; });
  database->startListening();
  const Result<void> sent =
      database->write([](Session& session) { return session.notify("news", "text"); });
  EXPECT_TRUE(sent);
  database->stopListening();
  EXPECT_FALSE(received);
}

}  // namespace
}  // namespace spindle::storage
