#include "http/server/body_budget.h"

#include <algorithm>
#include <utility>

namespace spindle::http {

BodyBudget::Charge::Charge(Charge&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      key_(std::move(other.key_)),
      bytes_(std::exchange(other.bytes_, 0)) {}

BodyBudget::Charge& BodyBudget::Charge::operator=(Charge&& other) noexcept {
  if (this == &other) return *this;
  release();
  budget_ = std::exchange(other.budget_, nullptr);
  key_ = std::move(other.key_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

BodyBudget::ChargeResult BodyBudget::Charge::resize(std::size_t bytes) {
  if (bytes == bytes_ || budget_ == nullptr) return ChargeResult::kGranted;
  const ChargeResult charge_result = budget_->change(key_, bytes_, bytes);
  if (charge_result == ChargeResult::kGranted) bytes_ = bytes;
  return charge_result;
}

void BodyBudget::Charge::release() {
  if (bytes_ > 0) resize(0);
}

BodyBudget::BodyBudget(Limits limits, Gauge& charged, Gauge& unauthenticated)
    : limits_(limits), charged_(charged), unauthenticated_(unauthenticated) {}

BodyBudget::ChargeResult BodyBudget::probe(std::string_view key, std::size_t bytes) const {
  if (bytes > limits_.server || counted(key, bytes) > limitOf(key)) return ChargeResult::kTooLarge;
  // A refused charge is visible in used_ for a short time.
  const std::size_t used = std::min(used_.load(std::memory_order_relaxed), limits_.server);
  if (bytes > limits_.server - used) return ChargeResult::kServerExhausted;
  if (counted(key, bytes) == 0 || limitOf(key) == kUnlimited) return ChargeResult::kGranted;
  const MutexLock lock(mutex_);
  const auto found = keys_.find(std::string(key));
  const std::size_t held = found == keys_.end() ? 0 : found->second;
  return counted(key, bytes) > limitOf(key) - held ? ChargeResult::kKeyExhausted
                                                   : ChargeResult::kGranted;
}

BodyBudget::ChargeResult BodyBudget::change(const std::string& key,
                                            std::size_t from,
                                            std::size_t to) {
  if (to > from) {
    if (to > limits_.server || counted(key, to) > limitOf(key)) return ChargeResult::kTooLarge;
    if (!takeFromServer(to - from)) return ChargeResult::kServerExhausted;
    if (!changeOfKey(key, counted(key, from), counted(key, to))) {
      used_.fetch_sub(to - from, std::memory_order_relaxed);
      return ChargeResult::kKeyExhausted;
    }
    charged_.add(static_cast<std::int64_t>(to - from));
    if (key.empty()) unauthenticated_.add(static_cast<std::int64_t>(to - from));
    return ChargeResult::kGranted;
  }
  changeOfKey(key, counted(key, from), counted(key, to));
  used_.fetch_sub(from - to, std::memory_order_relaxed);
  charged_.add(-static_cast<std::int64_t>(from - to));
  if (key.empty()) unauthenticated_.add(-static_cast<std::int64_t>(from - to));
  return ChargeResult::kGranted;
}

bool BodyBudget::takeFromServer(std::size_t bytes) {
  const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (before <= limits_.server && bytes <= limits_.server - before) return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

bool BodyBudget::changeOfKey(const std::string& key, std::size_t from, std::size_t to) {
  if (from == to) return true;
  const MutexLock lock(mutex_);
  std::size_t& held = keys_[key];
  if (to > from && to - from > limitOf(key) - held) {
    if (held == 0) keys_.erase(key);
    return false;
  }
  held = held - from + to;
  if (held == 0) keys_.erase(key);
  return true;
}

}  // namespace spindle::http
