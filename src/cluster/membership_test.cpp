#include "cluster/membership.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "cluster/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::cluster {
namespace {

using namespace std::chrono_literals;

/// A process of the deployment, without its thread: tests send the heartbeats.
struct Process {
  Process(storage::DatabaseForTest& shared,
          const Clocks& clocks,
          const std::string& id,
          std::chrono::milliseconds lease = 8s)
      : database(shared.openAgain()),
        membership(*database,
                   clocks,
                   {.id = id,
                    .version = "1.2.3",
                    .roles = "api,background",
                    .tasks = {"deliveries", std::string(Membership::kLossTask)},
                    .heart_beat = 1h,
                    .lease = lease}) {}

  std::unique_ptr<storage::Database> database;
  Membership membership;
};

class MembershipTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override { database_->migrate({clusterSchema()}, clock_.now()); }

  std::unique_ptr<Process> start(const std::string& id, std::chrono::milliseconds lease = 8s) {
    auto process = std::make_unique<Process>(database_, clock_, id, lease);
    process->membership.start("http://" + id,
                              {.lost = [this](const std::string& lost) -> Result<void> {
                                 losses_.push_back(lost);
                                 return {};
                               },
                               .replaced = [this, id] { replaced_.push_back(id); }});
    return process;
  }
  static NodeState stateOf(Process& process, const std::string& id) {
    const Result<std::vector<Node>> nodes = process.membership.nodes();
    const auto found =
        std::find_if(nodes->begin(), nodes->end(), [&](const Node& node) { return node.id == id; });
    EXPECT_NE(found, nodes->end()) << id;
    return found == nodes->end() ? NodeState::kLost : found->state;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{storage::Engine::kPostgres};
  std::vector<std::string> losses_;
  std::vector<std::string> replaced_;
};

TEST_F(MembershipTest, ListsTheNodesOfTheDeployment) {
  const auto a = start("a");
  const auto b = start("b");
  const Result<std::vector<Node>> nodes = a->membership.nodes();
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->back().id, "b");
  EXPECT_EQ(nodes->back().url, "http://b");
  EXPECT_EQ(nodes->back().version, "1.2.3");
  EXPECT_EQ(nodes->back().roles, "api,background");
  EXPECT_EQ(nodes->back().state, NodeState::kReady);
  EXPECT_EQ(nodes->front().tasks,
            (std::vector<std::string>{"deliveries", std::string(Membership::kLossTask)}));
  EXPECT_TRUE(nodes->back().tasks.empty());
}

TEST_F(MembershipTest, GivesATaskToOneNode) {
  const auto a = start("a");
  const auto b = start("b");
  EXPECT_TRUE(a->membership.owns("deliveries"));
  EXPECT_FALSE(b->membership.owns("deliveries"));
  b->membership.beatForTest();
  EXPECT_FALSE(b->membership.owns("deliveries"));
  EXPECT_FALSE(a->membership.owns("unknown"));
}

TEST_F(MembershipTest, GivesTheTasksOfADeadNodeToAnotherWhenTheLeaseExpires) {
  const auto a = start("a");
  const auto b = start("b");
  clock_.advance(7s);
  b->membership.beatForTest();
  EXPECT_FALSE(b->membership.owns("deliveries"));
  clock_.advance(2s);
  b->membership.beatForTest();
  EXPECT_TRUE(b->membership.owns("deliveries"));
  a->membership.beatForTest();
  EXPECT_FALSE(a->membership.owns("deliveries"));
}

TEST_F(MembershipTest, KeepsATaskWhileHeartbeatsArrive) {
  const auto a = start("a");
  const auto b = start("b");
  for (int i = 0; i < 10; ++i) {
    clock_.advance(5s);
    a->membership.beatForTest();
    b->membership.beatForTest();
    EXPECT_TRUE(a->membership.owns("deliveries"));
    EXPECT_FALSE(b->membership.owns("deliveries"));
  }
}

TEST_F(MembershipTest, OwnsNothingWhenItsLeaseHasEnded) {
  const auto a = start("a", 1s);  // as long as the margin
  EXPECT_FALSE(a->membership.owns("deliveries"));
}

TEST_F(MembershipTest, GivesItsTasksBackAtTheStop) {
  const auto a = start("a");
  const auto b = start("b");
  a->membership.stop();
  EXPECT_FALSE(a->membership.owns("deliveries"));
  b->membership.beatForTest();
  EXPECT_TRUE(b->membership.owns("deliveries"));
  EXPECT_EQ(b->membership.nodes()->size(), 1U);
}

TEST_F(MembershipTest, KeepsItsTasksWhileItDrainsAndTakesNoOthers) {
  const auto a = start("a");
  const auto b = start("b");
  a->membership.drain();
  a->membership.beatForTest();
  EXPECT_TRUE(a->membership.owns("deliveries"));
  EXPECT_EQ(stateOf(*b, "a"), NodeState::kDraining);
  b->membership.drain();
  clock_.advance(9s);
  b->membership.beatForTest();
  EXPECT_FALSE(b->membership.owns("deliveries"));
}

TEST_F(MembershipTest, TakesItsTasksAtOnceWhenItRestarts) {
  const auto a = start("a");
  const auto b = start("b");
  const auto again = start("a");
  EXPECT_TRUE(again->membership.owns("deliveries"));
  a->membership.beatForTest();
  EXPECT_FALSE(a->membership.owns("deliveries"));
  EXPECT_EQ(replaced_, std::vector<std::string>{"a"});
  a->membership.beatForTest();
  EXPECT_EQ(replaced_.size(), 1U);
  a->membership.stop();
  EXPECT_EQ(b->membership.nodes()->size(), 2U);  // the new process stays
}

TEST_F(MembershipTest, ReportsANodeWithoutHeartbeatsAsLost) {
  const auto a = start("a");
  const auto b = start("b");
  clock_.advance(11s);
  a->membership.beatForTest();
  EXPECT_EQ(stateOf(*a, "b"), NodeState::kLost);
  EXPECT_EQ(stateOf(*a, "a"), NodeState::kReady);
  b->membership.beatForTest();
  EXPECT_EQ(stateOf(*a, "b"), NodeState::kReady);
}

TEST_F(MembershipTest, GivesTheWorkOfALostNodeBackOnce) {
  const auto a = start("a");
  const auto b = start("b");
  clock_.advance(11s);
  a->membership.beatForTest();
  a->membership.handleLossesForTest();
  a->membership.handleLossesForTest();
  EXPECT_EQ(losses_, std::vector<std::string>{"b"});
  ASSERT_TRUE(a->membership.forgetLostNodes());
  EXPECT_EQ(a->membership.nodes()->size(), 2U);
  clock_.advance(2h);
  a->membership.beatForTest();
  ASSERT_TRUE(a->membership.forgetLostNodes());
  EXPECT_EQ(a->membership.nodes()->size(), 1U);
  b->membership.beatForTest();  // it was only suspended
  EXPECT_EQ(stateOf(*a, "b"), NodeState::kReady);
}

TEST_F(MembershipTest, ThreadTakesTheTasksOfANodeThatLeaves) {
  auto a = start("a");
  const auto b = start("b");
  b->database->startListening();
  a->membership.stop();
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (!b->membership.owns("deliveries") && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(b->membership.owns("deliveries"));
  b->membership.stop();
  b->database->stopListening();
}

TEST(EmbeddedMembership, OwnsEveryTaskWithoutADatabaseAccess) {
  storage::DatabaseForTest database(storage::Engine::kSqlite);  // without tables
  const ManualClock clock(timestampOfMicros(1'700'000'000'000'000));
  Membership membership(*database, clock, {.id = "only", .tasks = {"deliveries"}});
  EXPECT_TRUE(membership.isAlone());
  membership.start("http://only", {});
  EXPECT_TRUE(membership.owns("deliveries"));
  EXPECT_EQ(membership.nodes()->front().url, "http://only");
  membership.drain();
  EXPECT_EQ(membership.nodes()->front().state, NodeState::kDraining);
  membership.stop();
}

}  // namespace
}  // namespace spindle::cluster
