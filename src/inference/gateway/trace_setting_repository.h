#pragma once

#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/access/validated_cache.h"
#include "storage/database/forward.h"

namespace spindle::inference {

/// Stores which projects have their completions recorded as calls. Thread-safe; calls may block on
/// the database and return kUnavailable. Caches results until the database changes, because every
/// completion reads the setting.
class TraceSettingRepository {
 public:
  TraceSettingRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  Result<bool> isTraced(std::string_view project_id);
  Result<void> set(std::string_view project_id, bool traced);

 private:
  storage::Database& database_;
  const Clock& clock_;
  identity::ValidatedCache<bool> cache_;
};

}  // namespace spindle::inference
