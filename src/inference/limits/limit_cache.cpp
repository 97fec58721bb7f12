#include "inference/limits/limit_cache.h"

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

LimitCache::LimitCache(LimitRepository& repository)
    : RevisionCache([&repository] { return repository.revision(); },
                    [&repository] { return repository.load(); }) {}

}  // namespace spindle::inference
