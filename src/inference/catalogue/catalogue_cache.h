#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/secret_filter.h"
#include "inference/catalogue/catalogue.h"
#include "inference/catalogue/revision_cache.h"

namespace spindle::inference {

/// An upstream with its decrypted API key; only the gateway uses it.
struct ReachableUpstream {
  Upstream upstream;
  Secret key;
  SecretFilter filter = {};  ///< removes the key from responses of the upstream
};

/// A snapshot of the catalogue. Immutable.
struct CatalogueSnapshot {
  std::int64_t revision = 0;
  std::map<std::string, std::shared_ptr<const Model>, std::less<>> models;  ///< by name
  std::map<std::string, std::shared_ptr<const ReachableUpstream>, std::less<>>
      upstreams;  ///< by id

  /// Returns null if no model has this name.
  std::shared_ptr<const Model> find(std::string_view name) const;
};

class CatalogueRepository;

/// The catalogue in memory. Thread-safe.
class CatalogueCache : public RevisionCache<CatalogueSnapshot> {
 public:
  /// The repository must outlive the cache.
  explicit CatalogueCache(CatalogueRepository& repository);

  /// Returns a snapshot for a request that names a model. If the cached one lacks the model, reads
  /// the catalogue again: another server may have created the model a moment ago. Without the
  /// database, returns the cached one.
  std::shared_ptr<const CatalogueSnapshot> currentFor(std::string_view model);
};

}  // namespace spindle::inference
