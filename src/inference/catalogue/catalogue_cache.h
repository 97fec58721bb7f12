#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/crypto/secret_filter.h"
#include "inference/catalogue/catalogue.h"

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

/// An in-memory cache of the catalogue, so that requests need no database access. Thread-safe.
class CatalogueCache {
 public:
  explicit CatalogueCache(CatalogueRepository& repository) : repository_(repository) {}

  /// Returns the cached catalogue. Never null; never blocks on the database.
  std::shared_ptr<const CatalogueSnapshot> current() const;
  /// Reloads the catalogue if any process has changed it. Call it after a change by this process
  /// and periodically. @return kUnavailable; the cached catalogue then stays.
  Result<void> refresh();

 private:
  CatalogueRepository& repository_;
  Mutex refreshing_;  ///< taken before mutex_
  mutable Mutex mutex_;
  std::shared_ptr<const CatalogueSnapshot> current_ SPINDLE_GUARDED_BY(mutex_) =
      std::make_shared<const CatalogueSnapshot>();
};

}  // namespace spindle::inference
