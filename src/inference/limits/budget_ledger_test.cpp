#include "inference/limits/budget_ledger.h"

#include <vector>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using BudgetReservation = BudgetLedger::BudgetReservation;

/// 2026-11-15 14:00 UTC.
constexpr Timestamp kLedgerStart{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) +
                                 hours(14)};

constexpr Timestamp dayOf(int year, unsigned month, unsigned day) {
  return Timestamp(std::chrono::sys_days(std::chrono::year(year) / static_cast<int>(month) /
                                         static_cast<int>(day)));
}

class Budgets : public ::testing::Test {
 protected:
  struct Question {
    LimitScope scope;
    std::string subject_id;
    Timestamp since;
  };

  static UsageLimit budget(LimitScope scope, double usd, BudgetPeriod period) {
    UsageLimit limit;
    limit.id = "limit";
    limit.scope = scope;
    limit.subject_id = "s";
    limit.budget_usd = usd;
    limit.period = period;
    return limit;
  }
  Result<BudgetReservation> reserve(const UsageLimit& limit, NanoDollars amount) {
    EXPECT_TRUE(ledger_.open(limit));
    const UsageLimit* const limits[] = {&limit};
    return ledger_.reserve(limits, amount);
  }

  ManualClock clock_{kLedgerStart};
  Result<NanoDollars> before_ = NanoDollars{0};
  std::vector<Question> asked_;
  BudgetLedger ledger_{[this](LimitScope scope, const std::string& subject_id, Timestamp since) {
                         asked_.push_back({scope, subject_id, since});
                         return before_;
                       },
                       clock_};
  UsageLimit limit_ = budget(LimitScope::kProject, 0.000001, BudgetPeriod::kMonth);  // 1,000 nano
};

TEST_F(Budgets, PeriodsBeginAtMidnightAndOnTheFirst) {
  const Timestamp new_year = dayOf(2027, 1, 1);
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kDay, kLedgerStart), dayOf(2026, 11, 15));
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kMonth, kLedgerStart), dayOf(2026, 11, 1));
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kTotal, kLedgerStart), Timestamp());
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kDay, new_year), new_year);
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kMonth, new_year), new_year);
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kDay, new_year - microseconds(1)), dayOf(2026, 12, 31));
  EXPECT_EQ(startOfPeriod(BudgetPeriod::kMonth, new_year - microseconds(1)), dayOf(2026, 12, 1));
}

TEST_F(Budgets, AllowReservationsUpToTheBudget) {
  Result<BudgetReservation> a = reserve(limit_, 600);
  ASSERT_TRUE(a);
  EXPECT_FALSE(reserve(limit_, 401));
  Result<BudgetReservation> b = reserve(limit_, 400);
  ASSERT_TRUE(b);
  EXPECT_EQ(ledger_.state(limit_).reserved, 1'000);
  a->settle(100);
  b->drop();
  EXPECT_EQ(ledger_.state(limit_).spent, 100);
  EXPECT_EQ(ledger_.state(limit_).reserved, 0);
  EXPECT_TRUE(reserve(limit_, 900));
  EXPECT_FALSE(reserve(limit_, 901));
}

TEST_F(Budgets, NameTheExhaustedBudget) {
  const Result<BudgetReservation> project = reserve(limit_, 2'000);
  EXPECT_EQ(project.error().code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(project.error().reason(), "insufficient_quota");
  EXPECT_EQ(project.error().message(),
            "You exceeded your current quota: the budget of this project.");
  EXPECT_EQ(reserve(budget(LimitScope::kKey, 0, BudgetPeriod::kDay), 1).error().message(),
            "You exceeded your current quota: the budget of this API key.");
}

TEST_F(Budgets, ThatAreExhaustedRejectFreeRequests) {
  reserve(limit_, 1'000)->settle(1'000);
  EXPECT_FALSE(reserve(limit_, 0));
  EXPECT_FALSE(reserve(budget(LimitScope::kKey, 0, BudgetPeriod::kDay), 0));
}

TEST_F(Budgets, StartWithTheRecordedCost) {
  before_ = NanoDollars{700};
  EXPECT_FALSE(reserve(limit_, 301));
  EXPECT_TRUE(reserve(limit_, 300));
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].scope, LimitScope::kProject);
  EXPECT_EQ(asked_[0].subject_id, "s");
  EXPECT_EQ(asked_[0].since, dayOf(2026, 11, 1));
}

TEST_F(Budgets, AreNotOpenedWhenTheCostIsUnknown) {
  before_ = Error::unavailable("The database is down.");
  EXPECT_EQ(ledger_.open(limit_).error().code(), ErrorCode::kUnavailable);
  before_ = NanoDollars{0};
  EXPECT_TRUE(reserve(limit_, 1'000));
}

TEST_F(Budgets, RestartWithANewPeriod) {
  reserve(limit_, 1'000)->settle(1'000);
  clock_.advance(dayOf(2026, 12, 1) - kLedgerStart - microseconds(1));
  EXPECT_FALSE(reserve(limit_, 1));
  clock_.advance(microseconds(1));
  EXPECT_EQ(ledger_.state(limit_).since, dayOf(2026, 12, 1));
  EXPECT_TRUE(reserve(limit_, 1'000));
  EXPECT_EQ(asked_.size(), 1U) << "the spent cost of a new period is zero and is not loaded";
}

TEST_F(Budgets, RunningRequestsCountForTheirPeriod) {
  limit_.period = BudgetPeriod::kDay;
  Result<BudgetReservation> settled = reserve(limit_, 500);
  Result<BudgetReservation> dropped = reserve(limit_, 500);
  clock_.advance(hours(10));
  Result<BudgetReservation> today = reserve(limit_, 1'000);
  ASSERT_TRUE(today);
  settled->settle(400);
  dropped->drop();
  EXPECT_EQ(ledger_.state(limit_).spent, 0);
  EXPECT_EQ(ledger_.state(limit_).reserved, 1'000);
  today->settle(250);
  EXPECT_EQ(ledger_.state(limit_).spent, 250);
  EXPECT_EQ(ledger_.state(limit_).reserved, 0);
}

TEST_F(Budgets, AClockSetBackDoesNotResetTheCost) {
  limit_.period = BudgetPeriod::kDay;
  clock_.advance(hours(10));
  reserve(limit_, 1'000)->settle(1'000);
  clock_.advance(-hours(1));
  EXPECT_FALSE(reserve(limit_, 1));
  clock_.advance(hours(1));
  EXPECT_FALSE(reserve(limit_, 1));
}

TEST_F(Budgets, WithPeriodTotalNeverRestart) {
  limit_.period = BudgetPeriod::kTotal;
  reserve(limit_, 1'000)->settle(1'000);
  clock_.advance(hours(24 * 400));
  EXPECT_FALSE(reserve(limit_, 1));
}

TEST_F(Budgets, CountTheFullCostAboveTheReservation) {
  reserve(limit_, 100)->settle(5'000);
  EXPECT_EQ(ledger_.state(limit_).spent, 5'000);
  EXPECT_FALSE(reserve(limit_, 0));
  reserve(budget(LimitScope::kKey, 1, BudgetPeriod::kDay), 1)->settle(-9);
  EXPECT_EQ(ledger_.state(budget(LimitScope::kKey, 1, BudgetPeriod::kDay)).spent, 0);
}

TEST_F(Budgets, OfKeyAndProjectAreReservedAtomically) {
  UsageLimit key = budget(LimitScope::kKey, 0.0000005, BudgetPeriod::kDay);  // 500 nano
  ASSERT_TRUE(ledger_.open(key));
  ASSERT_TRUE(ledger_.open(limit_));
  const UsageLimit* const both[] = {&limit_, &key};
  EXPECT_FALSE(ledger_.reserve(both, 501));
  EXPECT_EQ(ledger_.state(limit_).reserved, 0);
  Result<BudgetReservation> hold = ledger_.reserve(both, 500);
  ASSERT_TRUE(hold);
  EXPECT_EQ(ledger_.state(limit_).reserved, 500);
  EXPECT_EQ(ledger_.state(key).reserved, 500);
  hold->settle(200);
  EXPECT_EQ(ledger_.state(limit_).spent, 200);
  EXPECT_EQ(ledger_.state(key).spent, 200);
}

TEST_F(Budgets, KeepTheirCostWhenTheLimitChanges) {
  reserve(limit_, 800)->settle(800);
  limit_.budget_usd = 0.000002;
  EXPECT_TRUE(reserve(limit_, 1'200));
  limit_.budget_usd = 0.0000005;
  EXPECT_FALSE(reserve(limit_, 1));
}

TEST_F(Budgets, ReloadTheCostWhenTheLimitChanged) {
  reserve(limit_, 100)->settle(100);
  Result<BudgetReservation> held = reserve(limit_, 50);
  // Cost from a time without a budget.
  before_ = NanoDollars{900};
  limit_.version = 2;
  EXPECT_FALSE(reserve(limit_, 51));
  EXPECT_EQ(ledger_.state(limit_).spent, 900);
  EXPECT_EQ(ledger_.state(limit_).reserved, 50);
  // The cost counted in the ledger is not recorded yet.
  held->settle(50);
  before_ = NanoDollars{0};
  limit_.id = "another";
  EXPECT_FALSE(reserve(limit_, 51));
  EXPECT_EQ(asked_.size(), 3U);
  EXPECT_TRUE(reserve(limit_, 50));
  EXPECT_EQ(asked_.size(), 3U);
}

TEST_F(Budgets, AReservationEndsOnceAndInItsDestructor) {
  {
    Result<BudgetReservation> first = reserve(limit_, 100);
    Result<BudgetReservation> second = reserve(limit_, 200);
    BudgetReservation moved = *std::move(first);
    EXPECT_EQ(ledger_.state(limit_).reserved, 300);
    moved = *std::move(second);
    EXPECT_EQ(ledger_.state(limit_).reserved, 200);
    moved.settle(10);
    moved.settle(10);
    moved.drop();
    EXPECT_EQ(ledger_.state(limit_).spent, 10);
    const Result<BudgetReservation> forgotten = reserve(limit_, 300);
  }
  EXPECT_EQ(ledger_.state(limit_).reserved, 0);
  EXPECT_EQ(ledger_.state(limit_).spent, 10);
}

}  // namespace
}  // namespace spindle::inference
