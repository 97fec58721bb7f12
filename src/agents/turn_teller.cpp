#include "agents/turn_teller.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "agents/columnar_span_store.h"
#include "agents/turn_repository.h"
#include "base/log.h"
#include "identity/project_repository.h"

namespace spindle::agents {
namespace {

constexpr Logger kLog("agents");
constexpr std::size_t kAtOnce = 1000;
/// Turns are published in batches, because every commit invalidates the caches of metadata readers.
constexpr std::chrono::milliseconds kBetweenBatches{200};
constexpr std::chrono::seconds kAfterFailure{2};

}  // namespace

void TurnTeller::start() {
  thread_ = std::thread([this] { loop(); });
}

void TurnTeller::stop() {
  turns_.stop();
  if (thread_.joinable()) thread_.join();
}

void TurnTeller::loop() {
  noteAll();
  while (turns_.wait()) {
    const bool done = tellNow();
    if (!turns_.pause(done ? kBetweenBatches : kAfterFailure)) return;
  }
}

void TurnTeller::noteAll() {
  Result<std::vector<std::string>> projects = spans_.projects();
  while (!projects && turns_.pause(kAfterFailure)) projects = spans_.projects();
  if (!projects) return;
  for (const std::string& project : *projects) turns_.note(project);
}

bool TurnTeller::tellNow() {
  bool done = true;
  for (const std::string& project : turns_.take()) {
    const Result<void> told = tellProject(project);
    if (told) continue;
    kLog.warning("turns_not_told", {{"project", project}, {"reason", told.error().message()}});
    turns_.note(project);
    done = false;
  }
  return done;
}

Result<void> TurnTeller::tellProject(const std::string& project_id) {
  const Result<identity::Project> project = projects_.findById(project_id);
  if (!project) {
    if (project.error().code() == ErrorCode::kNotFound) return {};
    return project.error();
  }
  while (true) {
    const Result<std::int64_t> position = repository_.position(project_id);
    if (!position) return position.error();
    const Result<std::vector<AgentSpan>> turns =
        spans_.endedTurns(project_id, *position, static_cast<int>(kAtOnce));
    if (!turns) return turns.error();
    if (turns->empty()) return {};
    turns_.raise(turns->back().turn_number.value_or(0));
    const Result<void> told = repository_.tell(*project, *turns);
    // The project was deleted meanwhile.
    if (!told && told.error().code() == ErrorCode::kConflict) return {};
    if (!told) return told;
    // Turns that end later are recorded again.
    if (turns->size() < kAtOnce) return {};
  }
}

}  // namespace spindle::agents
