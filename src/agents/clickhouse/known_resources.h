#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/time.h"

namespace spindle::agents {

/// The resources that this process has stored recently, so that it stores each once and not with
/// every request. Bounded: forgets the oldest. Thread-safe.
class KnownResources {
 public:
  explicit KnownResources(std::size_t capacity = kCapacity) : capacity_(capacity) {}

  /// Returns true if the resource was stored within kRefreshAfter before `now`.
  bool contains(std::string_view project_id, std::string_view digest, Timestamp now) const;
  /// Records that the resource is stored, and when a request contained it.
  void add(std::string_view project_id, std::string_view digest, Timestamp seen_at);

  /// A resource in use is stored again after this time.
  static constexpr std::chrono::hours kRefreshAfter{12};

 private:
  static constexpr std::size_t kCapacity = 50'000;
  static std::string keyOf(std::string_view project_id, std::string_view digest);

  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Timestamp> seen_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<std::string> order_ SPINDLE_GUARDED_BY(mutex_);  ///< keys, oldest first
};

}  // namespace spindle::agents
