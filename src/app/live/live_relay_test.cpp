#include "app/live/live_relay.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::app {
namespace {

using namespace std::chrono_literals;
using live::Topic;

constexpr Timestamp kNow = timestampOfMicros(1'700'000'000'000'000);

/// The change log of one process.
struct RelayNode {
  RelayNode(storage::DatabaseForTest& shared, const std::string& process)
      : database(shared.openAgain()), relay(*database, changes, process) {
    database->startListening();
    relay.start();
  }
  ~RelayNode() {
    relay.stop();
    database->stopListening();
  }
  RelayNode(const RelayNode&) = delete;
  RelayNode& operator=(const RelayNode&) = delete;

  /// Reads the new changes of the log as texts such as `calls a 3`, or `lost`.
  const std::vector<std::string>& read() {
    changes.seal();
    const auto last =
        changes.visitAfter(position, [this](std::uint64_t, const live::Change& change) {
          texts.push_back(std::string(textOf(change.topic)) + " " + change.scope_id + " " +
                          std::to_string(change.count));
        });
    if (!last) texts.emplace_back("lost");
    position = changes.last();
    return texts;
  }
  bool hasRead(const std::string& text) {
    const std::vector<std::string>& known = read();
    return std::find(known.begin(), known.end(), text) != known.end();
  }

  std::unique_ptr<storage::Database> database;
  live::ChangeLog changes;
  LiveRelay relay;
  std::uint64_t position = 0;
  std::vector<std::string> texts;
};

bool becomesTrue(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

class LiveRelayTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }

  /// Waits until the second node hears the first.
  void connect() {
    EXPECT_TRUE(becomesTrue([this] {
      a_.changes.publish(Topic::kRuns, "probe", 1, kNow);
      const std::vector<std::string>& known = b_.read();
      return !known.empty() && known.back().starts_with("runs probe");
    }));
  }

  storage::DatabaseForTest database_{storage::Engine::kPostgres};
  RelayNode a_{database_, "process-a"};
  RelayNode b_{database_, "process-b"};
};

TEST_F(LiveRelayTest, TellsOtherProcessesOfChanges) {
  connect();
  a_.changes.publish(Topic::kCalls, "project", 2, kNow);
  EXPECT_TRUE(becomesTrue([this] { return b_.hasRead("calls project 2"); }));
}

TEST_F(LiveRelayTest, DoesNotReturnChangesToTheirProcess) {
  connect();
  EXPECT_TRUE(becomesTrue([this] { return a_.hasRead("lost"); }));  // it is connected too
  a_.changes.publish(Topic::kCalls, "project", 1, kNow);
  EXPECT_TRUE(becomesTrue([this] { return b_.hasRead("calls project 1"); }));
  const std::vector<std::string>& own = a_.read();
  EXPECT_EQ(std::count(own.begin(), own.end(), "calls project 1"), 1);
}

TEST_F(LiveRelayTest, SaysThatChangesMayBeMissingAfterALostConnection) {
  connect();
  b_.texts.clear();
  storage::PostgresForTest::instance().closeAllConnections();
  EXPECT_TRUE(becomesTrue([this] { return b_.hasRead("lost"); }));
}

}  // namespace
}  // namespace spindle::app
