#include "inference/limits/budget_ledger.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/core/check.h"
#include "base/core/log.h"
#include "base/core/no_blocking.h"
#include "inference/limits/shared_budgets.h"

namespace spindle::inference {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Logger kLog("inference");
/// A node reserves one percent of a budget at a time.
constexpr NanoDollars kParts = 100;
/// After this time without a request, a part returns to the budget.
constexpr std::chrono::seconds kUnusedTime{5};
constexpr std::chrono::milliseconds kRefusalTime{200};
/// A part in use is exchanged at least this often, so that it does not count as abandoned.
constexpr std::chrono::minutes kLongestSilence{10};

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
    part.account->refused_until = {};
  }
}

bool BudgetLedger::isOpen(const UsageLimit& limit, Timestamp now) {
  const MutexLock lock(mutex_);
  const Account* known = accountOf(limit, now);
  return known != nullptr && known->limit_id == limit.id && known->version == limit.version;
}

Result<void> BudgetLedger::open(const UsageLimit& limit, NanoDollars amount) {
  const Timestamp now = clock_.now();
  if (!isOpen(limit, now)) TRY(load(limit, now));
  return shared_ == nullptr ? Result<void>() : reservePart(limit, amount, now);
}

Result<void> BudgetLedger::load(const UsageLimit& limit, Timestamp now) {
  const Timestamp since = startOfPeriod(limit.period, now);
  const NanoDollars spent = TRY(spent_since_(limit.scope, limit.subject_id, since));
  if (shared_ != nullptr) {
    TRY(exchangeSpent(limit, now));
    TRY(shared_->open({limit.scope, limit.subject_id, limit.period, since}, spent));
  }
  const MutexLock lock(mutex_);
  Account* account = accountOf(limit, now);
  if (account == nullptr) {
    Key key{limit.scope, limit.subject_id, limit.period};
    account = &accounts_.try_emplace(std::move(key)).first->second;
    account->since = since;
  }
  account->limit_id = limit.id;
  account->version = limit.version;
  account->budget = budgetInNanoDollars(limit.budget_usd.value_or(0));
  account->refused_until = {};
  // The cost counted here may not be recorded yet, and cost from a time without a budget was not
  // counted here: the larger value is right.
  if (shared_ == nullptr && account->since == since) {
    account->spent = std::max(account->spent, spent);
  }
  return {};
}

Result<void> BudgetLedger::exchangeSpent(const UsageLimit& limit, Timestamp now) {
  Account* account = nullptr;
  {
    const MutexLock lock(mutex_);
    account = accountOf(limit, now);
    if (account == nullptr) return {};
  }
  const MutexLock one_at_a_time(account->exchanging);
  const Key key{limit.scope, limit.subject_id, limit.period};
  TRY(exchange(key, *account, 0, 0, kMaxNanoDollars));
  return {};
}

Result<void> BudgetLedger::reservePart(const UsageLimit& limit, NanoDollars amount, Timestamp now) {
  // A request that costs nothing needs a budget that is not used up.
  amount = std::clamp<NanoDollars>(amount, 1, kMaxNanoDollars);
  const auto is_settled = [&](const Account& account) SPINDLE_REQUIRES(mutex_) {
    return account.available() >= amount ||
           (SteadyClock::now() < account.refused_until && amount >= account.refused_amount);
  };
  Account* account = nullptr;
  {
    const MutexLock lock(mutex_);
    account = accountOf(limit, now);
    if (account == nullptr || is_settled(*account)) return {};
    if (NoBlocking::forbids()) return Error::unavailable("This thread must not wait.");
  }
  const MutexLock one_at_a_time(account->exchanging);
  NanoDollars need = 0;
  NanoDollars want = 0;
  {
    const MutexLock lock(mutex_);
    if (is_settled(*account)) return {};
    need = amount - account->available();
    want = std::max(need, account->budget / kParts);
  }
  const Key key{limit.scope, limit.subject_id, limit.period};
  const NanoDollars granted = TRY(exchange(key, *account, need, want, kMaxNanoDollars));
  if (granted >= need) return {};
  const MutexLock lock(mutex_);
  account->refused_amount = amount;
  account->refused_until = SteadyClock::now() + kRefusalTime;
  return {};
}

Result<NanoDollars> BudgetLedger::exchange(
    const Key& key, Account& account, NanoDollars need, NanoDollars want, NanoDollars spare) {
  BudgetOfPeriod budget{key.scope, key.subject_id, key.period, {}};
  SharedBudgets::Exchange terms{.need = need, .want = want};
  {
    const MutexLock lock(mutex_);
    budget.since = account.since;
    terms.budget = account.budget;
    terms.spent = account.spent;
    const NanoDollars left = std::max<NanoDollars>(account.part - account.spent, 0);
    terms.keep = std::min(left, addNanoDollars(account.reserved, spare));
    // What is returned must not be reserved in the meantime.
    account.part = terms.spent + terms.keep;
  }
  const NanoDollars granted = TRY(shared_->exchange(budget, terms));
  const MutexLock lock(mutex_);
  if (account.since != budget.since) return granted;
  account.spent -= terms.spent;
  account.part += granted - terms.spent;
  account.exchanged_at = SteadyClock::now();
  return granted;
}

void BudgetLedger::refresh() {
  if (shared_ == nullptr) return;
  struct Due {
    const Key* key = nullptr;
    Account* account = nullptr;
    NanoDollars want = 0;
    NanoDollars spare = 0;
  };
  std::vector<Due> due;
  const SteadyTime now = SteadyClock::now();
  {
    const MutexLock lock(mutex_);
    for (auto& [key, account] : accounts_) {
      const bool idle = now - account.used_at > kUnusedTime;
      const NanoDollars part = account.budget / kParts;
      NanoDollars want = 0;
      if (!idle && account.available() < part / 2 && now >= account.refused_until) want = part;
      const bool stale = account.part > 0 && now - account.exchanged_at > kLongestSilence;
      const NanoDollars spare = idle ? 0 : part;
      if (account.spent > 0 || want > 0 || stale || account.available() > spare) {
        due.push_back({&key, &account, want, spare});
      }
    }
  }
  for (const Due& one : due) {
    const MutexLock one_at_a_time(one.account->exchanging);
    const Result<NanoDollars> done = exchange(*one.key, *one.account, 0, one.want, one.spare);
    if (!done) kLog.warning("budget_not_exchanged", {{"reason", done.error().message()}});
  }
}

void BudgetLedger::returnAll() {
  if (shared_ == nullptr) return;
  std::vector<std::pair<const Key*, Account*>> all;
  {
    const MutexLock lock(mutex_);
    for (auto& [key, account] : accounts_) {
      if (account.part != 0 || account.spent != 0) all.emplace_back(&key, &account);
    }
  }
  for (const auto& [key, account] : all) {
    const MutexLock one_at_a_time(account->exchanging);
    const Result<NanoDollars> done = exchange(*key, *account, 0, 0, 0);
    if (!done) kLog.warning("budget_not_exchanged", {{"reason", done.error().message()}});
  }
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
    const NanoDollars budget =
        shared_ == nullptr ? budgetInNanoDollars(limits[i]->budget_usd.value_or(0)) : account->part;
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
    if (part.account == nullptr) continue;
    part.account->reserved += hold.amount_;
    if (shared_ != nullptr) part.account->used_at = SteadyClock::now();
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
  if (since > account.since) enterPeriod(account, since);
  return &account;
}

void BudgetLedger::enterPeriod(Account& account, Timestamp since) {
  account.since = since;
  account.spent = 0;
  account.reserved = 0;
  account.part = 0;
  account.refused_until = {};
}

}  // namespace spindle::inference
