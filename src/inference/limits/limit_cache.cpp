#include "inference/limits/limit_cache.h"

#include <utility>

#include "inference/limits/limit_repository.h"

namespace spindle::inference {
namespace {

const UsageLimit* findIn(const std::map<std::string, UsageLimit, std::less<>>& limits,
                         std::string_view subject_id) {
  const auto found = limits.find(subject_id);
  return found == limits.end() ? nullptr : &found->second;
}

}  // namespace

const UsageLimit* Limits::ofKey(std::string_view key_id) const { return findIn(of_keys, key_id); }

const UsageLimit* Limits::ofProject(std::string_view project_id) const {
  return findIn(of_projects, project_id);
}

std::shared_ptr<const Limits> LimitCache::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

Result<void> LimitCache::refresh() {
  // Refreshes run one at a time, so that an older snapshot cannot replace a newer one.
  const MutexLock one_at_a_time(refreshing_);
  const std::int64_t revision = TRY(repository_.revision());
  if (revision == current()->revision) return {};
  LimitRepository::All all = TRY(repository_.load());
  auto fresh = std::make_shared<Limits>();
  fresh->revision = all.revision;
  for (UsageLimit& limit : all.limits) {
    auto& limits = limit.scope == LimitScope::kKey ? fresh->of_keys : fresh->of_projects;
    std::string subject_id = limit.subject_id;
    limits.emplace(std::move(subject_id), std::move(limit));
  }
  const MutexLock lock(mutex_);
  current_ = std::move(fresh);
  return {};
}

}  // namespace spindle::inference
