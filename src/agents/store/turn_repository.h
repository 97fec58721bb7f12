#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agents/store/ended_turn.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/types/project.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::agents {

/// Ended turns of one project.
struct TurnsOfProject {
  identity::Project project;
  std::vector<EndedTurn> turns;
};

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
  Result<void> publish(const identity::Project& project, const std::vector<EndedTurn>& turns);

  // For a store that several servers write to.

  /// Appends an event for each turn that has none yet, and records it, in one transaction; whatever
  /// other processes publish at the same time, a turn gets one event. If `position` is given, the
  /// log of turns was read up to it. @return the number of events; kConflict if a project was
  /// deleted.
  Result<std::int64_t> publishOnce(const std::vector<TurnsOfProject>& turns,
                                   Timestamp now,
                                   std::optional<std::int64_t> position = {});

  /// Takes or renews the lease for reading the log of turns. @return up to which number it was
  /// read; nothing while another worker has the lease.
  Result<std::optional<std::int64_t>> leaseScan(std::string_view worker,
                                                Timestamp now,
                                                Timestamp until);

  /// Forgets a batch of turns that were published before a time. @return their number.
  Result<std::int64_t> forgetPublished(Timestamp before);

 private:
  /// Appends the event of a turn.
  Result<void> append(storage::Session& session,
                      const identity::Project& project,
                      const EndedTurn& turn);

  storage::Database& database_;
  events::Outbox& outbox_;
};

}  // namespace spindle::agents
