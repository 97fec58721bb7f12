#include "inference/limits/usage_limiter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/shared_limits.h"

namespace spindle::inference {
namespace {

constexpr double kSecondsPerMinute = 60;
constexpr int kBudgetAttempts = 3;

Error rateLimited(std::string_view message, double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return Error(ErrorCode::kRateLimited, message)
      .because("rate_limit_exceeded")
      .with("retry_after_seconds", std::to_string(std::max<std::int64_t>(1, whole)));
}

std::string whoseText(const UsageLimit& limit) {
  return limit.scope == LimitScope::kKey ? "API key" : "project";
}

std::string requestsName(const std::string& meter) { return meter + "/requests"; }
std::string tokensName(const std::string& meter) { return meter + "/tokens"; }

/// Tokens and permits that one request has taken from the shares of this node. The destructor gives
/// them back unless keep() was called.
class SharedTaking {
 public:
  explicit SharedTaking(cluster::SharedLimits& shared) : shared_(shared) {}
  ~SharedTaking() {
    for (const std::function<void()>& undo : undo_) undo();
  }
  SharedTaking(const SharedTaking&) = delete;
  SharedTaking& operator=(const SharedTaking&) = delete;

  /// @return kRateLimited; kUnavailable.
  Result<void> take(const UsageLimit& limit, const std::string& name, std::int64_t tokens) {
    if (limit.concurrency) {
      if (!TRY(shared_.permits().acquire(name, *limit.concurrency))) {
        return rateLimited("Concurrency limit reached for requests", 1);
      }
      undo_.emplace_back([this, name] { shared_.permits().release(name); });
    }
    if (limit.requests_per_minute) {
      TRY(takeRate(requestsName(name), *limit.requests_per_minute, 1,
                   "Rate limit reached for requests per minute of this " + whoseText(limit)));
    }
    if (limit.tokens_per_minute) {
      TRY(takeRate(tokensName(name), *limit.tokens_per_minute, static_cast<double>(tokens),
                   "Rate limit reached for tokens per minute of this " + whoseText(limit)));
    }
    return {};
  }
  void keep() { undo_.clear(); }

 private:
  Result<void> takeRate(const std::string& name,
                        std::int64_t per_minute,
                        double amount,
                        const std::string& message) {
    if (per_minute <= 0) return rateLimited(message, kSecondsPerMinute);
    const cluster::Rate rate = cluster::Rate::perMinute(per_minute);
    const cluster::SharedRates::Outcome outcome = TRY(shared_.rates().take(name, rate, amount));
    if (!outcome.allowed) return rateLimited(message, outcome.wait_seconds);
    undo_.emplace_back([this, name, rate, amount] { shared_.rates().give(name, rate, amount); });
    return {};
  }

  cluster::SharedLimits& shared_;
  std::vector<std::function<void()>> undo_;
};

}  // namespace

void UsageLimiter::Bucket::fill(std::int64_t per_minute, Timestamp now) {
  const auto capacity = static_cast<double>(per_minute);
  const double seconds = std::max(0.0, std::chrono::duration<double>(now - filled).count());
  level = std::min(capacity, level.value_or(capacity) + seconds * capacity / kSecondsPerMinute);
  filled = now;
}

double UsageLimiter::Bucket::missing(std::int64_t per_minute, std::int64_t amount) const {
  const auto capacity = static_cast<double>(per_minute);
  if (capacity <= 0) return kSecondsPerMinute;
  const double needed = std::min(static_cast<double>(amount), capacity);
  // Rounding errors make the level slightly too small.
  const double lacking = needed - level.value_or(capacity) - 1e-6;
  return lacking <= 0 ? 0 : lacking * kSecondsPerMinute / capacity;
}

UsageLimiter::Admission& UsageLimiter::Admission::operator=(Admission&& other) noexcept {
  if (this == &other) return *this;
  drop();
  limiter_ = std::exchange(other.limiter_, nullptr);
  parts_ = other.parts_;
  tokens_ = other.tokens_;
  budget_reservation_ = std::move(other.budget_reservation_);
  return *this;
}

void UsageLimiter::Admission::settle(std::int64_t tokens, NanoDollars cost) {
  if (limiter_ == nullptr) return;
  UsageLimiter& limiter = *std::exchange(limiter_, nullptr);
  budget_reservation_.settle(cost);
  const Timestamp now = limiter.clock_.now();
  if (limiter.shared_ != nullptr) {
    for (const Part& part : parts_) {
      if (part.meter == nullptr) continue;
      if (part.permit) limiter.shared_->permits().release(part.meter->name);
      if (part.tokens_per_minute <= 0) continue;
      limiter.shared_->rates().give(tokensName(part.meter->name),
                                    cluster::Rate::perMinute(part.tokens_per_minute),
                                    static_cast<double>(tokens_ - tokens));
    }
  }
  const MutexLock lock(limiter.mutex_);
  for (const Part& part : parts_) {
    if (part.meter == nullptr) continue;
    part.meter->running -= 1;
    if (limiter.shared_ != nullptr) continue;
    Bucket& bucket = part.meter->tokens;
    if (part.tokens_per_minute <= 0 || !bucket.level) continue;
    bucket.fill(part.tokens_per_minute, now);
    const auto capacity = static_cast<double>(part.tokens_per_minute);
    bucket.level = std::min(capacity, *bucket.level + static_cast<double>(tokens_ - tokens));
  }
}

Result<UsageLimiter::Admission> UsageLimiter::admit(const AdmissionRequest& demand) {
  std::array<const UsageLimit*, BudgetLedger::kMostBudgets> limits = {};
  std::array<const UsageLimit*, BudgetLedger::kMostBudgets> budgets = {};
  std::size_t limit_count = 0;
  std::size_t budget_count = 0;
  for (const UsageLimit* limit : {demand.of_key, demand.of_project}) {
    if (limit == nullptr) continue;
    limits[limit_count++] = limit;
    if (!limit->budget_usd) continue;
    budgets[budget_count++] = limit;
    TRY(ledger_.open(*limit, demand.cost));
  }
  if (limit_count == 0) return Admission();
  const Limits used = Limits(limits).first(limit_count);
  const Limits with_budget = Limits(budgets).first(budget_count);
  return shared_ == nullptr ? admitHere(used, with_budget, demand)
                            : admitShared(used, with_budget, demand);
}

Result<UsageLimiter::Admission> UsageLimiter::admitHere(Limits limits,
                                                        Limits budgets,
                                                        const AdmissionRequest& demand) {
  Admission admission;
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const UsageLimit& limit = *limits[i];
    Meter& meter = meterOf(limit);
    if (limit.requests_per_minute) meter.requests.fill(*limit.requests_per_minute, now);
    if (limit.tokens_per_minute) meter.tokens.fill(*limit.tokens_per_minute, now);
    if (std::optional<Error> no = refusal(limit, meter, demand.tokens)) return *std::move(no);
    admission.parts_[i] = {&meter, limit.tokens_per_minute.value_or(0)};
  }
  if (!budgets.empty()) {
    BudgetLedger::BudgetReservation money = TRY(ledger_.reserve(budgets, demand.cost));
    admission.budget_reservation_ = std::move(money);
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    Meter& meter = *admission.parts_[i].meter;
    meter.running += 1;
    if (limits[i]->requests_per_minute) *meter.requests.level -= 1;
    if (limits[i]->tokens_per_minute) *meter.tokens.level -= static_cast<double>(demand.tokens);
  }
  admission.tokens_ = demand.tokens;
  admission.limiter_ = this;
  return admission;
}

Result<UsageLimiter::Admission> UsageLimiter::admitShared(Limits limits,
                                                          Limits budgets,
                                                          const AdmissionRequest& demand) {
  Admission admission;
  {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      admission.parts_[i].meter = &meterOf(*limits[i]);
    }
  }
  SharedTaking taking(*shared_);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    Admission::Part& part = admission.parts_[i];
    TRY(taking.take(*limits[i], part.meter->name, demand.tokens));
    part.permit = limits[i]->concurrency.has_value();
    part.tokens_per_minute = limits[i]->tokens_per_minute.value_or(0);
  }
  if (!budgets.empty()) {
    BudgetLedger::BudgetReservation money = TRY(reserveShared(budgets, demand.cost));
    admission.budget_reservation_ = std::move(money);
  }
  taking.keep();
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < limits.size(); ++i) admission.parts_[i].meter->running += 1;
  admission.tokens_ = demand.tokens;
  admission.limiter_ = this;
  return admission;
}

Result<BudgetLedger::BudgetReservation> UsageLimiter::reserveShared(Limits budgets,
                                                                    NanoDollars cost) {
  // Another request may take what open() has reserved for this one.
  for (int attempt = 1;; ++attempt) {
    Result<BudgetLedger::BudgetReservation> money = ledger_.reserve(budgets, cost);
    if (money || attempt == kBudgetAttempts) return money;
    for (const UsageLimit* limit : budgets) TRY(ledger_.open(*limit, cost));
  }
}

std::int64_t UsageLimiter::runningRequests(const UsageLimit& limit) const {
  const MutexLock lock(mutex_);
  const auto found = meters_.find(limit);
  return found == meters_.end() ? 0 : found->second.running;
}

UsageLimiter::Meter& UsageLimiter::meterOf(const UsageLimit& limit) {
  const auto found = meters_.find(limit);
  if (found != meters_.end()) return found->second;
  Meter& meter = meters_.try_emplace(Key{limit.scope, limit.subject_id}).first->second;
  meter.name = (limit.scope == LimitScope::kKey ? "key/" : "project/") + limit.subject_id;
  return meter;
}

std::optional<Error> UsageLimiter::refusal(const UsageLimit& limit,
                                           Meter& meter,
                                           std::int64_t tokens) const {
  const std::string whose = whoseText(limit);
  if (limit.concurrency && meter.running >= *limit.concurrency) {
    return rateLimited("Concurrency limit reached for requests", 1);
  }
  if (limit.requests_per_minute) {
    const double wait = meter.requests.missing(*limit.requests_per_minute, 1);
    if (wait > 0) {
      return rateLimited("Rate limit reached for requests per minute of this " + whose, wait);
    }
  }
  if (limit.tokens_per_minute) {
    const double wait = meter.tokens.missing(*limit.tokens_per_minute, tokens);
    if (wait > 0) {
      return rateLimited("Rate limit reached for tokens per minute of this " + whose, wait);
    }
  }
  return std::nullopt;
}

}  // namespace spindle::inference
