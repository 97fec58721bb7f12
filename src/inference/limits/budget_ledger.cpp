#include "inference/limits/budget_ledger.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>

#include "base/core/check.h"

namespace spindle::inference {
namespace {

std::tuple<LimitScope, std::string_view, BudgetPeriod> orderOf(LimitScope scope,
                                                               std::string_view subject_id,
                                                               BudgetPeriod period) {
  return {scope, subject_id, period};
}

}  // namespace

Timestamp startOfPeriod(BudgetPeriod period, Timestamp now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  switch (period) {
    case BudgetPeriod::kDay:
      return day;
    case BudgetPeriod::kMonth: {
      const std::chrono::year_month_day date(day);
      return std::chrono::sys_days(date.year() / date.month() / 1);
    }
    case BudgetPeriod::kTotal:
      break;
  }
  return {};
}

bool BudgetLedger::Order::operator()(const Key& a, const Key& b) const {
  return orderOf(a.scope, a.subject_id, a.period) < orderOf(b.scope, b.subject_id, b.period);
}
bool BudgetLedger::Order::operator()(const Key& a, const UsageLimit& b) const {
  return orderOf(a.scope, a.subject_id, a.period) < orderOf(b.scope, b.subject_id, b.period);
}
bool BudgetLedger::Order::operator()(const UsageLimit& a, const Key& b) const {
  return orderOf(a.scope, a.subject_id, a.period) < orderOf(b.scope, b.subject_id, b.period);
}

BudgetLedger::BudgetReservation& BudgetLedger::BudgetReservation::operator=(
    BudgetReservation&& other) noexcept {
  if (this == &other) return *this;
  drop();
  ledger_ = std::exchange(other.ledger_, nullptr);
  amount_ = other.amount_;
  parts_ = other.parts_;
  return *this;
}

void BudgetLedger::BudgetReservation::settle(NanoDollars spent) {
  if (ledger_ == nullptr) return;
  BudgetLedger& ledger = *std::exchange(ledger_, nullptr);
  const MutexLock lock(ledger.mutex_);
  for (const Part& part : parts_) {
    // The period is over; its reservations were cleared with it.
    if (part.account == nullptr || part.account->since != part.period) continue;
    part.account->reserved -= amount_;
    part.account->spent =
        addNanoDollars(part.account->spent, std::clamp<NanoDollars>(spent, 0, kMaxNanoDollars));
  }
}

Result<void> BudgetLedger::open(const UsageLimit& limit) {
  const Timestamp now = clock_.now();
  {
    const MutexLock lock(mutex_);
    const Account* known = accountOf(limit, now);
    if (known != nullptr && known->limit_id == limit.id && known->version == limit.version) {
      return {};
    }
  }
  const Timestamp since = startOfPeriod(limit.period, now);
  const NanoDollars spent = TRY(spent_since_(limit.scope, limit.subject_id, since));

  const MutexLock lock(mutex_);
  Account* account = accountOf(limit, now);
  if (account == nullptr) {
    Key key{limit.scope, limit.subject_id, limit.period};
    account = &accounts_.try_emplace(std::move(key)).first->second;
    account->since = since;
  }
  account->limit_id = limit.id;
  account->version = limit.version;
  // The cost counted here may not be recorded yet, and cost from a time without a budget was not
  // counted here: the larger value is right.
  if (account->since == since) account->spent = std::max(account->spent, spent);
  return {};
}

Result<BudgetLedger::BudgetReservation> BudgetLedger::reserve(
    std::span<const UsageLimit* const> limits, NanoDollars amount) {
  SPINDLE_ASSERT(limits.size() <= kMostBudgets, "a request has a key and a project");
  BudgetReservation hold;
  hold.amount_ = std::clamp<NanoDollars>(amount, 0, kMaxNanoDollars);
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    Account* account = accountOf(*limits[i], now);
    SPINDLE_ASSERT(account != nullptr, "a budget is opened before it is used");
    const NanoDollars budget = budgetInNanoDollars(limits[i]->budget_usd.value_or(0));
    const NanoDollars taken = addNanoDollars(account->spent, account->reserved);
    // An exhausted budget also rejects requests that cost nothing.
    if (taken >= budget || hold.amount_ > budget - taken) {
      return Error(ErrorCode::kQuotaExceeded,
                   limits[i]->scope == LimitScope::kKey
                       ? "You exceeded your current quota: the budget of this API key."
                       : "You exceeded your current quota: the budget of this project.")
          .because("insufficient_quota");
    }
    hold.parts_[i] = {account, account->since};
  }
  for (const BudgetReservation::Part& part : hold.parts_) {
    if (part.account != nullptr) part.account->reserved += hold.amount_;
  }
  hold.ledger_ = this;
  return hold;
}

BudgetLedger::BudgetState BudgetLedger::state(const UsageLimit& limit) {
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  const Account* account = accountOf(limit, now);
  if (account == nullptr) return {.since = startOfPeriod(limit.period, now)};
  return {account->since, account->spent, account->reserved};
}

BudgetLedger::Account* BudgetLedger::accountOf(const UsageLimit& limit, Timestamp now) {
  const auto found = accounts_.find(limit);
  if (found == accounts_.end()) return nullptr;
  Account& account = found->second;
  const Timestamp since = startOfPeriod(limit.period, now);
  // Periods only move forward: a clock set back over midnight must not reset the spent cost.
  if (since > account.since) {
    account.since = since;
    account.spent = 0;
    account.reserved = 0;
  }
  return &account;
}

}  // namespace spindle::inference
