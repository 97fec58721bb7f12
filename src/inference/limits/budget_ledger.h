#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/limits/nano_dollars.h"
#include "inference/limits/usage_limit.h"

namespace spindle::inference {

class SharedBudgets;

/// Returns the start of the period that contains `now`: midnight UTC, the first of the month, or
/// the epoch.
Timestamp startOfPeriod(BudgetPeriod period, Timestamp now);

/// Tracks spent and reserved cost per budget.
///
/// Before a request is sent, it reserves its maximum cost. Afterwards it settles its actual cost or
/// drops the reservation. Spent plus reserved cost of a period never exceeds the budget, unless a
/// request costs more than it reserved; its full cost is then counted.
///
/// A request belongs to the period in which it reserved. A new period starts at zero; requests that
/// are still in progress count for the old period, which is no longer used.
///
/// With SharedBudgets, all nodes of a deployment share the budgets: the ledger reserves parts of
/// one percent of a budget in the database and gives them out from memory. What a part contains is
/// missing at the other nodes until the ledger returns it, five seconds after its last use.
///
/// Thread-safe. Only open(), refresh() and returnAll() block.
class BudgetLedger {
 private:
  struct Account;
  using SteadyTime = std::chrono::steady_clock::time_point;

 public:
  /// Returns the recorded cost of a key or project since a given time. Runs without a lock on the
  /// thread that calls open(). May block.
  using SpentSince = std::function<Result<NanoDollars>(
      LimitScope scope, const std::string& subject_id, Timestamp since)>;

  /// The maximum number of budgets of a request: that of its API key and that of its project.
  static constexpr std::size_t kMostBudgets = 2;

  /// Cost reserved in all budgets of one request. The first call of settle() or drop() ends it; the
  /// destructor calls drop(). Must not outlive the ledger.
  class BudgetReservation {
   public:
    BudgetReservation() = default;
    BudgetReservation(BudgetReservation&& other) noexcept
        : ledger_(std::exchange(other.ledger_, nullptr)),
          amount_(other.amount_),
          parts_(other.parts_) {}
    BudgetReservation& operator=(BudgetReservation&& other) noexcept;
    ~BudgetReservation() { drop(); }

    /// Replaces the reserved cost by the actual cost.
    void settle(NanoDollars spent);
    /// Releases the reserved cost; the request cost nothing.
    void drop() { settle(0); }

   private:
    friend class BudgetLedger;
    struct Part {
      Account* account = nullptr;
      Timestamp period = {};
    };

    BudgetLedger* ledger_ = nullptr;
    NanoDollars amount_ = 0;
    std::array<Part, kMostBudgets> parts_ = {};
  };

  /// The state of a budget in its current period.
  struct BudgetState {
    Timestamp since = {};
    NanoDollars spent = 0;
    NanoDollars reserved = 0;
  };

  /// `clock` and `shared` must outlive the ledger. `shared` is null when no other process uses the
  /// budgets.
  BudgetLedger(SpentSince spent_since, const Clock& clock, SharedBudgets* shared = nullptr)
      : spent_since_(std::move(spent_since)), clock_(clock), shared_(shared) {}

  /// Loads the cost that was spent before, if the budget is new to this ledger or has changed. With
  /// shared budgets, also reserves a part of the budget if this node has too little for the amount.
  /// Otherwise returns immediately. @return the error of SpentSince, kUnavailable.
  Result<void> open(const UsageLimit& limit, NanoDollars amount = 0);

  /// Reserves the amount in all of the budgets or in none. Each element of `limits` has a budget
  /// and was opened; at most kMostBudgets. @return kQuotaExceeded (`insufficient_quota`).
  Result<BudgetReservation> reserve(std::span<const UsageLimit* const> limits, NanoDollars amount);

  /// Returns the state in the current period. The spent cost is zero until the budget is opened;
  /// with shared budgets, it is the cost that this node has not exchanged yet.
  BudgetState state(const UsageLimit& limit);

  /// Stores what was spent, returns unused parts of budgets and enlarges those in use. Call it
  /// about once a second, from one thread. Blocks.
  void refresh();
  /// Stores what was spent and returns all parts. Blocks.
  void returnAll();

 private:
  struct Account {
    std::string limit_id;
    std::int64_t version = 0;  ///< version of the limit for which the spent cost was loaded
    Timestamp since = {};
    NanoDollars spent = 0;  ///< shared: since the last exchange
    NanoDollars reserved = 0;

    // Only for shared budgets.
    NanoDollars budget = 0;
    NanoDollars part = 0;  ///< of the budget that belongs to this node, `spent` included
    SteadyTime used_at = {};
    SteadyTime exchanged_at = {};
    // The last refusal: an equal or larger amount is refused until then without an exchange.
    SteadyTime refused_until = {};
    NanoDollars refused_amount = 0;
    Mutex exchanging;  ///< one exchange at a time; taken before mutex_

    /// Returns the cost that requests may reserve without an exchange.
    NanoDollars available() const { return part - spent - reserved; }
  };
  struct Key {
    LimitScope scope = LimitScope::kProject;
    std::string subject_id;
    BudgetPeriod period = BudgetPeriod::kMonth;
  };
  struct Order {
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const;
    bool operator()(const Key& a, const UsageLimit& b) const;
    bool operator()(const UsageLimit& a, const Key& b) const;
  };

  Account* accountOf(const UsageLimit& limit, Timestamp now) SPINDLE_REQUIRES(mutex_);
  static void enterPeriod(Account& account, Timestamp since);
  /// Returns true if the spent cost of the budget is known.
  bool isOpen(const UsageLimit& limit, Timestamp now);
  Result<void> load(const UsageLimit& limit, Timestamp now);
  /// Stores what was spent, so that it counts once beside recorded usage.
  Result<void> exchangeSpent(const UsageLimit& limit, Timestamp now);
  /// Makes the amount available to this node, if the other nodes leave it.
  Result<void> reservePart(const UsageLimit& limit, NanoDollars amount, Timestamp now);
  /// Exchanges the part of an account: stores the spent cost, keeps what is reserved and at most
  /// `spare` of what is available, and asks for more. @return the addition.
  Result<NanoDollars> exchange(
      const Key& key, Account& account, NanoDollars need, NanoDollars want, NanoDollars spare);

  const SpentSince spent_since_;
  const Clock& clock_;
  SharedBudgets* const shared_;
  Mutex mutex_;
  /// Entries are never erased, because reservations point to them. Its size is the number of
  /// budgets that ever existed.
  std::map<Key, Account, Order> accounts_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::inference
