#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/store/ended_turn.h"
#include "agents/store/turn_repository.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::identity {
class ProjectRepository;
}

namespace spindle::agents {

class EndedTurnTracker;

/// Publishes one event per ended turn, exactly once, when several servers write to the store of
/// spans. Each server publishes the turns that it has stored. A turn whose server ended before that
/// is found in the log of stored turns, by the server that has the lease. The metadata database
/// records each published turn with its event, so that all of them may try to publish a turn. A
/// turn that is sent again kRemembered after its event is published again.
///
/// For one thread.
class SharedTurnPublisher {
 public:
  /// All must outlive this object. `turns` must be the object that the span store uses.
  SharedTurnPublisher(const SharedTurnLog& log,
                      EndedTurnTracker& turns,
                      TurnRepository& repository,
                      identity::ProjectRepository& projects,
                      const Clock& clock);

  /// Publishes the turns that this process has stored. Turns that cannot be published stay pending.
  /// @return true if all were published.
  bool publishPending();

  /// Publishes the turns that were stored at least kSettled ago and that nobody has published,
  /// unless another server does. Reads a limited number of turns; the next call continues.
  /// @return false if the log or the database failed.
  bool catchUp();

  /// The log is complete up to this time before now: the time limits of an INSERT, its repetitions
  /// and the difference between the clocks of servers are together shorter.
  static constexpr std::chrono::seconds kSettled{180};
  /// A turn that is sent again after a longer time may get a second event.
  static constexpr std::chrono::days kRemembered{30};

 private:
  Result<void> scan();
  /// Groups turns by project, in their order. Omits projects that do not exist.
  Result<std::vector<TurnsOfProject>> byProject(const std::vector<EndedTurn>& turns);

  const SharedTurnLog& log_;
  EndedTurnTracker& turns_;
  TurnRepository& repository_;
  identity::ProjectRepository& projects_;
  const Clock& clock_;
  const std::string worker_;
};

}  // namespace spindle::agents
