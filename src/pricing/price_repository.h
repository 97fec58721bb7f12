#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "pricing/price.h"
#include "storage/database/forward.h"

namespace spindle::pricing {

/// A price as a client submits it.
struct NewPrice : TokenPrices {
  std::string llm_id;
  std::optional<std::string> prompt_unit = std::string(kDefaultUnit);      ///< not set: USD
  std::optional<std::string> completion_unit = std::string(kDefaultUnit);  ///< not set: USD
  std::optional<Timestamp> effective_date;                                 ///< not set: now
  std::optional<std::string> provider_id;                                  ///< not set: `default`
};

/// Change counters of a project's prices and of the imported defaults.
struct PriceRevisions {
  std::int64_t project = 0;
  std::int64_t defaults = 0;

  bool operator==(const PriceRevisions&) const = default;
};

/// Stores prices in SQL. Thread-safe; every call blocks on the database and may return
/// kUnavailable.
class PriceRepository {
 public:
  PriceRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Adds prices to a project, all or none. @return them in the order given.
  Result<std::vector<Price>> insert(std::string_view project_id,
                                    std::string_view user_id,
                                    const std::vector<NewPrice>& wanted);

  /// Removes prices of a project. Ignores unknown ids and ids of other projects.
  Result<void> remove(std::string_view project_id, const std::vector<std::string>& ids);

  /// Returns the prices of a project in insertion order.
  Result<std::vector<Price>> ofProject(std::string_view project_id);

  /// Returns the imported prices of the default level.
  Result<std::vector<Price>> defaults();
  /// Adds imported prices, all or none. Replaces a price of the same model and date.
  Result<void> putDefaults(const std::vector<Price>& prices);

  Result<PriceRevisions> revisions(std::string_view project_id);

  /// See storage::Database::changeToken().
  std::optional<std::uint64_t> changeToken();

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::pricing
