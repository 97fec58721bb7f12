#include "inference/catalogue/catalogue_cache.h"

#include "inference/catalogue/catalogue_repository.h"

namespace spindle::inference {

std::shared_ptr<const Model> CatalogueSnapshot::find(std::string_view name) const {
  const auto found = models.find(name);
  return found == models.end() ? nullptr : found->second;
}

CatalogueCache::CatalogueCache(CatalogueRepository& repository)
    : RevisionCache([&repository] { return repository.revision(); },
                    [&repository] { return repository.load(); }) {}

std::shared_ptr<const CatalogueSnapshot> CatalogueCache::currentFor(std::string_view model) {
  std::shared_ptr<const CatalogueSnapshot> cached = current();
  return cached->find(model) || !refresh() ? cached : current();
}

}  // namespace spindle::inference
