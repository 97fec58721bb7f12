// Several ledgers over one database, as the nodes of a deployment: together they never spend more
// than a budget, in any order of requests, exchanges, deaths and restarts.

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/core/no_blocking.h"
#include "identity/store/migrations.h"
#include "inference/catalogue/migrations.h"
#include "inference/limits/budget_ledger.h"
#include "inference/limits/shared_budgets.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::inference {
namespace {

using namespace std::chrono_literals;

constexpr NanoDollars kDollar = 1'000'000'000;

UsageLimit budgetOf(double usd, const std::string& subject = "project") {
  UsageLimit limit;
  limit.id = "limit-" + subject;
  limit.subject_id = subject;
  limit.budget_usd = usd;
  limit.period = BudgetPeriod::kDay;
  return limit;
}

/// One process of a node. Its end without returnAll() is the death of the process.
struct LedgerNode {
  LedgerNode(storage::Database& database,
             const Clock& clock,
             const std::string& id,
             const std::string& incarnation,
             SharedBudgets::Recorded recorded,
             std::function<NanoDollars()> usage)
      : budgets(database, clock, id, incarnation, recorded),
        ledger(
            [usage = std::move(usage)](LimitScope, const std::string&, Timestamp) {
              return Result<NanoDollars>(usage());
            },
            clock,
            &budgets) {}

  std::optional<BudgetLedger::BudgetReservation> reserve(const UsageLimit& limit,
                                                         NanoDollars amount) {
    const UsageLimit* const limits[] = {&limit};
    for (int attempt = 0; attempt < 3; ++attempt) {
      EXPECT_TRUE(ledger.open(limit, amount));
      Result<BudgetLedger::BudgetReservation> held = ledger.reserve(limits, amount);
      if (held) return *std::move(held);
      EXPECT_EQ(held.error().code(), ErrorCode::kQuotaExceeded);
    }
    return std::nullopt;
  }

  SharedBudgets budgets;
  BudgetLedger ledger;
};

using Recorded = SharedBudgets::Recorded;

class SharedBudgetTest : public ::testing::TestWithParam<std::tuple<storage::Engine, Recorded>> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    database_->migrate({identity::identitySchema(), inferenceSchema()}, clock_.now());
  }

  std::unique_ptr<LedgerNode> start(const std::string& id) {
    const auto usage = [this, id] {
      const auto found = recorded_by_.find(id);
      if (isOfAllNodes()) return recorded_.load();
      return found == recorded_by_.end() ? NanoDollars{0} : found->second;
    };
    return std::make_unique<LedgerNode>(*database_, clock_, id,
                                        "process" + std::to_string(++processes_),
                                        std::get<Recorded>(GetParam()), usage);
  }
  static bool isOfAllNodes() { return std::get<Recorded>(GetParam()) == Recorded::kOfAllNodes; }
  /// Spends in requests of this cost until the budget refuses. @return the number of requests.
  static int spendAll(LedgerNode& node, const UsageLimit& limit, NanoDollars cost) {
    int requests = 0;
    while (auto held = node.reserve(limit, cost)) {
      held->settle(cost);
      ++requests;
    }
    return requests;
  }
  NanoDollars spent(LedgerNode& node, const UsageLimit& limit) const {
    return node.budgets
        .spent({limit.scope, limit.subject_id, limit.period,
                startOfPeriod(limit.period, clock_.now())})
        .value();
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{std::get<storage::Engine>(GetParam())};
  std::atomic<NanoDollars> recorded_{0};            ///< in the usage store of all nodes
  std::map<std::string, NanoDollars> recorded_by_;  ///< in those of each node
  int processes_ = 0;
};

TEST_P(SharedBudgetTest, BelongsToAllNodes) {
  const UsageLimit limit = budgetOf(1);
  const auto a = start("a");
  const auto b = start("b");
  EXPECT_TRUE(a->reserve(limit, kDollar / 4));
  EXPECT_EQ(spendAll(*a, limit, kDollar / 10), 10);
  EXPECT_EQ(spendAll(*b, limit, kDollar / 10), 0);
}

TEST_P(SharedBudgetTest, NeedsNoDatabaseWhileAPartLasts) {
  const UsageLimit limit = budgetOf(100);  // parts of a dollar
  const auto a = start("a");
  EXPECT_TRUE(a->reserve(limit, kDollar / 100));
  const NoBlocking no_blocking;
  for (int i = 0; i < 99; ++i) {
    auto held = a->reserve(limit, kDollar / 100);
    ASSERT_TRUE(held) << i;
    held->settle(kDollar / 100);
  }
  EXPECT_FALSE(no_blocking.wasNeeded());
  EXPECT_FALSE(a->ledger.open(limit, kDollar / 50));
  EXPECT_TRUE(no_blocking.wasNeeded());
}

TEST_P(SharedBudgetTest, TakesALargerPartForALargerRequest) {
  const UsageLimit limit = budgetOf(100);
  const auto a = start("a");
  auto held = a->reserve(limit, 60 * kDollar);
  ASSERT_TRUE(held);
  EXPECT_FALSE(a->reserve(limit, 41 * kDollar));
  held->settle(20 * kDollar);
  EXPECT_TRUE(a->reserve(limit, 41 * kDollar));
}

TEST_P(SharedBudgetTest, StoresWhatWasSpent) {
  const UsageLimit limit = budgetOf(10);
  const auto a = start("a");
  const auto b = start("b");
  a->reserve(limit, kDollar)->settle(kDollar / 2);
  EXPECT_EQ(spent(*b, limit), 0);
  a->ledger.refresh();
  EXPECT_EQ(spent(*b, limit), kDollar / 2);
}

TEST_P(SharedBudgetTest, ReturnsItsPartAtTheStop) {
  const UsageLimit limit = budgetOf(1);
  const auto a = start("a");
  const auto b = start("b");
  a->reserve(limit, kDollar)->settle(kDollar / 4);
  EXPECT_FALSE(b->reserve(limit, kDollar / 2));
  a->ledger.returnAll();
  EXPECT_EQ(spent(*b, limit), kDollar / 4);
  const auto c = start("c");  // remembers no refusal
  EXPECT_EQ(spendAll(*c, limit, kDollar / 4), 3);
}

TEST_P(SharedBudgetTest, CountsTheFullCostOfARequestThatCostMoreThanItReserved) {
  const UsageLimit limit = budgetOf(1);
  const auto a = start("a");
  a->reserve(limit, kDollar / 10)->settle(kDollar / 2);
  EXPECT_EQ(spendAll(*a, limit, kDollar / 10), 5);
  a->ledger.returnAll();
  EXPECT_EQ(spent(*a, limit), kDollar);
}

TEST_P(SharedBudgetTest, RefusesFreeRequestsWhenItIsUsedUp) {
  const UsageLimit limit = budgetOf(1);
  const auto a = start("a");
  EXPECT_TRUE(a->reserve(limit, 0));
  a->reserve(limit, kDollar)->settle(kDollar);
  EXPECT_FALSE(a->reserve(limit, 0));
}

TEST_P(SharedBudgetTest, StartsANewPeriodAtZero) {
  const UsageLimit limit = budgetOf(1);
  const auto a = start("a");
  const auto b = start("b");
  EXPECT_EQ(spendAll(*a, limit, kDollar / 4), 4);
  clock_.advance(24h);
  const auto c = start("c");
  EXPECT_EQ(spendAll(*c, limit, kDollar / 4), 4);
}

TEST_P(SharedBudgetTest, KeepsThePartOfADeadNodeUntilItReturns) {
  const UsageLimit limit = budgetOf(1);
  auto a = start("a");
  a->reserve(limit, kDollar / 2)->settle(kDollar / 4);
  a.reset();
  const auto b = start("b");
  EXPECT_EQ(spendAll(*b, limit, kDollar / 4), 2);
  b->ledger.returnAll();
  // The node starts again and has stored the usage of its last process.
  recorded_ = kDollar / 4 + kDollar / 2;
  recorded_by_ = {{"a", kDollar / 4}, {"b", kDollar / 2}};
  const auto again = start("a");
  EXPECT_EQ(spendAll(*again, limit, kDollar / 4), 1);
}

TEST_P(SharedBudgetTest, CountsWhatEachNodeSpentBeforeTheBudgetExisted) {
  const UsageLimit limit = budgetOf(1);
  recorded_ = kDollar / 2;
  recorded_by_ = {{"a", kDollar / 4}, {"b", kDollar / 4}};
  const auto a = start("a");
  const auto b = start("b");
  EXPECT_TRUE(a->ledger.open(limit));
  EXPECT_TRUE(b->ledger.open(limit));
  b->ledger.returnAll();  // its part
  EXPECT_EQ(spendAll(*a, limit, kDollar / 4), 2);
}

TEST_P(SharedBudgetTest, CountsACostOnceWhenTheLimitChanges) {
  UsageLimit limit = budgetOf(1);
  const auto a = start("a");
  a->reserve(limit, kDollar / 2)->settle(kDollar / 2);
  recorded_ = kDollar / 2;
  recorded_by_ = {{"a", kDollar / 2}};
  ++limit.version;
  EXPECT_EQ(spendAll(*a, limit, kDollar / 4), 2);
  a->ledger.returnAll();
  EXPECT_EQ(spent(*a, limit), kDollar);
}

TEST_P(SharedBudgetTest, CountsThePartOfALostNodeAsSpent) {
  const UsageLimit limit = budgetOf(1);
  auto a = start("a");
  a->reserve(limit, kDollar / 2)->settle(0);
  a.reset();
  const auto b = start("b");
  EXPECT_EQ(b->budgets.settleAbandoned().value(), 0);
  clock_.advance(61min);
  EXPECT_EQ(b->budgets.settleAbandoned().value(), 1);
  EXPECT_EQ(spent(*b, limit), kDollar / 2);
}

TEST_P(SharedBudgetTest, IsNeverExceededInAnyOrderOfSteps) {
  std::mt19937 random(18'112'026);
  const auto pick = [&](std::size_t count) { return random() % count; };
  for (int round = 0; round < 10; ++round) {
    const UsageLimit limit = budgetOf(1, "subject" + std::to_string(round));
    std::array<std::unique_ptr<LedgerNode>, 3> nodes = {start("a"), start("b"), start("c")};
    struct Running {
      std::size_t node;
      BudgetLedger::BudgetReservation held;
      NanoDollars reserved;
    };
    std::vector<Running> running;
    NanoDollars used = 0;  // by all processes, dead ones included
    std::map<std::string, NanoDollars> used_by;
    const auto idOf = [](std::size_t node) {
      return std::string(1, static_cast<char>('a' + node));
    };
    for (int step = 0; step < 120; ++step) {
      const std::size_t node = pick(nodes.size());
      const std::size_t dice = pick(100);
      if (dice < 45) {
        const auto cost = static_cast<NanoDollars>(1 + pick(kDollar / 20));
        if (auto held = nodes[node]->reserve(limit, cost)) {
          running.push_back({node, *std::move(held), cost});
        }
      } else if (dice < 85 && !running.empty()) {
        const std::size_t at = pick(running.size());
        const NanoDollars cost = static_cast<NanoDollars>(pick(2)) * running[at].reserved;
        running[at].held.settle(cost);
        used += cost;
        used_by[idOf(running[at].node)] += cost;
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (dice < 92) {
        nodes[node]->ledger.refresh();
      } else if (dice < 96) {
        // The process dies. The costs of its running requests are not counted anywhere.
        std::erase_if(running, [&](Running& one) {
          if (one.node == node) one.held.drop();
          return one.node == node;
        });
        recorded_ = used;  // its journal is stored at the next start
        recorded_by_[idOf(node)] = used_by[idOf(node)];
        nodes[node] = start(idOf(node));
      } else if (std::none_of(running.begin(), running.end(),
                              [&](const Running& one) { return one.node == node; })) {
        nodes[node]->ledger.returnAll();
      }
      ASSERT_LE(used, kDollar) << "round " << round << ", step " << step;
    }
    recorded_ = 0;
    recorded_by_.clear();
  }
}

TEST_P(SharedBudgetTest, IsNeverExceededByConcurrentRequests) {
  const UsageLimit limit = budgetOf(1);
  const std::array<std::unique_ptr<LedgerNode>, 2> nodes = {start("a"), start("b")};
  std::atomic<NanoDollars> used{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        while (auto held = nodes[i % 2]->reserve(limit, kDollar / 200)) {
          used += kDollar / 200;
          held->settle(kDollar / 200);
        }
      });
    }
  }
  EXPECT_LE(used, kDollar);
  for (const auto& node : nodes) node->ledger.returnAll();
  EXPECT_EQ(spent(*nodes[0], limit), used);
  const auto c = start("c");
  used += spendAll(*c, limit, kDollar / 200) * (kDollar / 200);
  EXPECT_EQ(used, kDollar);
}

INSTANTIATE_TEST_SUITE_P(
    Engines,
    SharedBudgetTest,
    ::testing::Combine(::testing::Values(storage::Engine::kSqlite, storage::Engine::kPostgres),
                       ::testing::Values(Recorded::kOfThisNode, Recorded::kOfAllNodes)),
    [](const auto& test) {
      const bool of_all = std::get<1>(test.param) == Recorded::kOfAllNodes;
      return storage::nameOfEngine(std::get<0>(test.param)) +
             (of_all ? "OfAllNodes" : "OfEachNode");
    });

}  // namespace
}  // namespace spindle::inference
