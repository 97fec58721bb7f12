#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "automation/scope.h"
#include "base/result.h"
#include "base/time.h"
#include "events/event.h"

namespace spindle::storage {
class Database;
}

namespace spindle::automation {

/// Which events are wanted, by names; what is not set does not matter. A project is named within
/// its team, a collection within its project or registry.
struct EventQuestion {
  std::optional<events::EventType> type = {};
  std::optional<std::string> team = {};
  std::optional<std::string> project = {};
  std::optional<std::string> registry = {};
  std::optional<std::string> collection = {};
  std::optional<std::string> run_id = {};
  std::optional<Timestamp> since = {};
};

/// Where things are, by name. Thread-safe; blocks on the database and may return kUnavailable.
class ScopeRepository {
 public:
  explicit ScopeRepository(storage::Database& database) : database_(database) {}

  /// The narrowest scope that has the subject in it, but for collections. Nothing when it is gone.
  Result<std::optional<Scope>> placeOf(const events::Subject& subject);

  /// The same with ids. Nothing when one of the names means nothing.
  Result<std::optional<events::EventFilter>> resolve(const EventQuestion& question);

 private:
  storage::Database& database_;
};

}  // namespace spindle::automation
