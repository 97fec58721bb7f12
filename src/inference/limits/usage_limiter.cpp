#include "inference/limits/usage_limiter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <string_view>

namespace spindle::inference {
namespace {

constexpr double kSecondsPerMinute = 60;

Error rateLimited(std::string_view message, double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return Error(ErrorCode::kRateLimited, message)
      .because("rate_limit_exceeded")
      .with("retry_after_seconds", std::to_string(std::max<std::int64_t>(1, whole)));
}

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
  const MutexLock lock(limiter.mutex_);
  for (const Part& part : parts_) {
    if (part.meter == nullptr) continue;
    part.meter->running -= 1;
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
    TRY(ledger_.open(*limit));
  }
  Admission admission;
  if (limit_count == 0) return admission;

  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < limit_count; ++i) {
    const UsageLimit& limit = *limits[i];
    Meter& meter = meterOf(limit);
    if (limit.requests_per_minute) meter.requests.fill(*limit.requests_per_minute, now);
    if (limit.tokens_per_minute) meter.tokens.fill(*limit.tokens_per_minute, now);
    if (std::optional<Error> no = refusal(limit, meter, demand.tokens)) return *std::move(no);
    admission.parts_[i] = {&meter, limit.tokens_per_minute.value_or(0)};
  }
  if (budget_count > 0) {
    BudgetLedger::BudgetReservation money =
        TRY(ledger_.reserve(std::span(budgets).first(budget_count), demand.cost));
    admission.budget_reservation_ = std::move(money);
  }
  for (std::size_t i = 0; i < limit_count; ++i) {
    Meter& meter = *admission.parts_[i].meter;
    meter.running += 1;
    if (limits[i]->requests_per_minute) *meter.requests.level -= 1;
    if (limits[i]->tokens_per_minute) *meter.tokens.level -= static_cast<double>(demand.tokens);
  }
  admission.tokens_ = demand.tokens;
  admission.limiter_ = this;
  return admission;
}

std::int64_t UsageLimiter::runningRequests(const UsageLimit& limit) const {
  const MutexLock lock(mutex_);
  const auto found = meters_.find(limit);
  return found == meters_.end() ? 0 : found->second.running;
}

UsageLimiter::Meter& UsageLimiter::meterOf(const UsageLimit& limit) {
  const auto found = meters_.find(limit);
  if (found != meters_.end()) return found->second;
  return meters_.try_emplace(Key{limit.scope, limit.subject_id}).first->second;
}

std::optional<Error> UsageLimiter::refusal(const UsageLimit& limit,
                                           Meter& meter,
                                           std::int64_t tokens) const {
  const std::string whose = limit.scope == LimitScope::kKey ? "API key" : "project";
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
