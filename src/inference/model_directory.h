#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/secret_filter.h"
#include "inference/catalogue.h"

namespace spindle::inference {

/// An upstream with its key in the clear, for the gateway alone.
struct ReachableUpstream {
  Upstream upstream;
  Secret key;
  SecretFilter filter = {};  ///< removes the key from what the upstream answers
};

/// The catalogue at one moment. Immutable.
struct Directory {
  std::int64_t revision = 0;
  std::map<std::string, std::shared_ptr<const Model>, std::less<>> models;  ///< by name
  std::map<std::string, std::shared_ptr<const ReachableUpstream>, std::less<>>
      upstreams;  ///< by id

  /// Null when there is none of that name.
  std::shared_ptr<const Model> find(std::string_view name) const;
};

class CatalogueRepository;

/// The catalogue in memory, so that a request costs no question to the database. Thread-safe.
class ModelDirectory {
 public:
  explicit ModelDirectory(CatalogueRepository& repository) : repository_(repository) {}

  /// Never null; never blocks on the database.
  std::shared_ptr<const Directory> current() const;
  /// Reads the catalogue again when it has changed, by whichever process. After a change by this
  /// one, and from time to time. @return kUnavailable; what was known stays.
  Result<void> refresh();

 private:
  CatalogueRepository& repository_;
  Mutex refreshing_;  ///< taken before mutex_
  mutable Mutex mutex_;
  std::shared_ptr<const Directory> current_ SPINDLE_GUARDED_BY(mutex_) =
      std::make_shared<const Directory>();
};

}  // namespace spindle::inference
