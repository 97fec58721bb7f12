#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "base/core/result.h"
#include "identity/types/project.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::agents {

/// Stores which turns have been published as events. Thread-safe; calls block on the database and
/// may return kUnavailable.
class TurnRepository {
 public:
  /// Both must outlive this object.
  TurnRepository(storage::Database& database, events::Outbox& outbox)
      : database_(database), outbox_(outbox) {}

  /// Returns a number that is greater at each call.
  static Result<std::int64_t> beginEpoch(storage::Database& database);

  /// Returns the number of the last published turn of the project; 0 if none was published.
  Result<std::int64_t> position(std::string_view project_id);

  /// Appends an event for each turn and moves the position to the last one, in one transaction.
  /// `turns` is the result of SpanStore::endedTurns() after the position; not empty.
  /// @return kConflict if the project was deleted.
  Result<void> publish(const identity::Project& project, const std::vector<AgentSpan>& turns);

 private:
  storage::Database& database_;
  events::Outbox& outbox_;
};

}  // namespace spindle::agents
