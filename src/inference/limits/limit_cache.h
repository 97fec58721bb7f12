#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "inference/catalogue/revision_cache.h"
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

/// The limits in memory. Thread-safe.
class LimitCache : public RevisionCache<Limits> {
 public:
  /// The repository must outlive the cache.
  explicit LimitCache(LimitRepository& repository);
};

}  // namespace spindle::inference
