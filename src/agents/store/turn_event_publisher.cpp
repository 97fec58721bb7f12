#include "agents/store/turn_event_publisher.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "agents/store/log.h"
#include "agents/store/shared_turn_publisher.h"
#include "agents/store/span_store.h"
#include "agents/store/turn_repository.h"
#include "identity/store/project_repository.h"

namespace spindle::agents {
namespace {

constexpr std::size_t kMaxBatch = 1000;
/// Turns are published in batches, because every commit invalidates the caches of metadata readers.
constexpr std::chrono::milliseconds kBatchInterval{200};
constexpr std::chrono::seconds kRetryDelay{2};
/// Time between two searches for turns that their server has not published.
constexpr std::chrono::seconds kScanInterval{15};

}  // namespace

void TurnEventPublisher::start() {
  thread_ = std::thread([this] { loop(); });
}

void TurnEventPublisher::stop() {
  turns_.stop();
  if (thread_.joinable()) thread_.join();
}

void TurnEventPublisher::loop() {
  if (const SharedTurnLog* shared = spans_.sharedTurns()) return loopShared(*shared);
  addAllProjects();
  while (turns_.wait()) {
    const bool done = publishPending();
    if (!turns_.waitFor(done ? kBatchInterval : kRetryDelay)) return;
  }
}

void TurnEventPublisher::loopShared(const SharedTurnLog& log) {
  SharedTurnPublisher publisher(log, turns_, repository_, projects_, clock_);
  auto next_scan = std::chrono::steady_clock::now();
  bool done = true;
  while (turns_.waitFor(done ? kBatchInterval : kRetryDelay) &&
         turns_.waitForTurns(kScanInterval)) {
    done = publisher.publishPending();
    if (std::chrono::steady_clock::now() < next_scan) continue;
    done = publisher.catchUp() && done;
    next_scan = std::chrono::steady_clock::now() + kScanInterval;
  }
  // Other servers would find the last turns later.
  publisher.publishPending();
}

void TurnEventPublisher::addAllProjects() {
  Result<std::vector<std::string>> projects = spans_.projects();
  while (!projects && turns_.waitFor(kRetryDelay)) projects = spans_.projects();
  if (!projects) return;
  for (const std::string& project : *projects) turns_.addProject(project);
}

bool TurnEventPublisher::publishPending() {
  bool done = true;
  for (const std::string& project : turns_.takeProjects()) {
    const Result<void> published = publishProject(project);
    if (published) continue;
    kLog.warning("turn_events_not_published",
                 {{"project", project}, {"reason", published.error().message()}});
    turns_.addProject(project);
    done = false;
  }
  return done;
}

Result<void> TurnEventPublisher::publishProject(const std::string& project_id) {
  const Result<identity::Project> project = projects_.findById(project_id);
  if (!project) {
    if (project.error().code() == ErrorCode::kNotFound) return {};
    return project.error();
  }
  while (true) {
    const std::int64_t position = TRY(repository_.position(project_id));
    const std::vector<EndedTurn> turns =
        TRY(spans_.endedTurns(project_id, position, static_cast<int>(kMaxBatch)));
    if (turns.empty()) return {};
    turns_.raiseTo(turns.back().number);
    Result<void> published = repository_.publish(*project, turns);
    // The project was deleted meanwhile.
    if (!published && published.error().code() == ErrorCode::kConflict) return {};
    if (!published) return published;
    // Turns that end later are recorded again.
    if (turns.size() < kMaxBatch) return {};
  }
}

}  // namespace spindle::agents
