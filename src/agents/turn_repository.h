#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agents/span.h"
#include "base/result.h"
#include "identity/project.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::agents {

/// Which turns have been told as events. Thread-safe; calls block on the database and may return
/// kUnavailable.
class TurnRepository {
 public:
  /// Both must outlive this.
  TurnRepository(storage::Database& database, events::Outbox& outbox)
      : database_(database), outbox_(outbox) {}

  /// A number that is greater each time.
  static Result<std::int64_t> beginEpoch(storage::Database& database);

  /// The number of the last turn of the project that was told; 0 when none was.
  Result<std::int64_t> position(std::string_view project_id);

  /// Appends an event for each turn, and moves the position behind the last, together. `turns` as
  /// ColumnarSpanStore::endedTurns() gives them, from the position on; not empty.
  /// @return kConflict when the project is gone.
  Result<void> tell(const identity::Project& project, const std::vector<AgentSpan>& turns);

 private:
  storage::Database& database_;
  events::Outbox& outbox_;
};

}  // namespace spindle::agents
