#include "agents/clickhouse/known_resources.h"

#include <utility>

namespace spindle::agents {

bool KnownResources::contains(std::string_view project_id,
                              std::string_view digest,
                              Timestamp now) const {
  const MutexLock lock(mutex_);
  const auto found = seen_.find(keyOf(project_id, digest));
  return found != seen_.end() && now - found->second < kRefreshAfter;
}

void KnownResources::add(std::string_view project_id, std::string_view digest, Timestamp seen_at) {
  const MutexLock lock(mutex_);
  std::string key = keyOf(project_id, digest);
  const bool is_new = seen_.insert_or_assign(key, seen_at).second;
  if (is_new) order_.push_back(std::move(key));
  while (order_.size() > capacity_) {
    seen_.erase(order_.front());
    order_.pop_front();
  }
}

std::string KnownResources::keyOf(std::string_view project_id, std::string_view digest) {
  return std::string(project_id).append(1, '\0').append(digest);
}

}  // namespace spindle::agents
