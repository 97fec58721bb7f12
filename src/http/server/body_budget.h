#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/metrics.h"
#include "base/core/mutex.h"

namespace spindle::http {

/// Limits the memory of request bodies: for the whole server, per API key, and for all clients
/// together whose credential has not been checked. Bytes are charged before they are allocated.
/// Thread-safe.
class BodyBudget {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  /// Bodies of a key up to this size count against the server limit only, so that most requests
  /// need no lock.
  static constexpr std::size_t kSmallBody = 16UL * 1024;

  struct Limits {
    std::size_t server = kUnlimited;
    std::size_t per_key = kUnlimited;
    std::size_t unauthenticated = kUnlimited;
  };

  enum class ChargeResult {
    kGranted,
    kTooLarge,         ///< larger than the limit itself
    kKeyExhausted,     ///< other requests of the key use its budget
    kServerExhausted,  ///< other requests use the budget of the server
  };

  /// The bytes that are charged to one request; the destructor releases them. One thread at a time.
  class Charge {
   public:
    Charge() = default;
    ~Charge() { release(); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;
    Charge(Charge&& other) noexcept;
    Charge& operator=(Charge&& other) noexcept;

    /// Changes the number of charged bytes. Unless the result is kGranted, the charge is unchanged.
    ChargeResult resize(std::size_t bytes);
    void release();
    std::size_t bytes() const { return bytes_; }

   private:
    friend class BodyBudget;
    Charge(BodyBudget& budget, std::string key) : budget_(&budget), key_(std::move(key)) {}

    BodyBudget* budget_ = nullptr;
    std::string key_;
    std::size_t bytes_ = 0;
  };

  /// The gauges show the charged bytes and must outlive the budget.
  BodyBudget(Limits limits, Gauge& charged, Gauge& unauthenticated);

  /// Returns an empty charge. An empty key counts as unauthenticated. The budget must outlive it.
  Charge charge(std::string key) { return {*this, std::move(key)}; }
  /// Returns the result that resize(bytes) of an empty charge would have now. Charges nothing.
  ChargeResult probe(std::string_view key, std::size_t bytes) const;

 private:
  static std::size_t counted(std::string_view key, std::size_t bytes) {
    return key.empty() || bytes > kSmallBody ? bytes : 0;
  }
  std::size_t limitOf(std::string_view key) const {
    return key.empty() ? limits_.unauthenticated : limits_.per_key;
  }
  ChargeResult change(const std::string& key, std::size_t from, std::size_t to);
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
