#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/limits/budget_ledger.h"
#include "inference/limits/nano_dollars.h"
#include "inference/limits/usage_limit.h"

namespace spindle::cluster {
class SharedLimits;
}

namespace spindle::inference {

/// The maximum usage of a request and the limits that apply to it.
struct AdmissionRequest {
  const UsageLimit* of_key = nullptr;      ///< null: no limit; must be valid during the call
  const UsageLimit* of_project = nullptr;  ///< the same
  std::int64_t tokens = 0;                 ///< maximum, prompt and completion together
  NanoDollars cost = 0;                    ///< maximum
};

/// Enforces the limits of API keys and projects: concurrency, requests per minute, tokens per
/// minute and budget. Counts survive a change of a limit.
///
/// The limits per minute are token buckets with a capacity of one minute. A request takes its
/// estimated tokens and settles the actual number later. A request that needs more than the
/// capacity is admitted when the bucket is full; later requests then wait.
///
/// With cluster::SharedLimits, all nodes of a deployment share the limits: a request takes tokens
/// and a permit from the shares of this node.
///
/// Thread-safe. Takes one short lock for a request with limits, none for a request without limits.
/// Blocks only where BudgetLedger::open() does, and where shares are used up.
class UsageLimiter {
 private:
  struct Meter;

 public:
  /// The admission of one request. The first call of settle() or drop() ends it; the destructor
  /// calls drop(). Must not outlive the limiter.
  class Admission {
   public:
    Admission() = default;
    Admission(Admission&& other) noexcept
        : limiter_(std::exchange(other.limiter_, nullptr)),
          parts_(other.parts_),
          tokens_(other.tokens_),
          budget_reservation_(std::move(other.budget_reservation_)) {}
    Admission& operator=(Admission&& other) noexcept;
    ~Admission() { drop(); }

    /// Ends the request with its actual tokens and cost.
    void settle(std::int64_t tokens, NanoDollars cost);
    /// Ends the request without usage: releases its tokens and cost. The request itself still
    /// counts.
    void drop() { settle(0, 0); }

   private:
    friend class UsageLimiter;
    struct Part {
      Meter* meter = nullptr;
      std::int64_t tokens_per_minute = 0;  ///< 0: no tokens were taken
      bool permit = false;                 ///< a shared permit was taken
    };

    UsageLimiter* limiter_ = nullptr;
    std::array<Part, BudgetLedger::kMostBudgets> parts_ = {};
    std::int64_t tokens_ = 0;
    BudgetLedger::BudgetReservation budget_reservation_ = {};
  };

  /// All must outlive the limiter. `shared` is null when no other process applies the limits.
  UsageLimiter(BudgetLedger& ledger, const Clock& clock, cluster::SharedLimits* shared = nullptr)
      : ledger_(ledger), clock_(clock), shared_(shared) {}

  /// Reserves everything that the request needs, or nothing. @return kRateLimited with
  /// `retry_after_seconds`; kQuotaExceeded; the error of BudgetLedger::open().
  Result<Admission> admit(const AdmissionRequest& demand);

  /// Returns the number of running requests of a limit.
  std::int64_t runningRequests(const UsageLimit& limit) const;

 private:
  /// A token bucket with a constant refill rate. Starts full.
  struct Bucket {
    std::optional<double> level = {};
    Timestamp filled = {};

    void fill(std::int64_t per_minute, Timestamp now);
    /// Returns the seconds until `amount` can be taken; 0 if it can be taken now.
    double missing(std::int64_t per_minute, std::int64_t amount) const;
  };

  struct Meter {
    std::string name;  ///< of the shared limit
    std::int64_t running = 0;
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

  using Limits = std::span<const UsageLimit* const>;

  Meter& meterOf(const UsageLimit& limit) SPINDLE_REQUIRES(mutex_);
  /// Takes what the limits need from the memory of this process.
  Result<Admission> admitHere(Limits limits, Limits budgets, const AdmissionRequest& demand);
  /// Takes what the limits need from the shares of this node.
  Result<Admission> admitShared(Limits limits, Limits budgets, const AdmissionRequest& demand);
  Result<BudgetLedger::BudgetReservation> reserveShared(Limits budgets, NanoDollars cost);
  /// Returns the reason to reject the request, or nothing.
  std::optional<Error> refusal(const UsageLimit& limit, Meter& meter, std::int64_t tokens) const
      SPINDLE_REQUIRES(mutex_);

  BudgetLedger& ledger_;
  const Clock& clock_;
  cluster::SharedLimits* const shared_;
  mutable Mutex mutex_;
  /// Entries are never erased, because admissions point to them. Its size is the number of limits
  /// that ever existed.
  std::unordered_map<Key, Meter, Hash, Equal> meters_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::inference
