#include "agents/ended_turns.h"

#include <utility>

namespace spindle::agents {

void EndedTurns::raise(std::int64_t number) {
  std::int64_t last = last_;
  while (last < number && !last_.compare_exchange_weak(last, number)) {
  }
}

void EndedTurns::note(std::string_view project_id) {
  const MutexLock lock(mutex_);
  projects_.emplace(project_id);
  changed_.notifyAll();
}

std::set<std::string> EndedTurns::take() {
  const MutexLock lock(mutex_);
  return std::exchange(projects_, {});
}

bool EndedTurns::wait() {
  const MutexLock lock(mutex_);
  while (projects_.empty() && !stopped_) changed_.wait(mutex_);
  return !stopped_;
}

bool EndedTurns::pause(std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  const MutexLock lock(mutex_);
  while (!stopped_) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) break;
    changed_.waitFor(mutex_, left);
  }
  return !stopped_;
}

void EndedTurns::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notifyAll();
}

}  // namespace spindle::agents
