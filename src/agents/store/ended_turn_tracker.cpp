#include "agents/store/ended_turn_tracker.h"

#include <utility>

namespace spindle::agents {

void EndedTurnTracker::raiseTo(std::int64_t number) {
  std::int64_t last = last_;
  while (last < number && !last_.compare_exchange_weak(last, number)) {
  }
}

void EndedTurnTracker::addProject(std::string_view project_id) {
  const MutexLock lock(mutex_);
  projects_.emplace(project_id);
  changed_.notifyAll();
}

std::set<std::string> EndedTurnTracker::takeProjects() {
  const MutexLock lock(mutex_);
  return std::exchange(projects_, {});
}

void EndedTurnTracker::addTurns(std::vector<EndedTurn> turns) {
  const MutexLock lock(mutex_);
  for (EndedTurn& turn : turns) added_.push_back(std::move(turn));
  while (added_.size() > kMaxTurns) added_.pop_front();
  changed_.notifyAll();
}

std::vector<EndedTurn> EndedTurnTracker::takeTurns(std::size_t limit) {
  const MutexLock lock(mutex_);
  std::vector<EndedTurn> turns;
  while (turns.size() < limit && !added_.empty()) {
    turns.push_back(std::move(added_.front()));
    added_.pop_front();
  }
  return turns;
}

bool EndedTurnTracker::waitForTurns(std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  const MutexLock lock(mutex_);
  while (added_.empty() && !stopped_) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) break;
    changed_.waitFor(mutex_, left);
  }
  return !stopped_;
}

bool EndedTurnTracker::wait() {
  const MutexLock lock(mutex_);
  while (projects_.empty() && !stopped_) changed_.wait(mutex_);
  return !stopped_;
}

bool EndedTurnTracker::waitFor(std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  const MutexLock lock(mutex_);
  while (!stopped_) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) break;
    changed_.waitFor(mutex_, left);
  }
  return !stopped_;
}

void EndedTurnTracker::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notifyAll();
}

}  // namespace spindle::agents
