#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "inference/money.h"
#include "inference/spending.h"

namespace spindle::inference {

/// When the period that `now` lies in began: midnight UTC, the first of the month, or the beginning
/// of time.
Timestamp beginOfPeriod(BudgetPeriod period, Timestamp now);

/// Who counts the money that budgets allow.
///
/// A request reserves the most that it can cost before it is sent anywhere, and settles for what
/// it did cost, or drops the reservation. At every moment what was spent in a period and what is
/// reserved in it are no more than the budget, as long as no request costs more than it reserved;
/// one that does is booked in full.
///
/// A request belongs to the period in which it reserved: when a new one begins, the new one begins
/// at nothing, and what is under way is still booked on the old one, where nobody looks any more.
///
/// Thread-safe. Nothing blocks but open().
class BudgetLedger {
 private:
  struct Account;

 public:
  /// What a key or project has spent since some moment, as far as it is recorded. Asked without a
  /// lock, on the thread of the caller of open(). May block.
  using SpentSince = std::function<Result<NanoDollars>(
      LimitScope scope, const std::string& subject_id, Timestamp since)>;

  /// A request has at most these: the budget of its key and that of its project.
  static constexpr std::size_t kMostBudgets = 2;

  /// Money put aside in all budgets of one request. Ends once, by settle() or drop(); dropped when
  /// it dies. Must not outlive the ledger.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept
        : ledger_(std::exchange(other.ledger_, nullptr)),
          amount_(other.amount_),
          parts_(other.parts_) {}
    Hold& operator=(Hold&& other) noexcept;
    ~Hold() { drop(); }

    /// The request did cost this.
    void settle(NanoDollars spent);
    /// It did cost nothing.
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

  /// How a budget stands.
  struct Standing {
    Timestamp since = {};
    NanoDollars spent = 0;
    NanoDollars reserved = 0;
  };

  /// `clock` must outlive the ledger.
  BudgetLedger(SpentSince spent_since, const Clock& clock)
      : spent_since_(std::move(spent_since)), clock_(clock) {}

  /// Makes sure that it is known what was spent before: asks when the budget is new here or has
  /// changed, and otherwise returns at once. @return the error of SpentSince.
  Result<void> open(const UsageLimit& limit);

  /// Puts the amount aside in all of the budgets, or in none. Each of `limits` has been opened and
  /// has a budget; at most kMostBudgets. @return kQuotaExceeded (`insufficient_quota`).
  Result<Hold> reserve(std::span<const UsageLimit* const> limits, NanoDollars amount);

  /// Of the period that is now. Nothing was spent as long as the budget has not been opened.
  Standing standing(const UsageLimit& limit);

 private:
  struct Account {
    std::string limit_id;
    std::int64_t version = 0;  ///< of the limit, when it was asked what had been spent
    Timestamp since = {};
    NanoDollars spent = 0;
    NanoDollars reserved = 0;
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

  const SpentSince spent_since_;
  const Clock& clock_;
  Mutex mutex_;
  /// Never erased: as many as there ever were budgets. Reservations point into it.
  std::map<Key, Account, Order> accounts_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::inference
