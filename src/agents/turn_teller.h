#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "agents/ended_turns.h"
#include "base/result.h"

namespace spindle::identity {
class ProjectRepository;
}

namespace spindle::agents {

class ColumnarSpanStore;
class TurnRepository;

/// Tells the end of every turn as an event, once, in a thread of its own: each span without a
/// parent when it is first stored with an end. A turn that was stored just before a crash is told
/// after the next start; writing spans never waits for it, and never fails because of it.
class TurnTeller {
 public:
  /// All must outlive this; `turns` is that of the store of spans.
  TurnTeller(const ColumnarSpanStore& spans,
             EndedTurns& turns,
             TurnRepository& repository,
             identity::ProjectRepository& projects)
      : spans_(spans), turns_(turns), repository_(repository), projects_(projects) {}
  ~TurnTeller() { stop(); }
  TurnTeller(const TurnTeller&) = delete;
  TurnTeller& operator=(const TurnTeller&) = delete;

  /// Starts the thread, which looks at all projects first.
  void start();
  /// Returns when the thread has ended; what it has not told is told after the next start.
  void stop();

  /// Tells what has ended up to now, in the caller's thread. What cannot be told stays for the next
  /// time. @return whether all was told.
  bool tellNow();

 private:
  void loop();
  void noteAll();
  Result<void> tellProject(const std::string& project_id);

  const ColumnarSpanStore& spans_;
  EndedTurns& turns_;
  TurnRepository& repository_;
  identity::ProjectRepository& projects_;
  std::thread thread_;
};

}  // namespace spindle::agents
