#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "automation/rules/scope.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "events/event.h"
#include "storage/database/forward.h"

namespace spindle::automation {

/// Query of events by names. Unset members match everything.
struct EventQuery : ScopeNames {
  std::optional<events::EventType> type = {};
  std::optional<std::string> run_id = {};
  std::optional<Timestamp> since = {};
};

/// Resolves names and ids of scopes. Thread-safe; blocks on the database and may return
/// kUnavailable.
class ScopeRepository {
 public:
  explicit ScopeRepository(storage::Database& database) : database_(database) {}

  /// Returns the narrowest scope that contains the subject, except collections. Returns nothing if
  /// it was deleted.
  Result<std::optional<Scope>> scopeOf(const events::Subject& subject);

  /// Converts a query by names to a filter by ids. Returns nothing if one of the names does not
  /// exist.
  Result<std::optional<events::EventFilter>> resolve(const EventQuery& query);

 private:
  storage::Database& database_;
};

}  // namespace spindle::automation
