#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "inference/spending.h"

namespace spindle::inference {

class LimitRepository;

/// The limits at one moment. Immutable.
struct Limits {
  std::int64_t revision = 0;
  std::map<std::string, UsageLimit, std::less<>> of_keys;      ///< by the part that is shown
  std::map<std::string, UsageLimit, std::less<>> of_projects;  ///< by id

  /// Null when there is none. As long as this object.
  const UsageLimit* ofKey(std::string_view key_id) const;
  const UsageLimit* ofProject(std::string_view project_id) const;
};

/// The limits in memory, so that a request costs no question to the database. Thread-safe.
class LimitDirectory {
 public:
  explicit LimitDirectory(LimitRepository& repository) : repository_(repository) {}

  /// Never null; never blocks on the database.
  std::shared_ptr<const Limits> current() const;
  /// Reads the limits again when they have changed, by whichever process. After a change by this
  /// one, and from time to time. @return kUnavailable; what was known stays.
  Result<void> refresh();

 private:
  LimitRepository& repository_;
  Mutex refreshing_;  ///< taken before mutex_
  mutable Mutex mutex_;
  std::shared_ptr<const Limits> current_ SPINDLE_GUARDED_BY(mutex_) =
      std::make_shared<const Limits>();
};

}  // namespace spindle::inference
