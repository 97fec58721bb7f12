#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "agents/store/ended_turn_tracker.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::identity {
class ProjectRepository;
}

namespace spindle::agents {

class SharedTurnLog;
class SpanStore;
class TurnRepository;

/// Publishes one event per ended turn, exactly once, in its own thread. A turn ends when a span
/// without a parent is first stored with an end. A turn that was stored just before a crash is
/// published after the next start. Writes of spans never wait for events and never fail because of
/// them. If several servers write to the store, SharedTurnPublisher does the work.
class TurnEventPublisher {
 public:
  /// All must outlive this object. `turns` must be the object that the span store uses.
  TurnEventPublisher(const SpanStore& spans,
                     EndedTurnTracker& turns,
                     TurnRepository& repository,
                     identity::ProjectRepository& projects,
                     const Clock& clock)
      : spans_(spans), turns_(turns), repository_(repository), projects_(projects), clock_(clock) {}
  ~TurnEventPublisher() { stop(); }
  TurnEventPublisher(const TurnEventPublisher&) = delete;
  TurnEventPublisher& operator=(const TurnEventPublisher&) = delete;

  /// Starts the thread, which checks all projects first.
  void start();
  /// Blocks until the thread has ended. Unpublished turns are published after the next start.
  void stop();

  /// Publishes the turns that have ended, in the caller's thread. Events that cannot be published
  /// stay pending. @return true if all were published.
  bool publishPending();

 private:
  void loop();
  void loopShared(const SharedTurnLog& log);
  void addAllProjects();
  Result<void> publishProject(const std::string& project_id);

  const SpanStore& spans_;
  EndedTurnTracker& turns_;
  TurnRepository& repository_;
  identity::ProjectRepository& projects_;
  const Clock& clock_;
  std::thread thread_;
};

}  // namespace spindle::agents
