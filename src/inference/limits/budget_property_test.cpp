// Checks that no interleaving of concurrent requests exceeds a budget, that no cost is lost, and
// that unused reservations are released.

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "inference/limits/budget_ledger.h"

namespace spindle::inference {
namespace {

using std::chrono::hours;

constexpr Timestamp kMidnight{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

/// A clock that one thread advances while others read it.
class SharedClock final : public Clock {
 public:
  Timestamp now() const override { return timestampOfMicros(micros_); }
  void advance(std::chrono::microseconds by) { micros_ += by.count(); }

 private:
  std::atomic<std::int64_t> micros_ = microsOf(kMidnight);
};

Result<NanoDollars> nothingBefore(LimitScope, const std::string&, Timestamp) {
  return NanoDollars{0};
}

UsageLimit dailyBudget(LimitScope scope, const std::string& subject_id, NanoDollars amount) {
  UsageLimit limit;
  limit.id = subject_id;
  limit.scope = scope;
  limit.subject_id = subject_id;
  limit.budget_usd = usdOf(amount);
  limit.period = BudgetPeriod::kDay;
  return limit;
}

/// A simple reference model of the ledger: one line per reservation.
class ReferenceLedger {
 public:
  struct Line {
    std::size_t project;
    std::size_t key;
    std::int64_t day;
    NanoDollars reserved;
    NanoDollars spent;
  };

  std::size_t add(Line line) {
    lines_.push_back(line);
    return lines_.size() - 1;
  }
  void settle(std::size_t line, NanoDollars spent) {
    lines_[line].reserved = 0;
    lines_[line].spent = spent;
  }
  template <class Of>
  std::pair<NanoDollars, NanoDollars> sums(std::int64_t day, Of of) const {
    std::pair<NanoDollars, NanoDollars> sums;
    for (const Line& line : lines_) {
      if (line.day != day || !of(line)) continue;
      sums.first += line.spent;
      sums.second += line.reserved;
    }
    return sums;
  }

 private:
  std::vector<Line> lines_;
};

/// A random simulation with two projects, three keys and requests in progress.
class Simulation {
 public:
  explicit Simulation(std::uint32_t seed) : random_(seed) {
    for (const UsageLimit& limit : projects_) EXPECT_TRUE(ledger_.open(limit));
    for (const UsageLimit& limit : keys_) EXPECT_TRUE(ledger_.open(limit));
  }

  /// Performs one random step: begins or ends a request, or advances the clock by a day.
  void step() {
    const int dice = pick(100);
    if (dice < 2) {
      clock_.advance(hours(24));
      day_ += 1;
    } else if (dice < 50 || requests_.empty()) {
      begin();
    } else {
      end(static_cast<std::size_t>(pick(static_cast<int>(requests_.size()))));
    }
    check();
  }
  void finish() {
    while (!requests_.empty()) {
      end(requests_.size() - 1);
      check();
    }
    for (const UsageLimit& limit : projects_) EXPECT_EQ(ledger_.state(limit).reserved, 0);
    for (const UsageLimit& limit : keys_) EXPECT_EQ(ledger_.state(limit).reserved, 0);
  }
  int admitted() const { return admitted_; }
  int refused() const { return refused_; }

 private:
  struct Request {
    BudgetLedger::BudgetReservation hold;
    std::size_t line;
    NanoDollars most;
  };

  int pick(int sides) { return std::uniform_int_distribution<int>(0, sides - 1)(random_); }

  void begin() {
    const auto project = static_cast<std::size_t>(pick(2));
    const auto key = static_cast<std::size_t>(pick(3));
    const NanoDollars most = pick(400);
    const UsageLimit* const limits[] = {&keys_[key], &projects_[project]};
    const auto of_project = projectSums(project);
    const auto of_key = keySums(key);
    const bool fits = fitsIn(of_project, kProjectBudget, most) && fitsIn(of_key, kKeyBudget, most);
    Result<BudgetLedger::BudgetReservation> hold = ledger_.reserve(limits, most);
    ASSERT_EQ(hold.has_value(), fits) << "accepted exactly if it fits the budgets";
    (hold ? admitted_ : refused_) += 1;
    if (!hold) return;
    const std::size_t line = books_.add({project, key, day_, most, 0});
    requests_.push_back({*std::move(hold), line, most});
  }
  void end(std::size_t index) {
    Request request = std::move(requests_[index]);
    requests_[index] = std::move(requests_.back());
    requests_.pop_back();
    const NanoDollars spent = pick(3) == 0 ? 0 : pick(static_cast<int>(request.most) + 1);
    if (spent > 0) request.hold.settle(spent);
    books_.settle(request.line, spent);
  }
  static bool fitsIn(std::pair<NanoDollars, NanoDollars> sums,
                     NanoDollars budget,
                     NanoDollars most) {
    const NanoDollars taken = sums.first + sums.second;
    return taken < budget && taken + most <= budget;
  }
  std::pair<NanoDollars, NanoDollars> projectSums(std::size_t project) const {
    return books_.sums(day_,
                       [&](const ReferenceLedger::Line& line) { return line.project == project; });
  }
  std::pair<NanoDollars, NanoDollars> keySums(std::size_t key) const {
    return books_.sums(day_, [&](const ReferenceLedger::Line& line) { return line.key == key; });
  }
  void check() {
    for (std::size_t i = 0; i < projects_.size(); ++i) {
      expectStanding(projects_[i], kProjectBudget, projectSums(i));
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      expectStanding(keys_[i], kKeyBudget, keySums(i));
    }
  }
  void expectStanding(const UsageLimit& limit,
                      NanoDollars budget,
                      std::pair<NanoDollars, NanoDollars> sums) {
    const BudgetLedger::BudgetState state = ledger_.state(limit);
    EXPECT_EQ(state.spent, sums.first);
    EXPECT_EQ(state.reserved, sums.second);
    EXPECT_LE(state.spent + state.reserved, budget);
  }

  static constexpr NanoDollars kProjectBudget = 1'200;
  static constexpr NanoDollars kKeyBudget = 800;

  std::mt19937 random_;
  SharedClock clock_;
  BudgetLedger ledger_{nothingBefore, clock_};
  std::array<UsageLimit, 2> projects_ = {dailyBudget(LimitScope::kProject, "p0", kProjectBudget),
                                         dailyBudget(LimitScope::kProject, "p1", kProjectBudget)};
  std::array<UsageLimit, 3> keys_ = {dailyBudget(LimitScope::kKey, "k0", kKeyBudget),
                                     dailyBudget(LimitScope::kKey, "k1", kKeyBudget),
                                     dailyBudget(LimitScope::kKey, "k2", kKeyBudget)};
  ReferenceLedger books_;
  std::vector<Request> requests_;
  std::int64_t day_ = 0;
  int admitted_ = 0;
  int refused_ = 0;
};

TEST(BudgetProperty, HoldsInThousandsOfRandomSchedules) {
  int admitted = 0;
  int refused = 0;
  for (std::uint32_t seed = 1; seed <= 2'000; ++seed) {
    Simulation world(seed);
    for (int i = 0; i < 60; ++i) world.step();
    world.finish();
    admitted += world.admitted();
    refused += world.refused();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(admitted, 10'000);
  EXPECT_GT(refused, 1'000) << "the budget was never the limit";
}

TEST(BudgetProperty, HoldsInEveryOrderOfThreeRequestsAndMidnight) {
  // Each number is one more step of that request; 3 is midnight.
  std::vector<int> order = {0, 0, 1, 1, 2, 2, 3};
  constexpr std::array<NanoDollars, 3> kMost = {600, 600, 400};
  constexpr std::array<NanoDollars, 3> kSpent = {500, 0, 400};
  int orders = 0;
  do {
    SharedClock clock;
    BudgetLedger ledger(nothingBefore, clock);
    const UsageLimit limit = dailyBudget(LimitScope::kProject, "p", 1'000);
    ASSERT_TRUE(ledger.open(limit));
    const UsageLimit* const limits[] = {&limit};
    std::array<std::optional<BudgetLedger::BudgetReservation>, 3> holds;
    std::array<bool, 3> begun = {};
    std::array<bool, 3> of_today = {};
    NanoDollars spent = 0;
    for (const int who : order) {
      if (who == 3) {
        clock.advance(hours(24));
        of_today = {};
        spent = 0;
      } else if (const auto i = static_cast<std::size_t>(who); !begun[i]) {
        begun[i] = true;
        Result<BudgetLedger::BudgetReservation> hold = ledger.reserve(limits, kMost[i]);
        if (!hold) continue;
        of_today[i] = true;
        holds[i] = *std::move(hold);
      } else if (holds[i]) {
        holds[i]->settle(kSpent[i]);
        holds[i].reset();
        if (of_today[i]) spent += kSpent[i];
      }
      const BudgetLedger::BudgetState state = ledger.state(limit);
      ASSERT_LE(state.spent + state.reserved, 1'000);
      ASSERT_EQ(state.spent, spent);
    }
    ASSERT_EQ(ledger.state(limit).reserved, 0);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 630);
}

/// A ledger with one daily budget of a project.
struct ProjectBudget {
  explicit ProjectBudget(NanoDollars amount)
      : limit(dailyBudget(LimitScope::kProject, "p", amount)) {}

  auto open() { return ledger.open(limit); }
  Result<BudgetLedger::BudgetReservation> reserve(NanoDollars most) {
    const UsageLimit* const limits[] = {&limit};
    return ledger.reserve(limits, most);
  }
  BudgetLedger::BudgetState state() { return ledger.state(limit); }

  SharedClock clock;
  BudgetLedger ledger{nothingBefore, clock};
  const UsageLimit limit;
};

/// Runs the same work on several threads and joins them.
class ThreadGroup {
 public:
  template <class Work>
  static void work(Work work) {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 4; ++i) threads.emplace_back([work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(BudgetProperty, HoldsWithConcurrentThreads) {
  constexpr NanoDollars kBudget = 1'000'000;
  ProjectBudget shared(kBudget);
  std::atomic<NanoDollars> spent = 0;
  std::atomic<bool> over = false;
  ThreadGroup::work([&](std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<BudgetLedger::BudgetReservation, NanoDollars>> held;
    for (int i = 0; i < 4'000; ++i) {
      if (!shared.open()) over = true;
      const auto most = static_cast<NanoDollars>(random() % 200'000);
      Result<BudgetLedger::BudgetReservation> hold = shared.reserve(most);
      if (hold) held.emplace_back(*std::move(hold), most);
      if (held.size() > random() % 4) {
        const NanoDollars cost = std::min<NanoDollars>(random() % 50, held.back().second);
        held.back().first.settle(cost);
        spent += cost;
        held.pop_back();
      }
      const BudgetLedger::BudgetState state = shared.state();
      if (state.spent + state.reserved > kBudget) over = true;
    }
  });
  EXPECT_FALSE(over.load());
  EXPECT_EQ(shared.state().reserved, 0);
  EXPECT_EQ(shared.state().spent, spent.load());
  EXPECT_TRUE(shared.reserve(kBudget - spent.load())) << "the rest of the budget can be reserved";
}

TEST(BudgetProperty, HoldsWithConcurrentThreadsOverSeveralDays) {
  constexpr NanoDollars kBudget = 10'000;
  ProjectBudget shared(kBudget);
  ASSERT_TRUE(shared.open());
  std::atomic<bool> wrong = false;
  ThreadGroup::work([&](std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<BudgetLedger::BudgetReservation, NanoDollars>> held;
    for (int i = 0; i < 4'000; ++i) {
      if (random() % 100 == 0) shared.clock.advance(hours(5));
      const auto most = static_cast<NanoDollars>(random() % 3'000);
      Result<BudgetLedger::BudgetReservation> hold = shared.reserve(most);
      if (hold) held.emplace_back(*std::move(hold), most);
      if (held.size() > random() % 5) {
        const auto dice = static_cast<NanoDollars>(random());
        held.front().first.settle(dice % (held.front().second + 1));
        held.erase(held.begin());
      }
      const BudgetLedger::BudgetState state = shared.state();
      if (state.spent + state.reserved > kBudget || state.reserved < 0) wrong = true;
    }
  });
  EXPECT_FALSE(wrong.load());
  EXPECT_EQ(shared.state().reserved, 0);
  shared.clock.advance(hours(24));
  EXPECT_TRUE(shared.reserve(kBudget)) << "a new day has its full budget";
}

}  // namespace
}  // namespace spindle::inference
