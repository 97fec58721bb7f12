#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/metrics.h"
#include "base/mutex.h"

namespace spindle::http {

/// Bounds the memory that request bodies take: on the whole server, for each API key, and for all
/// clients together whose credential was not checked. Bytes are charged before they are allocated.
/// Thread-safe.
class BodyBudget {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  /// Bodies of a key up to this size count against the server only, which spares most requests a
  /// lock.
  static constexpr std::size_t kSmallBody = 16UL * 1024;

  struct Limits {
    std::size_t server = kUnlimited;
    std::size_t per_key = kUnlimited;
    std::size_t unauthenticated = kUnlimited;
  };

  enum class Verdict {
    kGranted,
    kTooLarge,         ///< more than may ever be granted
    kKeyExhausted,     ///< other requests of the key hold what it may have
    kServerExhausted,  ///< other requests hold what the server has
  };

  /// The bytes of one request, given back when it is destroyed. One thread at a time.
  class Charge {
   public:
    Charge() = default;
    ~Charge() { release(); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;
    Charge(Charge&& other) noexcept;
    Charge& operator=(Charge&& other) noexcept;

    /// Changes how many bytes are charged. Unless granted, the charge stays as it was.
    Verdict resize(std::size_t bytes);
    void release();
    std::size_t bytes() const { return bytes_; }

   private:
    friend class BodyBudget;
    Charge(BodyBudget& budget, std::string key) : budget_(&budget), key_(std::move(key)) {}

    BodyBudget* budget_ = nullptr;
    std::string key_;
    std::size_t bytes_ = 0;
  };

  /// The gauges show what is charged and outlive the budget.
  BodyBudget(Limits limits, Gauge& charged, Gauge& unauthenticated);

  /// An empty charge. Without a key it counts as unauthenticated. The budget outlives it.
  Charge charge(std::string key) { return {*this, std::move(key)}; }
  /// Returns what resize() to so many bytes would say to a fresh charge now, and charges nothing.
  Verdict probe(std::string_view key, std::size_t bytes) const;

 private:
  static std::size_t counted(std::string_view key, std::size_t bytes) {
    return key.empty() || bytes > kSmallBody ? bytes : 0;
  }
  std::size_t limitOf(std::string_view key) const {
    return key.empty() ? limits_.unauthenticated : limits_.per_key;
  }
  Verdict change(const std::string& key, std::size_t from, std::size_t to);
  bool takeFromServer(std::size_t bytes);
  bool changeOfKey(const std::string& key, std::size_t from, std::size_t to);

  const Limits limits_;
  Gauge& charged_;
  Gauge& unauthenticated_;
  std::atomic<std::size_t> used_{0};
  mutable Mutex mutex_;
  std::unordered_map<std::string, std::size_t> keys_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
