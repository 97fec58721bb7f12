#include "inference/catalogue/catalogue_cache.h"

#include <utility>

#include "inference/catalogue/catalogue_repository.h"

namespace spindle::inference {

std::shared_ptr<const Model> CatalogueSnapshot::find(std::string_view name) const {
  const auto found = models.find(name);
  return found == models.end() ? nullptr : found->second;
}

std::shared_ptr<const CatalogueSnapshot> CatalogueCache::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

Result<void> CatalogueCache::refresh() {
  // Refreshes run one at a time, so that an older snapshot cannot replace a newer one.
  const MutexLock one_at_a_time(refreshing_);
  const std::int64_t revision = TRY(repository_.revision());
  if (revision == current()->revision) return {};
  CatalogueSnapshot loaded = TRY(repository_.load());
  auto fresh = std::make_shared<const CatalogueSnapshot>(std::move(loaded));
  const MutexLock lock(mutex_);
  current_ = std::move(fresh);
  return {};
}

}  // namespace spindle::inference
