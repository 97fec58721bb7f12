#include "app/live/live_relay.h"

#include <chrono>
#include <memory>
#include <optional>
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

  /// Returns the changes after a number as `calls a 3`; nothing if some were lost.
  std::optional<std::vector<std::string>> after(std::uint64_t number) {
    changes.seal();
    std::vector<std::string> texts;
    const auto last = changes.visitAfter(number, [&](std::uint64_t, const live::Change& change) {
      texts.push_back(std::string(textOf(change.topic)) + " " + change.scope_id + " " +
                      std::to_string(change.count));
    });
    return last ? std::optional(texts) : std::nullopt;
  }

  std::unique_ptr<storage::Database> database;
  live::ChangeLog changes;
  LiveRelay relay;
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

  /// Waits until both nodes hear each other, and returns the position of the second.
  std::uint64_t connect() {
    EXPECT_TRUE(becomesTrue([this] {
      a_.changes.publish(Topic::kRuns, "probe", 1, kNow);
      const auto seen = b_.after(0);
      return seen && !seen->empty();
    }));
    EXPECT_TRUE(becomesTrue([this] {  // nothing of the probes is on its way
      b_.changes.seal();
      a_.changes.publish(Topic::kRuns, "last probe", 1, kNow);
      const auto seen = b_.after(0);
      return seen && seen->back().starts_with("runs last probe");
    }));
    return b_.changes.last();
  }

  storage::DatabaseForTest database_{storage::Engine::kPostgres};
  RelayNode a_{database_, "process-a"};
  RelayNode b_{database_, "process-b"};
};

TEST_F(LiveRelayTest, TellsOtherProcessesOfChanges) {
  connect();
  a_.changes.publish(Topic::kCalls, "project", 2, kNow);
  std::vector<std::string> seen;
  EXPECT_TRUE(becomesTrue([&] {
    const auto found = b_.after(0);
    if (found) seen = *found;
    return !seen.empty() && seen.back() == "calls project 2";
  }));
}

TEST_F(LiveRelayTest, DoesNotReturnChangesToTheirProcess) {
  connect();
  a_.changes.publish(Topic::kCalls, "project", 1, kNow);
  EXPECT_TRUE(becomesTrue([&] {
    const auto found = b_.after(0);
    return found && !found->empty() && found->back() == "calls project 1";
  }));
  int own = 0;
  for (const std::string& text : a_.after(0).value()) own += text == "calls project 1" ? 1 : 0;
  EXPECT_EQ(own, 1);
}

TEST_F(LiveRelayTest, SaysThatChangesMayBeMissingAfterALostConnection) {
  const std::uint64_t position = connect();
  storage::PostgresForTest::instance().closeAllConnections();
  EXPECT_TRUE(becomesTrue([&] { return !b_.after(position).has_value(); }));
}

}  // namespace
}  // namespace spindle::app
