#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/access/validated_cache.h"
#include "storage/database/forward.h"

namespace spindle::tracing {

/// Stores the retention of calls per project, in days. Thread-safe; calls may block on the database
/// and return kUnavailable. Caches values while the database is unchanged, because every written
/// call needs them.
class RetentionRepository {
 public:
  RetentionRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Returns the retention in days; empty: unlimited.
  Result<std::optional<std::int64_t>> days(std::string_view project_id);

  /// @return kInvalidArgument for less than a day.
  Result<void> setDays(std::string_view project_id, std::optional<std::int64_t> days);

 private:
  storage::Database& database_;
  const Clock& clock_;
  identity::ValidatedCache<std::optional<std::int64_t>> cache_;
};

}  // namespace spindle::tracing
