#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "inference/limits/usage_limit.h"

namespace spindle::inference {

class LimitRepository;

/// A snapshot of all limits. Immutable.
struct Limits {
  std::int64_t revision = 0;
  std::map<std::string, UsageLimit, std::less<>> of_keys;      ///< by `key_id`
  std::map<std::string, UsageLimit, std::less<>> of_projects;  ///< by id

  /// Return null if there is no limit. The pointers are valid as long as this object.
  const UsageLimit* ofKey(std::string_view key_id) const;
  const UsageLimit* ofProject(std::string_view project_id) const;
};

/// An in-memory cache of the limits, so that requests need no database access. Thread-safe.
class LimitCache {
 public:
  explicit LimitCache(LimitRepository& repository) : repository_(repository) {}

  /// Returns the cached limits. Never null; never blocks on the database.
  std::shared_ptr<const Limits> current() const;
  /// Reloads the limits if any process has changed them. Call it after a change by this process and
  /// periodically. @return kUnavailable; the cached limits then stay.
  Result<void> refresh();

 private:
  LimitRepository& repository_;
  Mutex refreshing_;  ///< taken before mutex_
  mutable Mutex mutex_;
  std::shared_ptr<const Limits> current_ SPINDLE_GUARDED_BY(mutex_) =
      std::make_shared<const Limits>();
};

}  // namespace spindle::inference
