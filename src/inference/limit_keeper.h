#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "inference/budget_ledger.h"
#include "inference/money.h"
#include "inference/spending.h"

namespace spindle::inference {

/// What a request may use at most, and who is asked for it.
struct Demand {
  const UsageLimit* of_key = nullptr;      ///< null: not limited; borrowed for the call
  const UsageLimit* of_project = nullptr;  ///< likewise
  std::int64_t tokens = 0;                 ///< prompt and answer, at most
  NanoDollars cost = 0;                    ///< at most
};

/// Keeps requests within the limits of their key and their project: how many at once, how many a
/// minute, how many tokens a minute, how much money. What is counted outlasts a change of a limit.
///
/// What comes a minute is a bucket that fills evenly and holds a minute's worth. Tokens are taken
/// out by estimate and settled by count; a request that needs more than a minute's worth is let in
/// when the bucket is full, and those behind it wait.
///
/// Thread-safe. One short lock for a request that has limits, none for one without. Blocks only
/// where BudgetLedger::open() does.
class LimitKeeper {
 private:
  struct Meter;

 public:
  /// The right to carry out one request. Ends once, by settle() or drop(); dropped when it dies.
  /// Must not outlive the keeper.
  class Admission {
   public:
    Admission() = default;
    Admission(Admission&& other) noexcept
        : keeper_(std::exchange(other.keeper_, nullptr)),
          parts_(other.parts_),
          tokens_(other.tokens_),
          money_(std::move(other.money_)) {}
    Admission& operator=(Admission&& other) noexcept;
    ~Admission() { drop(); }

    /// It used so many tokens and cost so much.
    void settle(std::int64_t tokens, NanoDollars cost);
    /// Nothing was spent: tokens and money come back. It still was a request.
    void drop() { settle(0, 0); }

   private:
    friend class LimitKeeper;
    struct Part {
      Meter* meter = nullptr;
      std::int64_t tokens_per_minute = 0;  ///< 0: none were taken
    };

    LimitKeeper* keeper_ = nullptr;
    std::array<Part, BudgetLedger::kMostBudgets> parts_ = {};
    std::int64_t tokens_ = 0;
    BudgetLedger::Hold money_ = {};
  };

  /// Both must outlive the keeper.
  LimitKeeper(BudgetLedger& ledger, const Clock& clock) : ledger_(ledger), clock_(clock) {}

  /// Takes all that the demand needs, or nothing. @return kRateLimited with
  /// `retry_after_seconds`; kQuotaExceeded; the error of the ledger's open().
  Result<Admission> admit(const Demand& demand);

  /// How many requests are under way.
  std::int64_t underWay(const UsageLimit& limit) const;

 private:
  /// A bucket that fills evenly. Starts full.
  struct Bucket {
    std::optional<double> level = {};
    Timestamp filled = {};

    void fill(std::int64_t per_minute, Timestamp now);
    /// Seconds until `amount` can be taken out; 0: now.
    double missing(std::int64_t per_minute, std::int64_t amount) const;
  };

  struct Meter {
    std::int64_t under_way = 0;
    Bucket requests = {};
    Bucket tokens = {};
  };

  struct Key {
    LimitScope scope = LimitScope::kProject;
    std::string subject_id;
  };
  struct Hash {
    using is_transparent = void;
    template <class Subject>
    std::size_t operator()(const Subject& subject) const {
      return std::hash<std::string_view>()(subject.subject_id);
    }
  };
  struct Equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return a.scope == b.scope && a.subject_id == b.subject_id;
    }
  };

  Meter& meterOf(const UsageLimit& limit) SPINDLE_REQUIRES(mutex_);
  /// Why the limit does not let the request in, or nothing.
  std::optional<Error> refusal(const UsageLimit& limit, Meter& meter, std::int64_t tokens) const
      SPINDLE_REQUIRES(mutex_);

  BudgetLedger& ledger_;
  const Clock& clock_;
  mutable Mutex mutex_;
  /// Never erased: as many as there ever were limits. Admissions point into it.
  std::unordered_map<Key, Meter, Hash, Equal> meters_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::inference
