#include "pricing/price_cache.h"

#include <utility>
#include <vector>

namespace spindle::pricing {

PriceCache::PriceCache(PriceRepository& repository, std::vector<Price> built_in)
    : repository_(repository), built_in_(std::make_shared<const PriceTable>(std::move(built_in))) {}

std::optional<PriceCache::Entry> PriceCache::cached(std::string_view project_id) {
  const MutexLock lock(mutex_);
  const auto found = projects_.find(std::string(project_id));
  return found == projects_.end() ? std::nullopt : std::optional(found->second);
}

void PriceCache::put(std::string_view project_id, Entry entry) {
  const MutexLock lock(mutex_);
  if (projects_.size() >= kMaxProjects) projects_.clear();
  projects_.insert_or_assign(std::string(project_id), std::move(entry));
}

Result<std::shared_ptr<const ProjectPrices>> PriceCache::forProject(std::string_view project_id) {
  // Every commit in the database changes the token. Only the revisions, one small query, tell
  // whether prices changed.
  const std::optional<std::uint64_t> token = repository_.changeToken();
  std::optional<Entry> entry = cached(project_id);
  if (entry && token && entry->token == token) return entry->prices;
  const PriceRevisions revisions = TRY(repository_.revisions(project_id));
  if (!entry || entry->revisions != revisions) {
    Entry loaded = TRY(load(project_id, revisions));
    entry = std::move(loaded);
  }
  entry->token = token;
  std::shared_ptr<const ProjectPrices> prices = entry->prices;
  put(project_id, *std::move(entry));
  return prices;
}

Result<PriceCache::Entry> PriceCache::load(std::string_view project_id,
                                           const PriceRevisions& revisions) {
  std::shared_ptr<const PriceTable> defaults = TRY(imported(revisions.defaults));
  ProjectPrices::Tables tables = {built_in_, std::move(defaults)};
  if (revisions.project > 0) {
    std::vector<Price> own = TRY(repository_.ofProject(project_id));
    tables.push_back(std::make_shared<const PriceTable>(std::move(own)));
  }
  Entry entry;
  // The prices read may be newer than the revisions; then the next request reads them again.
  entry.revisions = revisions;
  entry.prices = std::make_shared<const ProjectPrices>(std::move(tables));
  return entry;
}

Result<std::shared_ptr<const PriceTable>> PriceCache::imported(std::int64_t revision) {
  {
    const MutexLock lock(mutex_);
    if (imported_ != nullptr && imported_revision_ == revision) return imported_;
  }
  std::vector<Price> prices;
  if (revision > 0) {
    std::vector<Price> stored = TRY(repository_.defaults());
    prices = std::move(stored);
  }
  auto table = std::make_shared<const PriceTable>(std::move(prices));
  const MutexLock lock(mutex_);
  imported_ = table;
  imported_revision_ = revision;
  return std::shared_ptr<const PriceTable>(std::move(table));
}

}  // namespace spindle::pricing
