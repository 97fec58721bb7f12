#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "pricing/price_repository.h"
#include "pricing/project_prices.h"

namespace spindle::pricing {

/// Caches the prices that apply to calls: built-in, imported, and those of the project. Reloads
/// them after a change by any process, so a new price applies to the next request, also for past
/// calls.
/// Thread-safe. May block on the database.
class PriceCache {
 public:
  /// `built_in` are prices of the default level that are stored nowhere else.
  PriceCache(PriceRepository& repository, std::vector<Price> built_in);

  /// Returns the prices for one request as an immutable snapshot. An empty id stands for a project
  /// that does not exist yet. @return kUnavailable.
  Result<std::shared_ptr<const ProjectPrices>> forProject(std::string_view project_id);

  /// Returns only the prices of the default level.
  Result<std::shared_ptr<const ProjectPrices>> defaults() { return forProject({}); }
  const PriceTable& builtIn() const { return *built_in_; }

 private:
  struct Entry {
    std::optional<std::uint64_t> token;  ///< read before the revisions
    PriceRevisions revisions;
    std::shared_ptr<const ProjectPrices> prices;
  };

  static constexpr std::size_t kMaxProjects = 256;

  std::optional<Entry> cached(std::string_view project_id);
  Result<Entry> load(std::string_view project_id, const PriceRevisions& revisions);
  Result<std::shared_ptr<const PriceTable>> imported(std::int64_t revision);
  void put(std::string_view project_id, Entry entry);

  PriceRepository& repository_;
  const std::shared_ptr<const PriceTable> built_in_;

  Mutex mutex_;
  std::unordered_map<std::string, Entry> projects_ SPINDLE_GUARDED_BY(mutex_);
  std::shared_ptr<const PriceTable> imported_ SPINDLE_GUARDED_BY(mutex_);
  std::int64_t imported_revision_ SPINDLE_GUARDED_BY(mutex_) = -1;
};

}  // namespace spindle::pricing
