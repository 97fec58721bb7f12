#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "identity/validated_cache.h"

namespace spindle::storage {
class Database;
}

namespace spindle::tracing {

/// For how many days each project keeps its calls. Thread-safe; calls may block on the database and
/// return kUnavailable. The answer is kept while the database is unchanged: every call written
/// asks.
class RetentionRepository {
 public:
  RetentionRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Empty: for ever.
  Result<std::optional<std::int64_t>> days(std::string_view project_id);

  /// @return kInvalidArgument for less than a day.
  Result<void> setDays(std::string_view project_id, std::optional<std::int64_t> days);

 private:
  storage::Database& database_;
  const Clock& clock_;
  identity::ValidatedCache<std::optional<std::int64_t>> cache_;
};

}  // namespace spindle::tracing
